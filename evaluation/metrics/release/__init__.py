"""Metrics of releases: from counted rows (`evaluation.results.metric_rows`) to named estimates.

Each metric gives figures only for releases that meet its requirements, which its docstring states.
"""
