"""What models are asked of a release: questions without answers, prompts, items, and what asking costs."""
