"""Entry for workers from Prolific and Mechanical Turk, and their exit with a completion code."""
