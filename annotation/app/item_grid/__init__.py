"""The grid of items as pictures, with boxes to select them."""
