"""Metrics: figures of judged predictions. `papers` has formulas on plain rows, `release` those of a release's rows."""
