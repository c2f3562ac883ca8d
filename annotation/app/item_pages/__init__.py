"""The curator's pages about items: all of them with what is done to many at once, and one in full."""
