"""Names of results folders: one for each model, protocol and reader, so that their scores stand side by side."""

from __future__ import annotations

import re

from benchwright.canonical import bytes_digest

from .prompts import VANILLA
from .readers import ROBUST


def slug(model: str) -> str:
    """Return a model's name as a folder's name; names that differ stay different."""
    name = re.sub(r"[^A-Za-z0-9._-]", "-", model)[:80].lstrip(".")
    is_plain = re.fullmatch(r"[a-z_]+(:[A-Za-z0-9._-]+)?", model) is not None and len(model) <= 80
    return name if is_plain else f"{name}-{bytes_digest(model.encode('utf-8', 'surrogatepass'))[:8]}"


def results_name(model: str, protocol: str = VANILLA, reader: str = ROBUST) -> str:
    """Return the name of the folder of a score: the model's, with protocol and reader where they are not the usual.

    Example:
        >>> results_name("random", "shuffle:k=3", "blink")
        'random@shuffle.k=3@blink'
    """
    parts = [slug(model)]
    if protocol != VANILLA:
        is_plain = re.fullmatch(r"[a-z0-9-]+(:[A-Za-z0-9._=,-]+)?", protocol) is not None and len(protocol) <= 80
        parts.append(protocol.replace(":", ".") if is_plain else slug(protocol))
    if reader != ROBUST:
        parts.append(reader if re.fullmatch(r"[a-z0-9-]+", reader) is not None else slug(reader))
    return "@".join(parts)
