"""Webhooks: events of campaigns, sent signed to addresses that a curator named, until they arrive."""
