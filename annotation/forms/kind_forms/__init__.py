"""Forms of the kinds of campaigns: what each asks."""
