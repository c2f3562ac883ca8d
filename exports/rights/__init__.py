"""Rights to released pictures: restrictions on redistribution, fetching, and withdrawal."""
