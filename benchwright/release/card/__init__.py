"""The human-readable description of a release: card, data sheet, citation, and the sources of its pictures."""
