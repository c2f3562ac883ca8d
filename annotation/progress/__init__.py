"""How far campaigns are, and what became of their tasks: counts for curators."""
