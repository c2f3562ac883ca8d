"""Cues by which solvers can answer items without doing the task: rules, solvers, a learned probe, letters."""
