"""Facts for ideas of one image, with the names of other pictures resolved to images of the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchwright.facts import (
    CATEGORIES,
    Color,
    Effect,
    OnBackground,
    PairFacts,
    Seen,
    ShownValue,
    Stated,
    StatedSwap,
    Swapped,
    Text,
    suggested,
)

from ..item_parts.idea import Donor, GroundedSubject


class ResolvedBackground(Stated):
    """A background for the subject, in the form that the step `ideas` receives."""

    category: OnBackground
    image_id: str
    background: Text
    shown_by: GroundedSubject | None = None
    """The main subject of its picture, which identifies the background."""
    suggests: ShownValue
    ground: float | None = None
    """Row, as a fraction of the height, below which the background shows ground to stand on."""


class Swapping(Stated):
    """A swap, in the form that the step `ideas` receives."""

    category: Swapped
    target: GroundedSubject
    donor: Donor | None = None
    color: Color | None = None
    low: ShownValue
    low_natural: ShownValue
    high: ShownValue | None = None
    high_natural: ShownValue | None = None
    aspect: Text | None = None
    caption: Text


class IdeaFacts(Stated):
    """The facts stated for the ideas of one image, with all names resolved: the value `facts.ideas`."""

    caption: Text
    subject: GroundedSubject
    people: int
    background: Text | None
    seen: Mapping[Seen, Text]
    behind: tuple[ResolvedBackground, ...]
    stands: bool = True
    swaps: tuple[Swapping, ...]
    looks: Mapping[Effect, ShownValue | None]
    elsewhere: Mapping[str, tuple[str, ...]]
    """What other pictures in the file show and suggest, by perception; used as wrong options for this picture."""


def resolved(pictures: Mapping[str, Any], key: str, image_of: Mapping[str, str]) -> IdeaFacts:
    """Return the facts for ideas about a picture, except those that depend on pictures missing from the run.

    Args:
        pictures: All pictures in the facts file, by key.
        key: Key of the picture.
        image_of: Ids of the images of this run, by key.
    """
    picture = pictures[key]
    facts: PairFacts = picture.pairs
    subjects = {subject.name: subject for subject in picture.subjects}
    behind = tuple(
        ResolvedBackground(
            category=category,
            image_id=image_of[background_key],
            background=pictures[background_key].background,
            shown_by=_main_subject(pictures[background_key]),
            suggests=suggested(pictures[background_key])[CATEGORIES[category].high.name],  # type: ignore[index]
            ground=pictures[background_key].pairs.ground,
        )
        for category in sorted(facts.backgrounds)
        for background_key in facts.backgrounds[category]
        if background_key in image_of
    )
    return IdeaFacts(
        caption=facts.caption,
        subject=grounded(subjects[facts.subject]),
        people=facts.people,
        background=picture.background,
        seen=facts.seen,
        behind=behind,
        stands=facts.stands,
        swaps=tuple(
            _swapping(pictures, key, swap, image_of) for swap in facts.swaps if swap.by is None or swap.by in image_of
        ),
        looks=facts.looks,
        elsewhere=_elsewhere(pictures, key),
    )


def _main_subject(picture: Any) -> GroundedSubject | None:
    """Return a picture's main subject, which identifies its background."""
    return next((grounded(subject) for subject in picture.subjects if subject.name == picture.pairs.subject), None)


def _swapping(pictures: Mapping[str, Any], key: str, swap: StatedSwap, image_of: Mapping[str, str]) -> Swapping:
    picture, category = pictures[key], CATEGORIES[swap.category]
    subjects = {subject.name: subject for subject in picture.subjects}

    def natural(stated: ShownValue | None, name: Any) -> ShownValue:
        return stated or ShownValue(value=picture.pairs.seen[name])

    return Swapping(
        category=swap.category,
        target=grounded(subjects[swap.target]),
        donor=None if swap.by is None else _donor(pictures[swap.by], image_of[swap.by], swap.of),
        color=swap.color,
        low=swap.low,
        high=swap.high,
        aspect=swap.aspect,
        low_natural=natural(swap.low_natural, category.low.name),
        high_natural=None if swap.high is None else natural(swap.high_natural, category.high.name),
        caption=swap.caption,
    )


def _donor(picture: Any, image_id: str, of: str | None) -> Donor:
    subjects = {subject.name: subject for subject in picture.subjects}
    return Donor(image_id=image_id, of=None if of is None else grounded(subjects[of]))


def _elsewhere(pictures: Mapping[str, Any], key: str) -> dict[str, tuple[str, ...]]:
    """Return the sorted values of other pictures by perception, except those that this picture shows or suggests."""
    names_elsewhere: dict[str, set[str]] = {}
    for other_key, picture in pictures.items():
        if other_key == key:
            continue
        if picture.background is not None:
            names_elsewhere.setdefault("background", set()).add(picture.background)
        for name, value in suggested(picture).items():
            names_elsewhere.setdefault(name, set()).add(value.value)
    own = {pictures[key].background, *pictures[key].pairs.seen.values()}
    return {name: tuple(sorted(values - own)) for name, values in sorted(names_elsewhere.items())}


def grounded(subject: Any) -> GroundedSubject:
    """Return a stated subject with the points or the mask stated for cutting it out."""
    cut = subject.cut_out
    if cut is None:
        return GroundedSubject(phrase=subject.phrase, box=subject.box)
    return GroundedSubject(
        phrase=subject.phrase, box=subject.box, inside=cut.inside, outside=cut.outside, mask=cut.mask
    )
