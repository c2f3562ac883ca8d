"""Readers of source datasets, one module each."""
