"""The Ray engine: the jobs of the local engine on a cluster."""
