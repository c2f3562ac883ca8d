"""Images and items as tiles, with or without boxes to select them."""
