"""What a release says of itself to people: its card, data sheet, citation, and the sources of its pictures."""
