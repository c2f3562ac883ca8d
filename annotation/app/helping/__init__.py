"""Helpers that propose regions, in processes of their own beside the app."""
