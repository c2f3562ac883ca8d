"""Freezing: turning the remaining items of a workspace into a release, an immutable folder."""
