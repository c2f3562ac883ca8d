"""Drafts of questions about pictures, by a model or by templates, and attacks on them by a second model."""
