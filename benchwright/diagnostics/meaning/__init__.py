"""Meanings of words, without a network: a WordNet of the user's, languages by word lists, a local sentence model."""
