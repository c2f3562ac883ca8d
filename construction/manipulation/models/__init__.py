"""Models for the manipulation steps: finding and hashing weights, and getting replies of a given shape."""
