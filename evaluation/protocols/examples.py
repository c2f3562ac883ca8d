"""Few-shot examples: questions with answers that precede the question and have nothing in common with any scored item.

Users can provide examples as a JSON Lines file, with pictures next to it.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.canonical import digest
from benchwright.errors import BenchwrightError, DataError, UnreadableImage
from benchwright.files.tables import JSON_ENDS, Table
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import identify
from benchwright.images.regular_files import read_file
from benchwright.records import LETTERS, Choice, Item, ItemImage
from benchwright.seeds import seed_for
from benchwright.texts.normalization import counted

from ..prompting.prompts import one_part_a_run
from ..prompting.question import Part, Released
from ..prompting.release_files import check_files, columns_of

if TYPE_CHECKING:
    from benchwright.release import Release


FILE_ENDING = ".jsonl"
"""Suffix that identifies a file of examples; any other source is a split of the release."""


class ShownExamples(NamedTuple):
    """Examples to show: their ids, and the message parts that precede every question."""

    ids: tuple[str, ...]
    parts: tuple[Part, ...]


Put = Callable[[Released], tuple[Part, ...]]
"""Function from an item to the message that asks it in a protocol's wording."""


def shown_examples(
    release: Release,
    split: str | None,
    *,
    source: str | None,
    shots: int,
    seed: int,
    put: Put,
    answer: Callable[[Item], str],
) -> ShownExamples:
    """Return `shots` examples, drawn with the seed from a split or a file; they are the same for every question.

    Args:
        release: Release that is scored.
        split: Split that is scored; all splits if None.
        source: Name of a split, or a file that ends in `.jsonl`; if None, the split dev or, if there is none, val.
        shots: Number of examples.
        seed: Seed of the draw, which depends only on it and on the examples' ids.
        put: Function that words an example.
        answer: Function that returns the answer to an example in the form that the model should use.

    Raises:
        BenchwrightError: The split does not exist or is the scored one, or too few of its items share nothing with the
            scored ones.
        DataError: A file has unexpected content, or an example in it is among the scored items.
    """
    if source is not None and source.endswith(FILE_ENDING):
        able: Iterator[Released] = _read_examples(Path(source), release, split)
    else:
        able = _of_split(release, split, source)
    drawn = heapq.nsmallest(shots, able, key=lambda released: seed_for(seed, "evaluate.shots", released.item.item_id))
    if len(drawn) < shots:
        raise BenchwrightError(
            f"{source or 'the split for examples'} has {counted(len(drawn), 'item')} usable as examples, fewer than "
            f"shots={shots}: an example has an answer, and shares no picture or group with a scored item; set shots "
            "lower, or name another split or file with examples="
        )
    several = shots > 1
    parts: list[Part] = [f"Here {'are examples' if several else 'is an example'} with the right answer{'s' * several}."]
    for number, released in enumerate(drawn, start=1):
        parts += [f"Example {number}:" if several else "Example:", *put(released), f"Answer: {answer(released.item)}"]
    parts.append("Now the question that you are to answer:")
    return ShownExamples(tuple(released.item.item_id for released in drawn), one_part_a_run(parts))


def _ties_of(release: Release, split: str | None) -> frozenset[str]:
    """Return the ids, pictures and group keys of all items of a split, or of all splits, without reading a picture."""
    ties_of_scored: set[str] = set()
    for batch in columns_of(release, split, ["item_id", "image_ids", "group_keys"]):
        ties_of_scored.update(batch.column("item_id").to_pylist())
        for name in ("image_ids", "group_keys"):
            ties_of_scored.update(batch.column(name).flatten().to_pylist())
    return frozenset(ties_of_scored)


def _ties(item: Item) -> frozenset[str]:
    """Return an item's id, pictures and group keys."""
    return frozenset([item.item_id, *item.group_keys, *(image.image_id for image in item.images)])


def _of_split(release: Release, scored: str | None, source: str | None) -> Iterator[Released]:
    name = source or next((split for split in ("dev", "val") if split in release.splits), None)
    if name is None or name not in release.splits:
        raise BenchwrightError(
            f"{release.path} has no split {source or 'dev or val'} to take examples from; it has "
            f"{', '.join(release.splits)}; name one, or a {FILE_ENDING} file, with examples="
        )
    if scored is None or scored == name:
        other_splits: Sequence[str] = [split for split in release.splits if split != name]
        raise BenchwrightError(
            f"examples from split {name!r} would be scored themselves; score another split with --split "
            f"({', '.join(other_splits) or 'the release has no other'}), or take examples from elsewhere with examples="
        )
    check_files(release, name)
    taken = _ties_of(release, scored)
    for released in release.items(name):
        if released.item.answered_key is not None and not _ties(released.item) & taken:
            yield released


_FIELDS = frozenset({"question", "options", "answer", "images"})


@dataclass(frozen=True)
class _Example:
    """An example in the form of a released item."""

    item: Item
    images: Mapping[str, bytes]
    split: str = "examples"


def _read_examples(path: Path, release: Release, scored: str | None) -> Iterator[Released]:
    """Yield the examples in a file.

    A line is `{"question": text, "options": [texts], "answer": letter, "images": [paths]}`; pictures lie below the
    file's folder.

    Raises:
        DataError: A line has a different form, or its picture belongs to a scored item.
    """
    if not path.is_file():
        raise DataError(f"{path} is not a file; name a file of examples with examples=")
    taken = _ties_of(release, scored)
    for entry, row, problem in Table.at(path, otherwise=JSON_ENDS[0]).records():
        where = f"{path}: {entry}"
        if problem:
            raise DataError(f"{where}: {problem}")
        example = _example(row, path.parent, where)
        if shared := sorted(example.images.keys() & taken):
            raise DataError(
                f"{where}: its picture {shared[0][:12]} belongs to a scored item; remove the line, since examples "
                "must not show scored pictures"
            )
        yield example


def _example(row: Any, folder: Path, where: str) -> _Example:
    if not isinstance(row, dict) or row.keys() != _FIELDS:
        form = '{"question": text, "options": [texts], "answer": letter, "images": [paths]}'
        raise DataError(f"{where}: give {form} and no other field")
    question, options, answer, names = (row[name] for name in ("question", "options", "answer", "images"))
    if not isinstance(question, str) or not question:
        raise DataError(f"{where}: question is {ascii(question)[:80]}, not a text")
    for field, listed, least in (("options", options, 2), ("images", names, 1)):
        if (
            not isinstance(listed, list)
            or len(listed) < least
            or not all(isinstance(text, str) and text for text in listed)
        ):
            raise DataError(f"{where}: {field} is {ascii(listed)[:80]}, not a list of {least} texts or more")
    keys = LETTERS[: len(options)]
    if not isinstance(answer, str) or len(answer) != 1 or answer not in keys:
        raise DataError(f"{where}: answer is {ascii(answer)[:80]}, not one of the letters {', '.join(keys)}")
    pictures = [_picture(folder, name, where) for name in names]
    polar = [text.strip().lower() for text in options] in (["yes", "no"], ["no", "yes"])
    first = pictures[0][0]
    item = Item(
        item_id=digest(["evaluate.example", question, options, answer, [image_id for image_id, _ in pictures]])[:32],
        task="example",
        kind="yes_no" if polar else "multiple_choice",
        question=question,
        answer=answer,
        images=tuple(ItemImage(image_id=image_id, role="view") for image_id, _ in pictures),
        choices=tuple(Choice(key=key, text=text) for key, text in zip(keys, options, strict=True)),
        root_image_id=first,
        operation_id=digest("evaluate.example"),
        made_from=first,
    )
    return _Example(item, dict(pictures))


def _picture(folder: Path, name: str, where: str) -> tuple[str, bytes]:
    try:
        image = identify(folder / name, root=folder)
        return image.image_id, read_file(folder / name, limits=Limits())
    except (UnreadableImage, ValueError) as error:
        raise DataError(f"{where}: picture {name!a} cannot be used ({error}); put it next to the file") from error
