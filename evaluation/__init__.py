"""Models asked and scored: prompts, backends, the reader of answers, metrics, statistics, results."""
