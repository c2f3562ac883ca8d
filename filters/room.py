"""What the filters room brings, by name."""

from __future__ import annotations

from benchwright.rooms import Entry, Room

_HERE = "benchwright.filters"

ROOM = Room(
    name="filters",
    steps={
        "exact_duplicates": Entry(
            f"{_HERE}.exact_duplicates:ExactDuplicates", "Drop images whose upright pixels equal another's."
        ),
        "near_duplicates": Entry(
            f"{_HERE}.near_duplicates:NearDuplicates",
            "Drop copies of a picture that are not equal to the pixel; ask about the unsure.",
        ),
        "leakage": Entry(f"{_HERE}.leakage:Leakage", "Drop images that another collection holds too."),
        "text_ratio": Entry(f"{_HERE}.text_ratio:TextRatio", "Drop images of which text covers too large a share."),
    },
    commands={
        "filter duplicates": Entry(
            f"{_HERE}.commands:duplicates", "Find exact and near duplicates in a folder of images."
        ),
        "filter leakage": Entry(
            f"{_HERE}.leakage_commands:leakage", "Check that no picture of a release lies in two splits, or elsewhere."
        ),
        "filter hashes": Entry(
            f"{_HERE}.leakage_commands:hashes", "Write a hash list of a folder, to be checked against without pictures."
        ),
        "filter text-ratio": Entry(
            f"{_HERE}.text_commands:text_ratio", "Measure which share of each picture text covers."
        ),
    },
)
