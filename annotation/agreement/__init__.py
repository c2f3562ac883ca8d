"""Ratings and agreement: coefficients with intervals, estimated error rates, and quality of each annotator."""
