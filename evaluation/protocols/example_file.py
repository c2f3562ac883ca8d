"""Examples that a user brings: a JSON Lines file, with pictures beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.canonical import digest
from benchwright.errors import DataError, UnreadableImage
from benchwright.identify import Limits, identify, read_file
from benchwright.records import LETTERS, Choice, Item, ItemImage

from ..questions import Released
from .examples import ties_of

if TYPE_CHECKING:
    from benchwright.release import Release

_FIELDS = frozenset({"question", "options", "answer", "images"})


@dataclass(frozen=True)
class _Example:
    """An example in the form of a released item."""

    item: Item
    images: Mapping[str, bytes]
    split: str = "examples"


def read_examples(path: Path, release: Release, scored: str | None) -> Iterator[Released]:
    """Yield the examples of a file.

    A line is `{"question": text, "options": [texts], "answer": letter, "images": [paths]}`; pictures lie below the
    file's folder.

    Raises:
        DataError: A line is not so, or its picture is one of the scored items'.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}); examples= names a file of examples") from error
    taken = ties_of(release, scored)
    for number, line in enumerate(lines, start=1):
        where = f"{path}: line {number}"
        try:
            row = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
        except (ValueError, RecursionError) as error:
            raise DataError(f"{where}: not JSON in UTF-8 ({error})") from error
        one = _example(row, path.parent, where)
        if shared := sorted(one.images.keys() & taken):
            raise DataError(
                f"{where}: its picture {shared[0][:12]} is one of a scored item; an example must show nothing that is "
                "scored, so remove the line"
            )
        yield one


def _example(row: Any, folder: Path, where: str) -> _Example:
    if not isinstance(row, dict) or row.keys() != _FIELDS:
        form = '{"question": text, "options": [texts], "answer": letter, "images": [paths]}'
        raise DataError(f"{where}: give {form} and nothing else")
    question, options, answer, names = (row[name] for name in ("question", "options", "answer", "images"))
    if not isinstance(question, str) or not question:
        raise DataError(f"{where}: question is {ascii(question)[:80]}, not a text")
    for what, listed, least in (("options", options, 2), ("images", names, 1)):
        if (
            not isinstance(listed, list)
            or len(listed) < least
            or not all(isinstance(one, str) and one for one in listed)
        ):
            raise DataError(f"{where}: {what} is {ascii(listed)[:80]}, not a list of {least} texts or more")
    keys = LETTERS[: len(options)]
    if not isinstance(answer, str) or len(answer) != 1 or answer not in keys:
        raise DataError(f"{where}: answer is {ascii(answer)[:80]}, not one of the letters {', '.join(keys)}")
    pictures = [_picture(folder, name, where) for name in names]
    polar = [text.strip().lower() for text in options] in (["yes", "no"], ["no", "yes"])
    first = pictures[0][0]
    item = Item(
        item_id=digest(["evaluate.example", question, options, answer, [image_id for image_id, _ in pictures]])[:32],
        task="example", kind="yes_no" if polar else "multiple_choice", question=question, answer=answer,
        images=tuple(ItemImage(image_id=image_id, role="view") for image_id, _ in pictures),
        choices=tuple(Choice(key=key, text=text) for key, text in zip(keys, options, strict=True)),
        root_image_id=first, operation_id=digest("evaluate.example"), made_from=first,
    )  # fmt: skip
    return _Example(item, dict(pictures))


def _picture(folder: Path, name: str, where: str) -> tuple[str, bytes]:
    try:
        found = identify(folder / name, root=folder)
        return found.image_id, read_file(folder / name, limits=Limits())
    except (UnreadableImage, ValueError) as error:
        raise DataError(f"{where}: picture {name!a} cannot be used ({error}); put it beside the file") from error
