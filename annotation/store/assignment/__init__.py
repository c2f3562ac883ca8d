"""Handing tasks out: who may get which, which comes next, and the statements that take a place."""
