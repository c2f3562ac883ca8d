"""Exports to other tools' formats: iterating over a release, companion files, reading back and comparing."""
