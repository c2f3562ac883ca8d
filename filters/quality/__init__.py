"""How good a picture is, measured: size, shape, content, sharpness, light, color, compression, frame."""
