"""Plots of a report, as SVG."""
