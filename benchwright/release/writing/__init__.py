"""Writing of a release: items may be given in any order, and the bytes of the folder depend only on its content."""
