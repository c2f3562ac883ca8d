"""Vision programs for a task or a few, classical and learned, that are scored like models."""
