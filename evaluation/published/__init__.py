"""Tables of published benchmarks, recounted from the files in their repositories."""
