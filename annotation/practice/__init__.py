"""Practice before the real work: items that Benchwright draws itself, with the right decision and the reason."""
