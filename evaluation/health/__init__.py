"""The health of a benchmark: what its stored results say of ceiling, discrimination, keys and contamination."""
