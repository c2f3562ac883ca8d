"""Models that filters query: endpoints, image classifiers, folders of weights."""
