"""Signing in and out: routes, pages, and the middleware that requires a session."""
