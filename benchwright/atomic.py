"""Files that appear whole or not at all.

Bytes go to a temporary file in the workspace's `tmp` folder (same file system), are flushed to disk and moved
into place. A process killed at any moment leaves the old file or the new one, and at most a stray file in `tmp`,
which the next run empties.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def replacing(path: Path, *, tmp: Path | None = None) -> Iterator[Path]:
    """Yield a temporary path to write to; move it to `path` if the block ends without an exception."""
    folder = tmp or path.parent
    draft = folder / f".{path.name[:80]}.{os.getpid()}.{secrets.token_hex(4)}.tmp"
    try:
        yield draft
        with draft.open("rb") as handle:
            os.fsync(handle.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes, *, tmp: Path | None = None) -> None:
    """Write a file at once."""
    with replacing(path, tmp=tmp) as draft:
        draft.write_bytes(data)


def write_json(path: Path, document: Mapping[str, Any], *, tmp: Path | None = None) -> None:
    """Write a JSON document at once: sorted keys, indented, the same bytes for the same value."""
    text = json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    write_bytes(path, (text + "\n").encode("utf-8", "surrogatepass"), tmp=tmp)
