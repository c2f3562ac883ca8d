"""Import of questions from existing benchmarks: their files become ordinary items of a run."""
