"""Tokens for the HTTP API, webhooks, and entries for crowd workers, as kept in the review store."""
