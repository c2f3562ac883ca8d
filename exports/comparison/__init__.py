"""Comparison of two releases: how they differ, why, and how the differences affect models' scores."""
