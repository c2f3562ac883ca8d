"""Signing in and out: routes, pages, and the middleware that lets nobody in without a session."""
