"""Subjects from annotators' marks: boxes, outlines and points with labels.

A box with a label is a subject. A polygon or a mask with a label is also a subject, with its bounds as the box. A
polygon or a mask with the label of a box is the outline of that box's subject. Points in fields named `inside` and
`outside` belong to the subject with their label and help to cut it out. All other regions serve other purposes and
define no subject.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from benchwright.records import MaskRuns
from benchwright.regions import Region, mask_of_outline

from .picture_facts import CutOut, Subject
from .schema import Box, Point
from .statements import PictureRegions, StatedSubject

HINTS = "inside", "outside"
"""Fields whose points mark the inside and the outside of a subject."""
_ARTICLES = ("the", "a", "an")
_MAX_NAME = 60
_MAX_PHRASE = 600


class MarkedSubject(NamedTuple):
    """A subject that annotators marked.

    Args:
        name: Name as in a facts file: the label, with a number if several subjects have it.
        label: The label.
        box: x0, y0, x1, y1 in pixels of the upright picture.
        mask: The subject's outline; None if only a box is marked.
        inside: Points that definitely belong to the subject.
        outside: Points that definitely do not belong to it.
        is_one_of_several: Whether other subjects of the picture have the same label.
    """

    name: str
    label: str
    box: Box
    mask: MaskRuns | None = None
    inside: tuple[Point, ...] = ()
    outside: tuple[Point, ...] = ()
    is_one_of_several: bool = False


def _name_of(label: str) -> str:
    """Return a label as a name in facts files: lowercase letters, digits and underscores, beginning with a letter.

    If a label has no Latin letters, the name is a digest of the label.

    Example:
        >>> name_of("Name tag"), name_of("2nd cup"), name_of("Überraschung")
        ('name_tag', 'n_2nd_cup', 'uberraschung')
    """
    plain = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    if not re.search("[a-z0-9]", name):
        return "n_" + hashlib.sha256(label.encode()).hexdigest()[:10]
    return (name if name[0].isalpha() else f"n_{name}")[:_MAX_NAME].rstrip("_")


def _phrase_of(label: str) -> str:
    """Return the phrase for a label in a question: with `the` in front, unless it begins with an article.

    Example:
        >>> phrase_of("name_tag"), phrase_of("a blue cup")
        ('the name tag', 'a blue cup')
    """
    words = " ".join(label.replace("_", " ").split())
    return (words if words.split(" ")[0].lower() in _ARTICLES else f"the {words}")[:_MAX_PHRASE].rstrip()


def marked_subjects(pictures: Iterable[PictureRegions]) -> tuple[list[MarkedSubject], dict[str, str]]:
    """Return the marked subjects of one picture, in the order of their marks, and the omitted labels with the reasons.

    Args:
        pictures: Each campaign's marks on the picture.
    """
    boxes: dict[str, list[Box]] = defaultdict(list)
    outlines: dict[str, list[tuple[Box, MaskRuns | None]]] = defaultdict(list)
    points: dict[str, dict[str, list[Point]]] = defaultdict(lambda: defaultdict(list))
    labels: dict[str, str] = {}
    for picture in pictures:
        for field, region in picture.regions:
            label = region.label.strip() or field
            name = _name_of(label)
            if region.shape == "box":
                boxes[name].append(region.bounds)
            elif region.shape in ("polygon", "mask"):
                outlines[name].append((region.bounds, _outline(region, picture.size_wh)))
            elif region.shape in ("point", "points") and field in HINTS:
                points[name][field] += region.points
                continue
            else:
                continue
            labels.setdefault(name, label)
    subjects = [
        subject
        for name, label in labels.items()
        for subject in _of_one_label(name, label, boxes[name], outlines[name], points.pop(name, {}))
    ]
    return subjects, dict.fromkeys(points, "points of an unmarked subject")


def _outline(region: Region, size_wh: tuple[int, int]) -> MaskRuns | None:
    return region.mask if region.mask is not None else mask_of_outline(region.points, size_wh)


def _of_one_label(
    name: str,
    label: str,
    boxes: Sequence[Box],
    outlines: Sequence[tuple[Box, MaskRuns | None]],
    points: Mapping[str, Sequence[Point]],
) -> list[MarkedSubject]:
    """Return the subjects with one label: each box with its best-fitting outline, then the outlines without a box.

    A point inside belongs to the first subject whose box contains it, or else to the first subject. A point outside
    belongs to every subject.
    """
    free = list(range(len(outlines)))
    places: list[tuple[Box, MaskRuns | None]] = []
    for box in boxes:
        fitting = max(free, key=lambda number: _overlap(box, outlines[number][0]), default=None)
        if fitting is not None and _overlap(box, outlines[fitting][0]) > 0:
            free.remove(fitting)
            places.append((box, outlines[fitting][1]))
        else:
            places.append((box, None))
    places += [outlines[number] for number in free]
    inside: list[list[Point]] = [[] for _ in places]
    for x, y in points.get("inside", ()):
        holds = (n for n, ((x0, y0, x1, y1), _) in enumerate(places) if x0 <= x <= x1 and y0 <= y <= y1)
        inside[next(holds, 0)].append((x, y))
    return [
        MarkedSubject(
            name=name if number == 0 else f"{name[: _MAX_NAME - 4]}_{number + 1}",
            label=label,
            box=box,
            mask=mask,
            inside=tuple(inside[number]),
            outside=tuple(points.get("outside", ())),
            is_one_of_several=len(places) > 1,
        )
        for number, (box, mask) in enumerate(places)
    ]


def _overlap(box: Box, other: Box) -> float:
    """Return the intersection over union of two boxes."""
    across = min(box[2], other[2]) - max(box[0], other[0])
    down = min(box[3], other[3]) - max(box[1], other[1])
    if across <= 0 or down <= 0:
        return 0.0
    areas = [(x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in (box, other)]
    return across * down / (sum(areas) - across * down)


def in_words(
    marked: MarkedSubject, stated: StatedSubject | None, filed: Subject | None, onto: tuple[str, ...]
) -> Subject | None:
    """Return a marked subject with its phrase; None if it is one of several and no statement identifies it.

    Args:
        marked: The subject as marked.
        stated: Annotators' statement under the name; takes precedence over the file.
        filed: The subject of that name in a facts file; its points and mask are used if annotators marked none.
        onto: Pictures in front of which the subject is placed.
    """
    words = stated or filed
    if words is None and marked.is_one_of_several:
        return None
    cut_out: CutOut | None = CutOut(inside=marked.inside, outside=marked.outside, mask=marked.mask, onto=onto)
    if cut_out == CutOut(onto=onto) and filed is not None and filed.cut_out is not None:
        cut_out = filed.cut_out.model_copy(update={"onto": onto})
    if cut_out == CutOut():
        cut_out = None
    phrase = words.phrase if words is not None else _phrase_of(marked.label)
    return Subject(name=marked.name, phrase=phrase, box=marked.box, cut_out=cut_out)
