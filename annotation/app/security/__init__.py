"""Passwords, cookies, sign-in attempts, headers and connection limits. Nothing here depends on reviews or tasks."""
