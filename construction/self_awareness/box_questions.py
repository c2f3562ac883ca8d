"""Questions that boxes around objects answer: how many objects there are, which is present, and where one is relative
to another.

The authors of MM-SAP wrote 150 questions about pictures from COCO and Visual Genome by hand; these come from templates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..ground_truth.truths import BoxXYXY, LabelledBoxes, SizeWH
from .visual_information import VisualInformation

LISTED = "Which of these can be seen in the picture?"
_LEFT, _RIGHT, _ABOVE, _BELOW = "To the left", "To the right", "Above", "Below"
_SIDES = (_LEFT, _RIGHT, _ABOVE, _BELOW)
_MAX_COUNT = 9
_MIN_SIDE, _MIN_SHIFT, _STEEP = 0.03, 0.15, 2.0
_PLURALS: Mapping[str, str] = {
    "person": "people", "knife": "knives", "sheep": "sheep", "mouse": "mice", "wine glass": "wine glasses",
    "skis": "pairs of skis", "scissors": "pairs of scissors", "broccoli": "pieces of broccoli", "man": "men",
    "woman": "women", "child": "children", "goose": "geese", "fish": "fish", "leaf": "leaves", "shelf": "shelves",
}  # fmt: skip


class BoxQuestion(NamedTuple):
    """A question that boxes answer.

    Args:
        name: Name among the questions of its picture.
        kind: Kind of visual information.
        question: The question.
        right: The right option.
        wrong: Wrong options, if they are the same for all such questions; otherwise empty.
    """

    name: str
    kind: VisualInformation
    question: str
    right: str
    wrong: tuple[str, ...] = ()


def box_questions(boxes: LabelledBoxes, size_wh: SizeWH) -> Iterator[BoxQuestion]:
    """Yield the questions that the boxes of one picture answer with certainty.

    Objects are counted if each of them has a box and there are 1 to 9 of them. A question asks on which side of one
    object another one is if both are the only ones with their names, do not overlap along one axis, and have centers at
    least 15 % of the picture's side apart along it and at most half as far apart along the other axis. Objects smaller
    than 3 % of a side are not asked about.

    Args:
        boxes: The boxes.
        size_wh: Upright width and height of the picture, in pixels.
    """
    counts = Counter(labelled.label for labelled in boxes.boxes)
    seen = {labelled.label: labelled.box for labelled in boxes.boxes if _share(labelled.box, size_wh) >= _MIN_SIDE}
    if not boxes.is_federated:
        for label in sorted(seen):
            if label not in boxes.incomplete and counts[label] <= _MAX_COUNT:
                ask = f"How many {plural(label)} are in the picture?"
                yield BoxQuestion(f"count of {label}", "counting", ask, str(counts[label]))
        for label in sorted(seen):
            yield BoxQuestion(f"sight of {label}", "object", LISTED, _with_article(label))
    single = sorted(label for label in seen if counts[label] == 1 and label not in boxes.incomplete)
    for first in single:
        for second in single:
            if first != second and (side := _side(seen[first], seen[second], size_wh)) is not None:
                ask = f"In the picture, where is the {first} in relation to the {second}?"
                wrong = tuple(other for other in _SIDES if other != side)
                yield BoxQuestion(f"side of {first} from {second}", "position", ask, side, wrong)


def plural(noun: str) -> str:
    """Return the plural of an English noun, as needed for object names in datasets: `boxes`, `buses`, `people`."""
    if noun in _PLURALS:
        return _PLURALS[noun]
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def _with_article(noun: str) -> str:
    """Return a noun after its article; a plural, such as `scissors`, has none."""
    if noun.endswith("s") and not noun.endswith(("ss", "us")):
        return noun
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def _share(box: BoxXYXY, size_wh: SizeWH) -> float:
    """Return the smaller of two ratios: the box's width to the picture's width, and the box's height to the picture's
    height.
    """
    return min((box[2] - box[0]) / size_wh[0], (box[3] - box[1]) / size_wh[1])


def _side(of: BoxXYXY, seen_from: BoxXYXY, size_wh: SizeWH) -> str | None:
    """Return the side of one box on which another box lies, or None if that is ambiguous."""
    across = (of[0] + of[2] - seen_from[0] - seen_from[2]) / 2 / size_wh[0]
    down = (of[1] + of[3] - seen_from[1] - seen_from[3]) / 2 / size_wh[1]
    is_beside = of[0] >= seen_from[2] or seen_from[0] >= of[2]
    is_above_or_below = of[1] >= seen_from[3] or seen_from[1] >= of[3]
    if is_beside and abs(across) >= _MIN_SHIFT and abs(across) >= _STEEP * abs(down):
        return _LEFT if across < 0 else _RIGHT
    if is_above_or_below and abs(down) >= _MIN_SHIFT and abs(down) >= _STEEP * abs(across):
        return _ABOVE if down < 0 else _BELOW
    return None
