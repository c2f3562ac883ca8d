"""Tables of published benchmarks, recounted from the files that their repositories hold."""
