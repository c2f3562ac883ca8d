"""Metrics: figures computed from judged predictions. `papers` has formulas on plain rows, `release` has those on
releases.
"""
