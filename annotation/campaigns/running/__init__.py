"""Code shared by all campaigns: opening, rounds, sending back, verdicts, results, and drafts next to tasks."""
