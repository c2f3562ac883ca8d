"""Metrics of the four papers, as pure functions over plain rows.

They know nothing of files, releases or readers: rows with answers and keys go in, and a `Share` that states its
denominator comes out.
"""
