"""What the construction room brings, by name."""

from __future__ import annotations

from benchwright.rooms import Entry, Room

_HERE = "benchwright.construction"

ROOM = Room(
    name="construction",
    steps={
        "jigsaw": Entry(f"{_HERE}.jigsaw:Jigsaw", "Make items: which of two pieces fills a picture's missing corner?"),
        "visual_correspondence": Entry(
            f"{_HERE}.visual_correspondence:VisualCorrespondence",
            "Make items: which of four points in a second view is the one marked in the first?",
        ),
    },
)
