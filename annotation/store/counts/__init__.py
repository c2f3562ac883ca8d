"""Counts and columns over a whole campaign, computed by the database."""
