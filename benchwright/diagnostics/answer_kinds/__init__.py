"""Kinds of answers that options represent, such as a color or a place, and that questions ask for, in English."""
