"""Statements of source datasets, and of people, about pictures, in one form for all tasks."""
