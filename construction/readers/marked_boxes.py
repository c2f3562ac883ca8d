"""Boxes read from a picture's marks, some of which may be invalid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchwright.regions.formats.picture_marks import PictureMarks, RefusedMark
from benchwright.source_files.refusals import RefusedRow
from benchwright.texts.normalization import counted

from ..ground_truth.truths import LabelledBox, LabelledBoxes

BAD_ANNOTATION = "bad_annotation"


def boxes_of_marks(
    marks: PictureMarks, *, is_federated: bool = False, absent: Iterable[str] = (), incomplete: Iterable[str] = ()
) -> LabelledBoxes:
    """Return the boxes of a picture, leaving out its invalid marks.

    If a mark with some label is wrong, not every object with that label has a box. If the label of a wrong mark is also
    unknown, it may be any label: then no box is certain to be the only one of its label, and objects with other labels
    may be present.

    Args:
        marks: The marks.
        is_federated: Whether objects whose label has no box may nevertheless be present.
        absent: Labels of objects known to be absent.
        incomplete: Labels that the file declares incomplete: not every object has a box.
    """
    boxes = []
    for region in marks.regions:
        if region.label:
            (x0, y0), (x1, y1) = region.points
            boxes.append(LabelledBox(label=region.label, box=(x0, y0, x1, y1)))
    hidden = {mark.label for mark in marks.wrong} | {None for region in marks.regions if not region.label}
    unsure = {label for label in hidden if label is not None}
    if None in hidden:
        unsure |= {box.label for box in boxes}
    return LabelledBoxes(
        boxes=tuple(boxes),
        is_federated=is_federated or None in hidden,
        absent=tuple(sorted(set(absent) - unsure)),
        incomplete=tuple(sorted({*incomplete, *unsure})),
    )


def rows_of_marks(marks: PictureMarks) -> int:
    """Return the number of a picture's usable marks: boxes, and crowds, which make their labels incomplete."""
    crowds = sum(mark.code == "crowd" for mark in marks.refused)
    return sum(bool(region.label) for region in marks.regions) + crowds


def refused_mark(mark: RefusedMark, path: str) -> RefusedRow:
    """Return the refusal of an entry in the file that belongs to no picture; a category does not count as a row.

    Args:
        mark: The fault of the entry.
        path: Path of the file.
    """
    return RefusedRow(path, mark.entry, BAD_ANNOTATION, mark.reason, 0 if mark.entry.startswith("category") else 1)


def refused_marks(marks: PictureMarks, path: str) -> Iterator[RefusedRow]:
    """Yield a refusal for each fault in a picture's marks; a crowd is not a fault.

    Args:
        marks: The marks.
        path: Path of their file.
    """
    for mark in marks.wrong:
        yield RefusedRow(path, mark.entry, BAD_ANNOTATION, mark.reason)
    if unnamed := sum(not region.label for region in marks.regions):
        yield RefusedRow(
            path,
            f"image {marks.name}",
            BAD_ANNOTATION,
            f"{counted(unnamed, 'box has', 'boxes have')} no label",
            unnamed,
        )
