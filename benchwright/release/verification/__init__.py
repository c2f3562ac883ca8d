"""Verification of releases: their contents, card and signatures, and what a check proves."""
