"""Campaigns in which annotators state facts about pictures, with drafts of a model."""
