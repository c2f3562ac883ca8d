"""Metrics of the four papers, as pure functions over plain rows.

They know nothing of files, releases or readers: what goes in says who is asked what and what is right, what
comes out is a `Share` that states its denominator.
"""
