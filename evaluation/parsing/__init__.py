"""Parsing of free replies into answers: plain text, options named by letter, word or place, and refusals."""
