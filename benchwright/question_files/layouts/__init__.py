"""Layouts of published benchmarks, one file each: the conversion of an entry to plain rows."""
