"""Simulated annotators."""
