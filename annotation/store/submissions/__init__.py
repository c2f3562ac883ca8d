"""Receiving decisions: they are checked against the form, and every version is kept."""
