"""Shared parts of all campaigns: opening, rounds, sending back, verdicts, results, drafts next to tasks."""
