"""The review app: what annotators and curators see in their browser, behind a gate of its own."""
