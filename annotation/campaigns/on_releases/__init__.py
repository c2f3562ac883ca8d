"""Campaigns about the items of a release: reviews, edits and pairs."""
