"""Facts that people stated about photographs, and readers of datasets."""
