"""The `evaluate` commands."""
