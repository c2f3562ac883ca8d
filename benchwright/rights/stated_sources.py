"""The source of an image of a folder, put together from the table beside it and from what its file says.

The table goes before XMP, XMP before EXIF, EXIF before IPTC, field by field. Where two state different things of one
field, the first counts and the conflict is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from benchwright.records import Source

from .source_table import SourceTable


class SettledSource(NamedTuple):
    """The source of an image, and what else was stated.

    Args:
        source: What counts.
        conflicts: One line for each field of which different things are stated; None where there is no such field.
    """

    source: Source
    conflicts: str | None = None


def stated_source(
    uri: str, table: SourceTable | None, embedded: Mapping[str, Mapping[str, str]] | None
) -> SettledSource:
    """Return the source of an image of a folder.

    Args:
        uri: URI of the file.
        table: Table of sources beside the folder's images.
        embedded: What the file states, by standard, in order of precedence (`embedded_sources`).
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
