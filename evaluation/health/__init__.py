"""The health of a benchmark according to stored results: ceiling, discrimination, keys and contamination."""
