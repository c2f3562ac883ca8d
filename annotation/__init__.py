"""Campaigns, rules, agreement, and the store of everything that people say."""
