"""English options that can complete a sentence: forms of words, forms of phrases, and requirements of a gap."""
