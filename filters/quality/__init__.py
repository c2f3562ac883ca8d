"""Measures of a picture's quality: size, shape, content, sharpness, light, color, compression and frame."""
