"""Keys that replies or explanations contradict, and items that are ambiguous."""
