"""Passwords, cookies, sign-in attempts, headers, limits on connections. Nothing here depends on reviews or tasks."""
