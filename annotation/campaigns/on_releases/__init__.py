"""Campaigns about the items of a release: reviews, edits, pairs."""
