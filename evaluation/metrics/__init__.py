"""Metrics: figures of judged predictions. `papers` counts plain rows, `release` the rows of a release."""
