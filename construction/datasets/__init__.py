"""Source datasets in a run: the step `dataset`, its index, checks and surveys of datasets, and the reader of EMU."""
