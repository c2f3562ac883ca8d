"""Words of items: spelling, grammar, and faults of single texts."""
