"""Models that filters ask: endpoints, image classifiers, folders of weights."""
