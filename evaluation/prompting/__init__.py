"""The questions about a release that models are asked: questions without answers, prompts, items, and costs."""
