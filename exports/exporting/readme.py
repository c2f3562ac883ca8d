"""The README of an export: what it is, how to use it, what it lacks, whose pictures it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright.texts.normalization import counted

from .base import ExportFormat, NotCarried
from .beside import MARKS, SOURCES, UNMARKED
from .comparison import ExportComparison


def readme(
    written: ExportFormat,
    not_carried: Sequence[tuple[NotCarried, int]],
    *,
    checked: ExportComparison,
    licences: Mapping[str, int],
) -> str:
    """Return the text of an export's `README.md`.

    Args:
        written: The format.
        not_carried: What it cannot carry, with the number of items that have it.
        checked: What was read back and compared.
        licences: Number of pictures by licence of their sources.
    """
    header = written.header
    parts = [
        f"# {header.title}, exported to {written.name}",
        f"{counted(checked.items, 'item')} of the splits {', '.join(f'`{split}`' for split in header.splits)}, from "
        f"the release with the id `{header.release_id}`. `export.json` has the SHA-256 of every file.",
        "## Use",
        written.usage().strip(),
        "## What this format does not carry",
        _losses(not_carried),
        "## Checked",
        _checked(checked),
    ]
    if checked.marked_pictures:
        parts += [
            "## Marks",
            f"Marks are drawn on the pictures as models see them. `{MARKS}` has them as vectors, and `{UNMARKED}/` the "
            "pictures without them, for those who draw them in another way.",
        ]
    parts += ["## Licence and sources", _sources(header.licence, licences), "## Canary", _canary(written)]
    return "\n\n".join(parts) + "\n"


def _losses(not_carried: Sequence[tuple[NotCarried, int]]) -> str:
    if not not_carried:
        return "Nothing is lost of questions, options, keys, pictures and labels."
    return "\n".join(f"- {loss.what} ({items} item{'s' * (items != 1)}): {loss.why}" for loss, items in not_carried)


def _checked(checked: ExportComparison) -> str:
    numbers = [f"{number} {name.replace('_', ' ')}" for name, number in checked.document().items() if number]
    return f"Read back and equal to the release, in its order: {', '.join(numbers)}."


def _sources(licence: str | None, licences: Mapping[str, int]) -> str:
    whole = f"The benchmark as a whole: {licence}." if licence else "The benchmark states no licence as a whole."
    lines = [f"- {name}: {number} picture{'s' * (number != 1)}" for name, number in sorted(licences.items())]
    head = f"{whole} `{SOURCES}` names author, licence and place of what each picture was made from. Their licences:"
    return "\n".join([head, "", *lines])


def _canary(written: ExportFormat) -> str:
    where = f" It stands in {written.canary_in} too." if written.canary_in else ""
    return (
        f"`{written.header.canary}`\n\nThis data is for testing. Leave it out of training sets: a model that can "
        f"complete the mark above has been trained on it, and its scores here say little.{where}"
    )
