"""Layouts of published benchmarks, a file each: how an entry of that form becomes plain rows."""
