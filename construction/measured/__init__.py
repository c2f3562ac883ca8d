"""Measurements of your own photographs, in files next to them: depth maps, masks, camera poses."""
