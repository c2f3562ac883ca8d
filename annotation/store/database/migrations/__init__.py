"""Migrations of the review store: named, ordered, forward only."""
