"""Editors: inpainting and instruction models of diffusers, and compositing and effects that need no weights."""
