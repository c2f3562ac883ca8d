"""Readings of keys as options: forms of keys, their evidence, and reports."""
