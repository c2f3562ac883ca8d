"""Questions with their answers that a message shows first, and that no scored item has anything in common with."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.seeds import seed_for

from ..prompts import one_part_a_run
from ..questions import Part, Released
from ..release_files import check_files, columns_of

if TYPE_CHECKING:
    from benchwright.records import Item
    from benchwright.release import Release

FILE_ENDING = ".jsonl"
"""Where examples end so, they are a file; else they are a split of the release."""


class Shown(NamedTuple):
    """Examples as they are shown: their ids, and what stands before every question."""

    ids: tuple[str, ...]
    parts: tuple[Part, ...]


Put = Callable[[Released], tuple[Part, ...]]
"""From an item to the message that asks it, in a protocol's own way."""


def shown_examples(
    release: Release, split: str | None, *, source: str | None, shots: int, seed: int, put: Put,
    answer: Callable[[Item], str],
) -> Shown:  # fmt: skip
    """Return so many examples, drawn by the seed from a split or a file; the same before every question.

    Args:
        release: The release that is scored.
        split: The split that is scored; all where None.
        source: A split, or a file that ends in `.jsonl`; the split dev, else val, where None.
        shots: How many.
        seed: Of the draw, which rests on it and on the examples' ids alone.
        put: What asks an example.
        answer: The answer to it, as the model is to give its own.

    Raises:
        BenchwrightError: There is no such split, it is scored itself, or too few of its items have nothing in common
            with those that are scored.
        DataError: A file is not what it should be, or an example in it is among what is scored.
    """
    if source is not None and source.endswith(FILE_ENDING):
        from .example_file import read_examples

        able: Iterator[Released] = read_examples(Path(source), release, split)
    else:
        able = _of_split(release, split, source)
    drawn = heapq.nsmallest(shots, able, key=lambda one: seed_for(seed, "evaluate.shots", one.item.item_id))
    if len(drawn) < shots:
        raise BenchwrightError(
            f"{source or 'the split for examples'} has {len(drawn)} items that may serve as examples, {shots} are "
            "wanted: they need an answer, and no picture or group in common with a scored item; set shots lower, or "
            "name another split or file with examples="
        )
    several = shots > 1
    parts: list[Part] = [f"Here {'are examples' if several else 'is an example'} with the right answer{'s' * several}."]
    for number, one in enumerate(drawn, start=1):
        parts += [f"Example {number}:" if several else "Example:", *put(one), f"Answer: {answer(one.item)}"]
    parts.append("Now the question that you are to answer:")
    return Shown(tuple(one.item.item_id for one in drawn), one_part_a_run(parts))


def ties_of(release: Release, split: str | None) -> frozenset[str]:
    """Return the ids, pictures and group keys of all items of a split, or of all, without reading a picture."""
    found: set[str] = set()
    for batch in columns_of(release, split, ["item_id", "image_ids", "group_keys"]):
        found.update(batch.column("item_id").to_pylist())
        for name in ("image_ids", "group_keys"):
            found.update(batch.column(name).flatten().to_pylist())
    return frozenset(found)


def ties(item: Item) -> frozenset[str]:
    """Return an item's id, pictures and group keys."""
    return frozenset([item.item_id, *item.group_keys, *(image.image_id for image in item.images)])


def _of_split(release: Release, scored: str | None, source: str | None) -> Iterator[Released]:
    name = source or next((one for one in ("dev", "val") if one in release.splits), None)
    if name is None or name not in release.splits:
        raise BenchwrightError(
            f"{release.path} has no split {source or 'dev or val'} to take examples from; it has "
            f"{', '.join(release.splits)}; name one, or a {FILE_ENDING} file, with examples="
        )
    if scored is None or scored == name:
        others: Sequence[str] = [one for one in release.splits if one != name]
        raise BenchwrightError(
            f"examples from split {name!r} would be scored themselves; score another split with --split "
            f"({', '.join(others) or 'the release has no other'}), or take examples from elsewhere with examples="
        )
    check_files(release, name)
    taken = ties_of(release, scored)
    for one in release.items(name):
        if one.item.answer is not None and not ties(one.item) & taken:
            yield one
