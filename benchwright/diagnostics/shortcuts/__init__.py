"""Cues by which items can be answered without doing their task: rules, solvers, a learned probe, letters."""
