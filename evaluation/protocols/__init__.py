"""Protocols: named settings that turn items into questions and replies into verdicts, with the papers' wordings."""
