"""Code shared by all campaigns: opening, rounds, sending items back, verdicts, results, and drafts next to tasks."""
