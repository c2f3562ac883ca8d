"""Models of the manipulation steps: weights found and hashed, replies of a stated shape."""
