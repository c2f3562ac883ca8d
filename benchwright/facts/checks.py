"""Mistakes in facts that the data models cannot detect: locations outside the picture, repetitions, unknown names."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

from benchwright.settings.yaml_places import Path_

from . import idea_facts
from .picture_facts import PictureFacts, Subject


def mistakes_in(
    pictures: Mapping[str, PictureFacts], names: Collection[str] | None = None
) -> Iterator[tuple[Path_, object, str]]:
    """Yield (location below `images`, value, explanation) for each mistake in the facts.

    Args:
        pictures: Facts, by the pictures' keys.
        names: Keys of all pictures, including unreadable ones; None for the keys of `pictures`.
    """
    known = pictures.keys() if names is None else names
    taken: set[str] = set()
    for key, picture in pictures.items():
        for place, name in (((key,), key), *(((key, "also", n), name) for n, name in enumerate(picture.also))):
            if not name or name.startswith("/") or "\\" in name or ".." in name.split("/"):
                yield place, name, "give a file name, a path below the image folder, or the SHA-256 of a file"
            if name in taken:
                yield place, name, "another picture has that name already"
            taken.add(name)
        for path, value, why in _mistakes_of(pictures, known, key):
            yield (key, *path), value, why


def _mistakes_of(
    pictures: Mapping[str, PictureFacts], known: Collection[str], key: str
) -> Iterator[tuple[Path_, object, str]]:
    """Yield the mistakes of one picture, each with its location in the picture's facts."""
    picture = pictures[key]
    yield from _repeated(("subjects",), "name", [subject.name for subject in picture.subjects])
    yield from _repeated(("unanswerable",), "name", [question.name for question in picture.unanswerable])
    yield from _answerable_mistakes(("answerable",), picture)
    for number, subject in enumerate(picture.subjects):
        for place, value, why in _places_outside(subject, picture.stated_size_wh):
            yield ("subjects", number, *place), value, why
        if subject.cut_out is not None and subject.cut_out.onto:
            yield from _backgrounds_that_do_not_fit(pictures, known, key, ("subjects", number), subject)
    for number, question in enumerate(picture.unanswerable):
        yield from _repeated(("unanswerable", number, "wrong"), None, question.wrong)
    if picture.pairs is not None:
        for path, value, why in idea_facts.mistakes(pictures, key, known):
            yield ("pairs", *path), value, why
    if picture.implication is not None and (asked := picture.implication.question) is not None:
        yield from _repeated(("implication", "question", "wrong"), None, (*asked.wrong, asked.right))


def _places_outside(subject: Subject, size_wh: tuple[int, int] | None) -> Iterator[tuple[Path_, object, str]]:
    """Yield (location in the subject, value, explanation) for parts outside the picture and invalid boxes.

    Args:
        subject: The subject.
        size_wh: Width and height of the picture; None if unknown, in which case only values impossible in any picture
            are mistakes.
    """
    width, height = size_wh or (math.inf, math.inf)
    within = "" if size_wh is None else f" within the picture's {width} x {height} pixels"
    x0, y0, x1, y1 = subject.box
    if not (0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height):
        why = f"a box is [x0, y0, x1, y1] with x0 < x1, y0 < y1,{within or ' none of them negative'}"
        yield ("box",), list(subject.box), why
    cut = subject.cut_out
    if cut is None:
        return
    for side, points in (("inside", cut.inside), ("outside", cut.outside)):
        for number, (x, y) in enumerate(points):
            if not (0 <= x < width and 0 <= y < height):
                outside = f"outside the picture{within.removeprefix(' within the picture')}"
                yield ("cut_out", side, number), [x, y], outside
    if cut.mask is not None and cut.mask.size != (height, width) and size_wh is not None:
        why = f"a mask of {cut.mask.size[1]} x {cut.mask.size[0]} cells does not fit {width} x {height} pixels"
        yield ("cut_out", "mask", "size"), list(cut.mask.size), why


def _answerable_mistakes(path: Path_, picture: PictureFacts) -> Iterator[tuple[Path_, object, str]]:
    """Yield repeated names, including those of the unanswerable questions, and repeated options."""
    taken = {question.name for question in picture.unanswerable}
    for number, question in enumerate(picture.answerable):
        if question.name in taken:
            yield (*path, number, "name"), question.name, "it stands twice"
        taken.add(question.name)
        yield from _repeated((*path, number, "wrong"), None, (*question.wrong, question.right))


def _backgrounds_that_do_not_fit(
    pictures: Mapping[str, PictureFacts], known: Collection[str], key: str, path: Path_, subject: Subject
) -> Iterator[tuple[Path_, object, str]]:
    """Yield each picture that cannot be the background of a subject because no question suits both of them."""
    cut, own = subject.cut_out, pictures[key].background
    assert cut is not None, "only subjects with `onto` come here"
    if own is None:
        yield (
            (*path, "cut_out", "onto"),
            list(cut.onto),
            "a subject with `onto` needs the picture's own background stated, to ask for it",
        )
    yield from _repeated((*path, "cut_out", "onto"), None, cut.onto)
    for number, other_image in enumerate(cut.onto):
        place = (*path, "cut_out", "onto", number)
        if other_image not in known or other_image == key:
            yield place, other_image, f"not the key of another picture of this file ({', '.join(sorted(known))})"
        elif (other := pictures.get(other_image)) is None:
            continue  # its mistakes are reported elsewhere
        elif other.background is None:
            yield place, other_image, "that picture states no background"
        elif other.background == own:
            yield (
                place,
                other_image,
                "that picture's background reads like this one's, so no question could distinguish them",
            )


def _repeated(path: Path_, field: str | None, texts: Sequence[str]) -> Iterator[tuple[Path_, object, str]]:
    """Yield repeated texts; differences in case and in white space at the ends are ignored."""
    seen: set[str] = set()
    for number, text in enumerate(texts):
        if text.strip().casefold() in seen:
            yield (*path, number, *([field] if field else [])), text, "it stands twice"
        seen.add(text.strip().casefold())
