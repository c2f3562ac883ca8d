"""Forms of the kinds of campaigns, which contain their questions."""
