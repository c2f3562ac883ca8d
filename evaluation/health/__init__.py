"""The health of a benchmark according to its stored results: ceiling, discrimination, keys and contamination."""
