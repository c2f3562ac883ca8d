"""Marks on pictures: points and boxes, the space for them, and views in which their positions reveal nothing."""
