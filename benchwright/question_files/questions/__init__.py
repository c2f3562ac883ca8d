"""A question from a file, with its options, key and pictures: the common record of all readers."""
