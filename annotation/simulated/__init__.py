"""Annotators that are not people."""
