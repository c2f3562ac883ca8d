"""JSON documents of a release: equal values give equal bytes, and the reader treats all input as untrusted.

A document in a release from elsewhere may be huge, deeply nested, ambiguous, or invalid text. All of these raise a
`DataError`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from benchwright.errors import DataError

MAX_BYTES = 64 * 1024 * 1024
"""Size, in bytes, of the largest JSON document to write or read; a hostile one may take about 20 times as much
memory.
"""


def spell(document: Mapping[str, Any], *, title: str) -> bytes:
    """Return a document's bytes: indented JSON with sorted keys, in UTF-8, with one newline at the end.

    Raises:
        DataError: A value cannot be represented in JSON (NaN, a lone surrogate), or the document is too large to be
            read again.
    """
    try:
        text = json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
        data = (text + "\n").encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise DataError(f"{title} cannot be written as JSON: {error}") from error
    if len(data) > MAX_BYTES:
        raise DataError(f"{title} would have {len(data)} bytes, more than the {MAX_BYTES} that a reader accepts")
    return data


def parse(data: bytes | str, *, title: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        DataError: The text is not JSON, has NaN or a repeated name, or is nested too deeply.
    """
    if data == "{}":  # most texts of most rows
        return {}
    try:
        return _DECODER.decode(data) if isinstance(data, str) else json.loads(data, **_STRICT)
    except RecursionError:
        raise DataError(f"{title} is nested too deeply") from None
    except ValueError as error:
        raise DataError(f"{title} is not valid JSON: {error}") from error


def stated(document: Any, format_name: str, newest: int, *, title: str) -> dict[str, Any]:
    """Return a document after checking its stated format and version.

    Raises:
        DataError: The document states another format or a newer version.
    """
    if not isinstance(document, dict) or document.get("format") != format_name:
        raise DataError(f"{title} does not state the format {format_name!r}")
    version = document.get("version")
    if type(version) is not int or version < 1:
        raise DataError(f"{title} states no version of the format {format_name!r}")
    if version > newest:
        raise DataError(
            f"{title} is written in version {version} of the format {format_name!r}, but this Benchwright "
            f"reads up to version {newest}; upgrade benchwright to read it"
        )
    return document


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("an object has the same key twice")
    return document


_STRICT: dict[str, Any] = {"parse_constant": _refuse_constant, "object_pairs_hook": _unique}
_DECODER = json.JSONDecoder(**_STRICT)
"""Decoder that is made once: `json.loads` would make one per call, and each row of a release has several JSON texts."""
