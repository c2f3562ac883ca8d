"""Comparison of two releases: their differences, the reasons, and the effect on the scores of models."""
