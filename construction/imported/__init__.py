"""Questions of existing benchmarks: their files become ordinary items of a run."""
