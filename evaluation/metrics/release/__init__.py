"""Metrics of releases, which turn counted rows (`evaluation.results.metric_rows`) into named estimates.

Each metric gives figures only for releases that meet its requirements, which its docstring states.
"""
