"""Steps that keep, drop or ask about images and items."""
