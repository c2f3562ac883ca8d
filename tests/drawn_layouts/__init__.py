"""Question sources drawn from a seed, with truth by construction, and the judgment of how they are read."""
