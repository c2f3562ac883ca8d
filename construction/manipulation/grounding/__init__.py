"""Grounding of a natural image: a caption with boxes, the main subject and its attributes."""
