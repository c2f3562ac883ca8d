"""The curators' steering pages: try rules and thresholds."""
