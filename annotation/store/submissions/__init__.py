"""Receiving decisions: checks against the form, and storage of every version."""
