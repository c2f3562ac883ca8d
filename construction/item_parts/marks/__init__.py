"""Marks on pictures: points and boxes, the room for them, and views in which their places reveal nothing."""
