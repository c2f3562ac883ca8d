"""Truths of one's own photographs that models estimate; people decide on the items made of them."""
