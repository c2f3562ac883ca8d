"""A question as a file asks it, with its options, key and pictures: the one carrier of all readers."""
