"""Marking on pictures in the browser: points, boxes, polygons, masks and correspondences over the viewer's panes.

Regions lie over the panes that the viewer has, so its zoom, its tiles of the picture's own pixels and its pairs serve
drawing too. Lines and handles are SVG of the stage's size; masks are stretches of cells per column at the picture's
own pixels, and ink on a canvas of the screen's.
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
"""Scripts of the workbench that draw, after those of the viewer and the card."""
STYLE = _FOLDER / "marking.css"

__all__ = ["SCRIPTS", "STYLE"]
