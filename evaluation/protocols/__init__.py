"""Protocols: named settings that turn items into questions, and replies into verdicts; the papers' words for both."""
