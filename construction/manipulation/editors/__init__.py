"""Editors: inpainting and instruction models of diffusers, plus compositing and effects without weights."""
