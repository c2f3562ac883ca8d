"""Tables of published benchmarks, counted again from the files that their repositories hold."""
