"""Kinds of answers that options are, such as a color or a place, and kinds that questions ask for, in English."""
