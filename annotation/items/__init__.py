"""A workspace's items for curators: an index of all items, search, the history of an item, and actions on items."""
