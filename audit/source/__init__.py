"""What an audit reads: the items of a source with their splits, pictures and replies."""
