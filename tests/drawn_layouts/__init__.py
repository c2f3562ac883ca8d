"""Question sources drawn from a seed, with the truth by construction, and how a reading of them is judged."""
