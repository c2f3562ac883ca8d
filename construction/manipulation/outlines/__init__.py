"""Outlines before compositing: their quality, shown on their pictures."""
