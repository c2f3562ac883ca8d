"""The source of an image in a folder, combined from the table next to it and from its file's metadata.

Field by field, the table takes precedence over XMP, XMP over EXIF, and EXIF over IPTC. If two of them differ on a
field, the first takes precedence and the conflict is reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from benchwright.records import Source

from .source_table import SourceTable


class SettledSource(NamedTuple):
    """The source of an image, and conflicts between statements.

    Args:
        source: The source that applies.
        conflicts: One line for each field with different statements; None if there is no such field.
    """

    source: Source
    conflicts: str | None = None


def stated_source(
    uri: str, table: SourceTable | None, embedded: Mapping[str, Mapping[str, str]] | None
) -> SettledSource:
    """Return the source of an image in a folder.

    Args:
        uri: URI of the file.
        table: Table of sources next to the folder's images.
        embedded: Statements of the file, by standard, in order of precedence (`embedded_sources`).
    """
    statements: list[tuple[str, Mapping[str, str]]] = []
    if table is not None and (cells := table.of(uri)):
        statements.append((table.name, cells))
    statements += (embedded or {}).items()
    fields: dict[str, tuple[str, str]] = {}
    conflicts = []
    for origin, stated in statements:
        for name, text in stated.items():
            first_origin, first = fields.setdefault(name, (origin, text))
            if first.casefold() != text.casefold():
                conflicts.append(f"{name}: {first_origin} says {first!r}, {origin} says {text!r}")
    source = Source(uri=uri, **{name: text for name, (_, text) in fields.items()})
    return SettledSource(source, "; ".join(conflicts) or None)
