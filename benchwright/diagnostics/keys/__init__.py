"""Keys that replies or explanations speak against, and items that are ambiguous."""
