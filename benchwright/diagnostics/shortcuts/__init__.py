"""Cues by which solvers can answer items without doing their task: rules, solvers, a learned probe, letters."""
