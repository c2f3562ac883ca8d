"""The questions to models about a release: questions without answers, prompts, items, and the cost of asking."""
