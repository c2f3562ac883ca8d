"""Curators' pages about people: accounts, assignment to campaigns, messages, and annotators' flags and comments."""
