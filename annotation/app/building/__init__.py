"""The curator's page of the run: its progress, the next step, and commands to start."""
