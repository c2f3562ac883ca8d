"""Files in and out: tables of tasks and decisions, whole exports, decisions against verdicts."""
