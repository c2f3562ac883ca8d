"""The curator's page of the run: how far it is, what comes next, and commands that are started from it."""
