"""Texts from outside: normal forms, hidden characters, formulas."""
