"""Vision programs for one or a few tasks, both classical and learned, scored like models."""
