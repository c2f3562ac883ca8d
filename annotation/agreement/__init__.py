"""Ratings, and how far annotators agree: coefficients with intervals, likely errors, the quality of each annotator."""
