"""Contents of a report on a release and its results, as values that templates and plots take."""
