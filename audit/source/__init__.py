"""The input of an audit: the items of a source with their splits, pictures and replies."""
