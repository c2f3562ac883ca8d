"""Exports to other tools' formats: iteration over a release, companion files, and comparison after reading back."""
