"""Where vendors differ: APIs, clients, request bodies, refusals, streams."""
