"""Passwords, cookies, attempts, headers, limits on connections: nothing here knows what the app is about."""
