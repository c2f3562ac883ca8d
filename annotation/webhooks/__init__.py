"""Webhooks: signed events of campaigns, sent to addresses that a curator named until they arrive."""
