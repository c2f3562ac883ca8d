"""Metrics of our own releases: from counted rows (`evaluation.results.metric_rows`) to named estimates.

Each metric gives figures only for releases that have what it needs, and its docstring says what that is.
"""
