"""Progress of campaigns and outcomes of their tasks: counts for curators."""
