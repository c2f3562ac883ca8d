"""Masks of what an idea speaks of: by rectangle, GrabCut, `segment_anything`, or SAM of transformers."""
