"""Masks of the objects in an idea, by rectangle, GrabCut, `segment_anything`, or SAM of transformers."""
