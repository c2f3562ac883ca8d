"""Keys that replies or explanations contradict, and ambiguous items."""
