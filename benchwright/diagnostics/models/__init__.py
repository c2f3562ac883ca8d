"""Models that filters query: models at endpoints, image classifiers, models in folders."""
