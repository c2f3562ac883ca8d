"""Faults of single items, a rule each, by family; `rules` has them all."""
