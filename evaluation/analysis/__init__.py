"""Analysis of results: differences between models, position bias, likely wrong keys, samples of errors."""
