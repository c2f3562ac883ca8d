"""Conversations other than decisions: messages from curators, and discussions of items."""
