"""The grid of items as pictures, of which some can be selected."""
