"""The README of an export: its content, its use, what it omits, and the sources of its pictures."""

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
        not_carried: Parts that it cannot carry, each with the number of items that have it.
        checked: Numbers of parts that were read back and compared.
        licences: Number of pictures by license of their sources.
    """  # phrase: allowed
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
            "pictures without them, for other ways of drawing.",
        ]
    parts += ["## License and sources", _sources(header.licence, licences), "## Canary", _canary(written)]
    return "\n\n".join(parts) + "\n"


def _losses(not_carried: Sequence[tuple[NotCarried, int]]) -> str:
    if not not_carried:
        return "Nothing is lost of questions, options, keys, pictures and labels."
    return "\n".join(f"- {loss.what} ({items} item{'s' * (items != 1)}): {loss.why}" for loss, items in not_carried)


def _checked(checked: ExportComparison) -> str:
    numbers = [f"{number} {name.replace('_', ' ')}" for name, number in checked.document().items() if number]
    return f"Read back and equal to the release, in its order: {', '.join(numbers)}."


def _sources(licence: str | None, licences: Mapping[str, int]) -> str:
    whole = f"The benchmark as a whole: {licence}." if licence else "The benchmark states no license as a whole."
    lines = [f"- {name}: {number} picture{'s' * (number != 1)}" for name, number in sorted(licences.items())]
    head = f"{whole} `{SOURCES}` names author, license and place of the sources of each picture. Their licenses:"
    return "\n".join([head, "", *lines])


def _canary(written: ExportFormat) -> str:
    where = f" It is in {written.canary_in} too." if written.canary_in else ""
    return (
        f"`{written.header.canary}`\n\nThis data is for testing. Leave it out of training sets: a model that can "
        f"complete the mark above has been trained on it, and its scores here say little.{where}"
    )
