"""Metrics: figures from judged predictions. `papers` has formulas on plain rows, `release` those on releases."""
