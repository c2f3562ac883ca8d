"""Statements by source datasets and people about pictures, in one form for all tasks."""
