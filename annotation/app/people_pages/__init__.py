"""Curators' pages on people: accounts, assignment to campaigns, messages, and annotators' flags and comments."""
