"""The curator's pages about items: the list of all items, with actions on many at once, and the page of one item."""
