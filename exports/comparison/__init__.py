"""Comparison of two releases: their differences, the reasons for them, and their effect on models' scores."""
