"""Stages of a run: map, gather and final stages, campaigns, and the context of workers."""
