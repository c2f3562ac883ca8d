"""What a benchmark of manipulated pairs holds, counted as in MVP-Bench's figure 3."""
