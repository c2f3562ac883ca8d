"""The questions that models are asked about a release: questions without answers, prompts, items, and costs."""
