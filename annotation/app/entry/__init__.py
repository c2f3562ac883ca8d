"""How workers of Prolific and Mechanical Turk come in, and how they leave with a code."""
