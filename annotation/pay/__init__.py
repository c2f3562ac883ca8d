"""Annotators' pay: hours measured from their acts, and the table of an invoice."""
