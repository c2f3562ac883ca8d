"""Words of items: spelling, grammar, faults of single texts."""
