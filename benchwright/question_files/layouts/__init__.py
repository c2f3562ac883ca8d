"""Layouts of published benchmarks: entries of a form of their own, as plain rows of question, options and key."""
