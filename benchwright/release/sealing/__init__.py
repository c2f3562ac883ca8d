"""Verification of releases: contents, card and signatures, and what a check proves."""
