"""Practice before real work: items that Benchwright draws itself, with the right decision and the reason why."""
