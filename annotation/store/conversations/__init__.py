"""Conversations outside decisions: messages of curators, and discussions of items."""
