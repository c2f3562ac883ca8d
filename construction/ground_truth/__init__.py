"""Ground truth that source datasets and people state about pictures, in one form for all tasks."""
