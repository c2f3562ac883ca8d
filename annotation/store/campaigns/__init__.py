"""Campaigns, their tasks, and what was decided on them."""
