"""Forms of the kinds of campaigns: their questions."""
