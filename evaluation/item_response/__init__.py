"""Item response models of stored replies, subsets of items, and whole scores estimated from them."""
