"""Engines: where jobs run, what happens when a worker dies, and nothing else."""
