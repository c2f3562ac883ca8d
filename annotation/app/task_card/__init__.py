"""The task card: the question with its options, and the controls for a decision on it."""
