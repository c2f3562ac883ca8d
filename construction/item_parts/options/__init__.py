"""Options of items: the right one among wrong ones, which candidates become items, pairs of pictures, modes."""
