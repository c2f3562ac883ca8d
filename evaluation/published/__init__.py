"""Tables of published benchmarks, recomputed from the files in their repositories."""
