"""What a report shows of a release and its results, as values that templates and plots take."""
