"""Tokens of the HTTP API, webhooks, and entries of crowd workers, as the review store keeps them."""
