"""Ratings and agreement: coefficients with intervals, estimated error rates, and the quality of each annotator."""
