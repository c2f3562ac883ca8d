"""The papers' studies: models under several conditions on the same items, their cost and their effects."""
