"""English options that can complete a sentence: the forms of words and phrases, and the requirements of a gap."""
