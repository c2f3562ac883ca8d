"""What is measured on a single picture: size, sharpness, light, color, compression."""
