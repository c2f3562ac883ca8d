"""What a curator can do with items and images, one or many: act, undo, assign, take back, and ask again."""
