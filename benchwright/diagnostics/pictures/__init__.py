"""Measures of a single picture: size, sharpness, light, color, compression."""
