"""The papers' studies: models under several conditions on the same items, with costs and effects."""
