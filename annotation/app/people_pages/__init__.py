"""Curators' pages of people: accounts and who decides where; flags and comments of annotators."""
