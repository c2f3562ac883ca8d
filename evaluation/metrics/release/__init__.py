"""Metrics of our own releases: from counted rows (`evaluation.results.metric_rows`) to named estimates.

Each gives figures only where the release has what they need, and says in its docstring what that is.
"""
