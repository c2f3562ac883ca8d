"""The Ray engine, which runs the same jobs as the local engine on a cluster."""
