"""Faults of single items, one rule each, by family; `rules` lists all."""
