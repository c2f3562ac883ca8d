"""Contents of a report on a release and its results, as values for templates and plots."""
