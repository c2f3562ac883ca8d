"""Geometry of the marks of options: their positions and sizes, independent of the content under them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import hypot
from typing import NamedTuple

from benchwright.records import Item, VisualPrompt

from .picture_facts import PictureTraits

_EXTENDED = frozenset({"box", "mask", "polygon"})
"""Kinds of marks that have their own size."""

Place = tuple[float, float]
"""Position (x, y) as proportions, 0-1, of the picture's width and height."""


class OptionMarks(NamedTuple):
    """The marks of an item.

    Args:
        options: Mark of each option, in order; None for an option without a mark.
        reference: The mark that belongs to no option, if there is exactly one such mark.
    """

    options: tuple[VisualPrompt | None, ...]
    reference: VisualPrompt | None


def option_marks(item: Item) -> OptionMarks | None:
    """Return the mark of each option; None if fewer than two options have marks.

    An option's mark is the one whose label occurs as a word in its text ("Point A", "A is closer"). If no text names a
    label, it is the mark labeled with the option's letter. Among several marks with the same label, the last is used:
    options are in the last picture, references in earlier ones.
    """
    by_label: dict[str, VisualPrompt] = {}
    for image in item.images:
        by_label |= {prompt.label: prompt for prompt in image.prompts if prompt.label}
    named = [_named(choice.text, by_label) for choice in item.choices]
    if not any(named):
        named = [choice.key if choice.text is None and choice.key in by_label else None for choice in item.choices]
    used = [label for label in named if label is not None]
    if len(set(used)) < 2 or len(set(used)) < len(used):
        return None
    rest = [
        prompt for image in item.images for prompt in image.prompts if prompt.label is None or prompt.label not in used
    ]
    options = tuple(None if label is None else by_label[label] for label in named)
    return OptionMarks(options, rest[0] if len(rest) == 1 else None)


def _named(text: str | None, labels: Mapping[str, VisualPrompt]) -> str | None:
    """Return the label that a text names; None unless it names exactly one."""
    if text is None:
        return None
    named = [label for label in labels if re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text)]
    return named[0] if len(named) == 1 else None


def place_of(prompt: VisualPrompt, facts: PictureTraits) -> Place:
    """Return the center of a mark."""
    x0, y0, x1, y1 = _extent(prompt)
    return (x0 + x1) / 2 / facts.width, (y0 + y1) / 2 / facts.height


def _extent(prompt: VisualPrompt) -> tuple[float, float, float, float]:
    xs, ys = [x for x, _ in prompt.points], [y for _, y in prompt.points]
    return min(xs), min(ys), max(xs), max(ys)


def position_cues(places: Sequence[Place | None]) -> dict[str, list[float | None]]:
    """Return cues of the positions of options' marks, by name: one value per option, None for one without a mark."""
    present = [place for place in places if place is not None]
    return {
        "x": [place and place[0] for place in places],
        "y": [place and place[1] for place in places],
        "from_centre": [None if place is None else hypot(place[0] - 0.5, place[1] - 0.5) for place in places],
        "from_border": [None if place is None else min(*place, 1 - place[0], 1 - place[1]) for place in places],
        "from_nearest": [None if place is None else min(_distances(place, present)) for place in places],
        "from_others": [None if place is None else sum(_distances(place, present)) for place in places],
    }


def _distances(place: Place, places: Sequence[Place]) -> list[float]:
    """Return the distances to all other positions; positions are compared by identity because two may be equal."""
    return [hypot(place[0] - x, place[1] - y) for other in places if other is not place for x, y in (other,)]


def reference_cues(places: Sequence[Place | None], reference: Place) -> dict[str, list[float | None]]:
    """Return cues of the positions of options' marks relative to the reference's position in its own picture."""
    radius = hypot(reference[0] - 0.5, reference[1] - 0.5)
    return {
        "distance": [
            None if place is None else hypot(place[0] - reference[0], place[1] - reference[1]) for place in places
        ],
        "dx": [None if place is None else place[0] - reference[0] for place in places],
        "dy": [None if place is None else place[1] - reference[1] for place in places],
        "from_centre": [
            None if place is None else abs(hypot(place[0] - 0.5, place[1] - 0.5) - radius) for place in places
        ],
    }


def box_cues(
    prompts: Sequence[VisualPrompt | None], facts: Sequence[PictureTraits | None]
) -> dict[str, list[float | None]]:
    """Return cues of the sizes of options' boxes and outlines; all are None if a mark has no size."""
    sizes: list[tuple[float, float, float] | None] = []
    for prompt, of_picture in zip(prompts, facts, strict=True):
        if prompt is None or of_picture is None or prompt.kind not in _EXTENDED:
            sizes.append(None)
            continue
        x0, y0, x1, y1 = _extent(prompt)
        wide, high = (x1 - x0) / of_picture.width, (y1 - y0) / of_picture.height
        gap = min(x0 / of_picture.width, y0 / of_picture.height, 1 - x1 / of_picture.width, 1 - y1 / of_picture.height)
        sizes.append((wide, high, gap))
    return {
        "width": [size and size[0] for size in sizes],
        "height": [size and size[1] for size in sizes],
        "area": [size and size[0] * size[1] for size in sizes],
        "aspect": [size and size[0] / max(size[1], 1e-6) for size in sizes],
        "from_border": [size and max(0.0, size[2]) for size in sizes],
    }
