"""Progress of campaigns and outcomes of their tasks, as counts for curators."""
