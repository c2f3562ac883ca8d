"""The curators' steering pages, with our own routes: try rules and thresholds."""
