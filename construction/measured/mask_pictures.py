"""Masks next to photographs: the boxes and counts of the objects in them.

A black-and-white mask shows one object; its folder names the object (`masks/mug/cup.png`), or `label` does. In a mask
with several values, each value may be an object or a class, which the picture itself does not reveal. `masks.toml`
therefore states it:

    values = "instances"                # each number above 0 is one object
    labels = {1 = "mug", 2 = "dog"}     # names of the numbers; or label = "mug" for all of them
    divisor = 1000                      # labels name the number divided by this: 1003 is an object of label 1
    ignore = [255]                      # numbers of no object; 0 always is

    values = "classes"                  # each number is a class: touching objects of it are one area
    apart = true                        # no two objects of one class touch, and none is covered in the middle

Only objects that a mask separates are counted: those of `instances`, and those of `classes` that are apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from benchwright.source_files.rows import BadRow

from ..ground_truth.truths import MARKED_BY, CountQuestion, GroundTruth, LabelledBox, LabelledBoxes
from ..item_parts.wording.english_words import count_question, without_article
from .map_files import BAD_MAP, NOT_KNOWN, MapFile, one_channel, stated_about

_MOST_THINGS = 1000
_SPECK = 1e-3
"""Fraction of a black-and-white mask up to which a second area counts as a drawing error."""

_Area = NDArray[np.bool_]
Box = tuple[float, float, float, float]


class MaskStatement(BaseModel):
    """The content of `masks.toml`, which this module's docstring explains."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    values: Literal["instances", "classes"] | None = None
    label: str | None = Field(None, min_length=1, max_length=200)
    labels: dict[str, str] = {}
    divisor: int = Field(1, ge=1)
    ignore: tuple[int, ...] = ()
    apart: bool = False


class Thing(NamedTuple):
    """An object in a mask: its label, its box in pixels, and whether every object with that label has a box."""

    label: str
    box: Box
    is_counted: bool


def things_in(root: Path, entry: MapFile) -> tuple[list[Thing], tuple[int, int]]:
    """Return the objects in one mask, and the size of the mask.

    Raises:
        BadRow: The mask cannot be read, or the meaning of its areas is unknown.
    """
    statement = stated_about(root, entry.path, "masks", MaskStatement)
    if not entry.path.lower().endswith(".png"):
        raise BadRow("a mask is a PNG with one channel", BAD_MAP)
    numbers = one_channel(root / entry.path, palette=True)
    size_wh = (numbers.shape[1], numbers.shape[0])
    levels = np.unique(numbers)
    if len(levels) > _MOST_THINGS:
        raise BadRow(f"it has {len(levels)} different values, like a photograph", BAD_MAP)
    levels = levels[~np.isin(levels, [0, *statement.ignore])]
    if not len(levels):
        raise BadRow("it is empty", BAD_MAP)
    if statement.values == "classes":
        return list(_of_classes(numbers, levels.tolist(), statement, entry)), size_wh
    if statement.values == "instances":
        things = [
            Thing(_label(level, statement, entry), _around(_parts(numbers == level)), is_counted=True)
            for level in levels.tolist()
        ]
        return things, size_wh
    if len(levels) > 1 or levels[0] not in (1, 255):
        raise BadRow(
            f"it has the numbers {', '.join(map(str, levels[:5].tolist()))}, and it is unknown whether these are "
            'things or classes; state it in masks.toml beside the masks, as values = "instances" or values = "classes"',
            NOT_KNOWN,
        )
    parts = _parts(numbers == levels[0])
    sizes = sorted((size for _, size in parts), reverse=True)
    if len(sizes) > 1 and sizes[1] > _SPECK * sizes[0]:
        raise BadRow(
            f"it has {len(sizes)} separate areas, which may be things or parts of one; state in masks.toml "
            'values = "instances" if each mask is of one thing, or values = "classes" and apart = true',
            NOT_KNOWN,
        )
    return [Thing(_label(int(levels[0]), statement, entry), _around(parts), is_counted=False)], size_wh


def mask_truths(things: Sequence[Thing], path: str) -> tuple[GroundTruth, ...]:
    """Return the boxes of a photograph's objects, and the count of each label whose objects all have a box.

    Args:
        things: Objects of all masks of the photograph.
        path: Path of the first of these masks.
    """
    boxes = LabelledBoxes(
        boxes=tuple(LabelledBox(label=thing.label, box=thing.box) for thing in things),
        is_federated=any(not thing.is_counted for thing in things),
        original={"mask": path},
    )
    uncounted = {thing.label for thing in things if not thing.is_counted}
    numbers = Counter(without_article(thing.label) for thing in things if thing.label not in uncounted)
    original: dict[str, Any] = {MARKED_BY: path}
    return (
        boxes,
        *(
            CountQuestion(question=count_question(label), count=number, original=original)
            for label, number in sorted(numbers.items())
        ),
    )


def _of_classes(
    numbers: NDArray[Any], levels: Sequence[int], statement: MaskStatement, entry: MapFile
) -> Iterator[Thing]:
    if not statement.apart:
        raise BadRow(
            "its numbers are classes, so things of one class that touch are one area, and it is unknown where one "
            "ends; state apart = true in masks.toml if none touch",
            NOT_KNOWN,
        )
    for level in levels:
        label = _label(level, statement, entry)
        yield from (Thing(label, box, is_counted=True) for box, _ in _parts(numbers == level))


def _label(level: int, statement: MaskStatement, entry: MapFile) -> str:
    label = statement.labels.get(str(level // statement.divisor), statement.label or entry.label)
    if label is None:
        raise BadRow(
            f"it is unknown what {level} is; put the mask into a folder of that name, such as masks/mug/, or state "
            "`label` or `labels` in masks.toml",
            NOT_KNOWN,
        )
    return without_article(label.replace("_", " "))


def _around(parts: Sequence[tuple[Box, int]]) -> Box:
    x0, y0, x1, y1 = zip(*(box for box, _ in parts), strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def _parts(area: _Area) -> list[tuple[Box, int]]:
    """Return the box and the number of pixels of each connected part, treating pixels that touch at a corner as
    connected.
    """
    from scipy import ndimage

    labelled, count = ndimage.label(area, structure=np.ones((3, 3)))
    if count > _MOST_THINGS:
        raise BadRow(f"it has {count} separate areas; the limit is {_MOST_THINGS}", BAD_MAP)
    sizes = np.bincount(labelled.ravel(), minlength=count + 1)[1:].tolist()
    return [
        ((float(across.start), float(down.start), float(across.stop), float(down.stop)), size)
        for (down, across), size in zip(ndimage.find_objects(labelled), sizes, strict=True)
    ]
