"""Meanings of words, without a network: the user's WordNet, languages by word lists, a local sentence model."""
