"""Freezing: the remaining items of a workspace become a release, an immutable folder."""
