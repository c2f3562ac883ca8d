"""Counts of a benchmark of manipulated pairs, as in MVP-Bench's figure 3."""
