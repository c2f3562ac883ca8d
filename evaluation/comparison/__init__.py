"""Comparing models that were asked the same items."""
