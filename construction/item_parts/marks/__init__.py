"""Marks on pictures: points and boxes, where there is room for them, and views in which their places tell nothing."""
