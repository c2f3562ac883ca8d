"""Rights in released pictures: limits on redistribution, fetching, and withdrawal."""
