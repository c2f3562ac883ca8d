"""Copies of pictures: hashes, candidate pairs, their verification, search in other collections."""
