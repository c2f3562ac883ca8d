"""Exports to other tools' formats: the walk over a release, what lies beside, reading back and comparing."""
