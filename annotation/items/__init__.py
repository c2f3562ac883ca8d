"""A workspace's items for curators: an index of all items, search, the history of one item, and acts on items."""
