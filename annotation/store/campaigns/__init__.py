"""Campaigns, their tasks, and the decisions on them."""
