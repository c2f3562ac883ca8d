"""Marking on pictures in the browser: points, boxes, polygons, masks and correspondences over the viewer's panes.

Regions are drawn over the viewer's panes, so drawing also uses the viewer's zoom, full-resolution tiles and pairs.
Lines and handles are SVG in the size of the stage. Masks are runs of cells per column at the picture's full resolution,
drawn on a canvas at the screen's resolution.
"""

from pathlib import Path

_FOLDER = Path(__file__).parent
SCRIPTS = tuple(
    _FOLDER / name
    for name in (
        "mask_columns.js", "shapes.js", "mark_history.js", "ink.js", "loupe.js", "overlay.js", "gestures.js",
        "mark_hints.js", "mark_pointer.js", "mark_keys.js", "mark_tools.js", "region_field.js", "others_marks.js",
        "mark_helpers.js", "mark_presses.js", "marking.js",
    )
)  # fmt: skip
"""The workbench's scripts for drawing, to load after those of the viewer and the card."""
STYLE = _FOLDER / "marking.css"

__all__ = ["SCRIPTS", "STYLE"]
