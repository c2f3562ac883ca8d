"""Writing of a release: items may come in any order, and the bytes of the folder depend only on its content."""
