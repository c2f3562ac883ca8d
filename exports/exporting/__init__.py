"""Exports to other tools' formats: the walk over a release, companion files, reading back and comparing."""
