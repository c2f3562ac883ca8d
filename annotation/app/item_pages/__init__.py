"""The curator's pages about items: the list of all items with acts on many at once, and one item in full."""
