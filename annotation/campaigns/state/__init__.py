"""Campaigns in which annotators state facts about pictures, with a model's drafts."""
