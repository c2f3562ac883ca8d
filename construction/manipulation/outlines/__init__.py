"""Outlines before compositing: their quality, and their display on the pictures."""
