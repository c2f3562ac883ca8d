"""What all campaigns share: opening, rounds, sending back, verdicts, results, drafts that lie beside tasks."""
