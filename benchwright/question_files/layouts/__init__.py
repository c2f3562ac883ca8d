"""Layouts of published benchmarks, one file per layout: conversions of an entry to plain rows."""
