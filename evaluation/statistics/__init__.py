"""Statistics that scores rest on: intervals of proportions, resampling of clusters, samples in proportion."""
