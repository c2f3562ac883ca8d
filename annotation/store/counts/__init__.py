"""Counts and columns over a whole campaign, made by the database."""
