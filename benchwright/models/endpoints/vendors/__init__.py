"""Differences between vendors: APIs, clients, request bodies, refusals, streams."""
