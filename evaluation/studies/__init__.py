"""The papers' studies: models under several conditions on the same items, what that costs and what it changes."""
