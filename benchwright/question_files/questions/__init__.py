"""A question from a file, with its options, key and pictures: the record that all readers share."""
