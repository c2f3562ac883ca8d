"""Item response models of stored replies, subsets of items, and full scores estimated from subsets."""
