"""Interpretation of keys as options: forms of keys, the evidence for a reading, and reports."""
