"""Campaigns in which people state facts about pictures, with drafts of a model."""
