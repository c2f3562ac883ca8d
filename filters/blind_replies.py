"""How often each item was answered right without its picture, from the scores that evaluation wrote.

    benchwright evaluate run RELEASE --model M --protocol blind --out blind

writes a folder a model, with `score.json` and `predictions.parquet`. What a model said counts for an item only while
the item reads as it did in the release that was asked.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.canonical import digest
from benchwright.errors import DataError, PrerequisiteError

PROTOCOL = "blind"
_MAX_BYTES = 1 << 22


class Blind(NamedTuple):
    """What became of one item.

    Args:
        content_hash: Of the item as it was asked.
        asked: Times that a reply came back.
        right: Times that it named the key, or declined where that is right.
    """

    content_hash: str
    asked: int
    right: int


class BlindReplies(NamedTuple):
    """What became of all items of a release.

    Args:
        items: By item id.
        scores: Names of the folders that were read, sorted.
    """

    items: Mapping[str, Blind]
    scores: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """Digest of all that counts."""
        return digest({item_id: list(one) for item_id, one in self.items.items()})


def read_blind_replies(results: Path, release: Path) -> BlindReplies:
    """Read every blind score of a release below a folder.

    Args:
        results: Folder with a folder for each score; scores under other protocols are left aside.
        release: The release that was asked.

    Raises:
        PrerequisiteError: There is no release, or no blind score of it.
        DataError: A file is not what it should be.
    """
    from benchwright.release import Release

    how = f"benchwright evaluate run {release.name} --model MODEL --protocol {PROTOCOL} --out {results.name}"
    if not release.is_dir():
        raise PrerequisiteError(f"there is no release {release}; freeze one, then ask it without pictures: {how}")
    opened = Release.open(release)
    folders = [path.parent for path in sorted(results.glob("*/score.json")) if _is_of(path, opened.release_id)]
    if not folders:
        raise PrerequisiteError(f"{results} holds no score of {release} under the protocol {PROTOCOL!r}; ask it: {how}")
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for folder in folders:
        for item_id, right in _replies(folder / "predictions.parquet"):
            counts[item_id][0] += 1
            counts[item_id][1] += right
    known = {found.item.item_id: found.item.content_hash for found in opened.items()}
    items = {item_id: Blind(known[item_id], *counts[item_id]) for item_id in sorted(counts) if item_id in known}
    return BlindReplies(items, tuple(folder.name for folder in folders))


def _is_of(path: Path, release_id: str) -> bool:
    """Return whether a score is a blind one of a release."""
    try:
        document: Any = json.loads(path.read_bytes()[:_MAX_BYTES])
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read as a score: {error}; evaluate again or take the folder away") from error
    if not isinstance(document, dict) or document.get("format") != "benchwright/score":
        raise DataError(f"{path} is not a score of benchwright; take the folder away")
    return document.get("protocol") == PROTOCOL and document.get("release_id") == release_id


def _replies(path: Path) -> list[tuple[str, bool]]:
    """Return (item, right) of each item that a reply came back for; errors say nothing about an item."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path, columns=["item_id", "state", "right"], use_threads=False)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise DataError(f"{path} cannot be read as predictions: {error}; evaluate again") from error
    rows = zip(*(table.column(name).to_pylist() for name in ("item_id", "state", "right")), strict=True)
    return [(str(item_id), bool(right)) for item_id, state, right in rows if state != "error" and right is not None]
