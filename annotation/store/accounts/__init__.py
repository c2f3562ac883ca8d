"""Accounts for signing in, and the assignment of annotators to campaigns."""
