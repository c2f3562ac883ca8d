"""Annotators' pay: hours measured from their actions, and a table for invoices."""
