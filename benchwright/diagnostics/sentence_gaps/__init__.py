"""Which English options can complete a sentence: forms of words, what phrases are, and what a gap takes."""
