"""Models that filters query: models behind endpoints, image classifiers, folders of weights."""
