"""What a natural image shows and where: a caption with boxes, the main subject, its attributes."""
