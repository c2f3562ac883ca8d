"""Vision programs for one or a few tasks, classical and learned, scored like models."""
