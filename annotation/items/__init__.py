"""The items of a workspace for curators: an index of all of them, search in it, one item in full, and acts on items."""
