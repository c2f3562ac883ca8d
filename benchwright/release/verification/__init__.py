"""Verification of releases: contents, card, signatures, and what a check proves."""
