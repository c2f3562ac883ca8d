"""Layouts of published benchmarks: entries of a form of their own, as plain rows with question, options, key, pictures."""
