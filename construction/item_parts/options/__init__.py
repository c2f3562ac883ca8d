"""Options of items: placement of the right option among wrong ones, selection of candidates, pairs of
pictures, modes.
"""
