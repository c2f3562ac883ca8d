"""The human-readable description of a release: its card, data sheet, citation, and picture sources."""
