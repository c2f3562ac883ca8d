"""Import and export: tables of tasks and decisions, whole exports, overrides of verdicts."""
