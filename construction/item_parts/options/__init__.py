"""Options of items: the right one among wrong ones, the selection of candidates, pairs of pictures, modes."""
