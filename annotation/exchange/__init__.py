"""Import and export: tables of tasks and decisions, full exports, and overrides of verdicts."""
