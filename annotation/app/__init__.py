"""The review app: what annotators and curators see in their browser."""
