"""Facts about photographs that replace a model for ideas: the key `pairs` of a picture in a facts file.

`seen` states what the main subject does and is; `suggests` states what the picture's background suggests about a
subject in front of it. `backgrounds`, `swaps` and `looks` list changes that a person has viewed and found convincing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from .idea_categories import CATEGORIES, HIGH
from .schema import Name, Stated, Text

Seen = Literal[
    "behaviour", "role", "identity", "emotion", "scenario", "object", "movement", "content", "group", "attire",
    "character", "features", "figure", "gesture", "expression", "style",
]  # fmt: skip
High = Literal["behaviour", "role", "identity", "emotion", "scenario"]
OnBackground = Literal["B1", "R1", "S1"]
Swapped = Literal["B2", "B3", "B4", "R2", "R3", "I1", "I2", "E1"]
Color = Literal["red", "orange", "yellow", "green", "blue", "purple", "pink"]
Effect = Literal["cartoon", "pencil_sketch", "sepia", "night", "oil_painting", "poster"]

assert get_args(High) == tuple(perception.name for perception in HIGH)

# Texts of items, which keep their spelling. phrase: allowed
LOOKS: Mapping[Effect, str] = {
    "cartoon": "a cartoon",
    "pencil_sketch": "a pencil sketch",
    "sepia": "a brownish print of long ago",
    "night": "a picture taken at night",
    "oil_painting": "an oil painting",
    "poster": "a poster in a few flat colours",
}
"""Alterations of a whole picture that need no model, with the resulting look."""


class ShownValue(Stated):
    """A value that a manipulated image shows or suggests."""

    value: Text
    ask: Text | None = None
    """A yes/no question about the value, with `{subject}` for the main subject; if None, the category's question."""
    tempting: tuple[Text, ...] = ()
    """Incorrect values that the low-level clues suggest."""
    others: tuple[Text, ...] = ()
    """Values that suit neither image."""


class StatedSwap(Stated):
    """An object in this picture that is replaced by another object or a whole picture, or that gets another color."""

    category: Swapped
    target: Name
    """A subject of this picture."""
    by: str | None = None
    """Another picture of this file, by its key; None if the target gets another color."""
    color: Color | None = None
    """The target's new color, instead of `by`."""
    aspect: Text | None = None
    """Topic of the high-level question, such as `what the badge stands for`; the category's aspect if None."""
    of: Name | None = None
    """A subject of the other picture; None for the whole picture."""
    low: ShownValue
    high: ShownValue | None = None
    """What the change suggests; None asks about the low level only."""
    low_natural: ShownValue | None = None
    """The target's current value; the value in `seen` if None."""
    high_natural: ShownValue | None = None
    caption: Text
    """Caption of the manipulated image."""


class PairFacts(Stated):
    """All facts that ideas for one picture use."""

    caption: Text
    subject: Name
    """Name of the main subject, which is among the picture's `subjects`."""
    people: Annotated[int, Field(ge=0)] = 0
    stands: bool = True
    """Whether the main subject needs ground under it in front of a new background of S1 or R1; false if it flies, swims
    or hangs."""
    ground: Annotated[float, Field(ge=0, lt=1)] | None = None
    """Row, as a fraction of the height, below which the picture's own background shows ground to stand on; None if it
    shows none."""
    seen: Mapping[Seen, Text] = {}
    suggests: Mapping[High, ShownValue] = {}
    backgrounds: Mapping[OnBackground, tuple[str, ...]] = {}
    """By category: other pictures of this file whose background replaces that of the picture."""
    swaps: tuple[StatedSwap, ...] = ()
    looks: Mapping[Effect, ShownValue | None] = {}
    """By alteration: the scenario that it suggests, if viewers would agree on one scenario."""


def mistakes(
    pictures: Mapping[str, Any], key: str, names: Collection[str]
) -> Iterator[tuple[tuple[str | int, ...], object, str]]:
    """Yield (location below `pairs`, value, explanation) for unknown names and missing facts.

    Args:
        pictures: All readable pictures of the facts file, by key.
        key: Key of the picture.
        names: All keys of the file.
    """
    picture = pictures[key]
    facts: PairFacts = picture.pairs
    known = {subject.name: subject for subject in picture.subjects}
    if facts.subject not in known:
        yield ("subject",), facts.subject, f"not a subject of this picture ({', '.join(sorted(known)) or 'none'})"
    for category, other_backgrounds in facts.backgrounds.items():
        yield from _background_mistakes(pictures, key, names, category, other_backgrounds)
    for number, swap in enumerate(facts.swaps):
        yield from (
            (("swaps", number, *place), value, why) for place, value, why in _swap_mistakes(pictures, key, names, swap)
        )
    if any(facts.looks.values()) and "scenario" not in facts.seen:
        yield ("looks",), sorted(facts.looks), "state the scenario of the natural picture under `seen` as well"


def _background_mistakes(
    pictures: Mapping[str, Any],
    key: str,
    names: Collection[str],
    category: OnBackground,
    backgrounds: tuple[str, ...],
) -> Iterator[tuple[tuple[str | int, ...], object, str]]:
    picture, high = pictures[key], CATEGORIES[category].high.name
    if picture.background is None or high not in picture.pairs.seen:
        why = f"state the picture's own background, and its {high} under `seen`, to ask for them"
        yield ("backgrounds", category), list(backgrounds), why
    for number, other_picture in enumerate(backgrounds):
        place = ("backgrounds", category, number)
        if other_picture not in names or other_picture == key:
            yield place, other_picture, f"not the key of another picture of this file ({', '.join(sorted(names))})"
        elif other_picture not in pictures:
            continue  # its mistakes are reported elsewhere
        elif pictures[other_picture].background is None or high not in suggested(pictures[other_picture]):
            yield place, other_picture, f"that picture states no background, or does not state which {high} it suggests"


def suggested(picture: Any) -> Mapping[High, ShownValue]:
    """Return what a picture's background suggests, for each perception, about a subject in front of it."""
    return picture.pairs.suggests if picture.pairs is not None else {}


def _swap_mistakes(
    pictures: Mapping[str, Any], key: str, names: Collection[str], swap: StatedSwap
) -> Iterator[tuple[tuple[str | int, ...], object, str]]:
    category = CATEGORIES[swap.category]
    if swap.target not in _names(pictures[key]):
        yield ("target",), swap.target, "not a subject of this picture"
    if (swap.by is None) == (swap.color is None):
        yield (
            ("by",),
            swap.by,
            "state either `by`, another picture that lends pixels, or `color`, the target's new color",
        )
    elif swap.by is None:
        pass
    elif swap.by not in names or swap.by == key:
        yield ("by",), swap.by, f"not the key of another picture of this file ({', '.join(sorted(names))})"
    elif (
        swap.by in pictures
        and swap.of is not None
        and swap.of not in {subject.name for subject in pictures[swap.by].subjects}
    ):
        yield ("of",), swap.of, "not a subject of that picture"
    seen = pictures[key].pairs.seen
    asked = [(swap.low_natural, category.low)]
    asked += [] if swap.high is None else [(swap.high_natural, category.high)]
    for natural, perception in asked:
        if natural is None and perception.name not in seen:
            yield ("category",), swap.category, f"state the {perception.name} of the natural picture under `seen`"


def _names(picture: Any) -> set[str]:
    return {subject.name for subject in picture.subjects}
