"""Metrics: what judged predictions come to. `papers` counts plain rows, `release` the rows of a release."""
