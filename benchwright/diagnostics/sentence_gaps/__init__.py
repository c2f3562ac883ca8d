"""English options that can complete a sentence: forms of words and phrases, and requirements of a gap."""
