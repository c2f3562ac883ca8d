"""The review app: the pages that annotators and curators use in their browsers after signing in."""
