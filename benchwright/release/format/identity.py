"""The content id of a release, computed from its items, and its canary.

`content_id` is a root hash over the texts, pictures and splits of the items. It does not depend on how items were made,
on their ids or order, or on their encoding in Parquet, so it is the same across versions of Benchwright and Arrow. Each
picture is represented by the SHA-256 of its file; files are copied and never re-encoded.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from benchwright.canonical import canonical_json

if TYPE_CHECKING:
    from benchwright.records import Item

DRAFT = "0+"
"""Prefix of the versions of drafts, which are named by their content and replaced by the next freeze."""

_CANARY_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://benchwright.invalid/canary")
_PREFIX = b"benchwright/content/1\n"


def canary_of(name: str, version: str) -> str:
    """Return the canary of a release: a string to search for in a model's training data.

    All drafts of a benchmark have the same canary, so that their unchanged data files are equal.
    """
    return earlier_canary_of(name, DRAFT if version.startswith(DRAFT) else version)


def earlier_canary_of(name: str, version: str) -> str:
    """Return the canary of a release written when each draft had its own."""
    return str(uuid.uuid5(_CANARY_SPACE, canonical_json([name, version])))


def leaf(content_hash: str, split: str, image_ids: Sequence[str]) -> bytes:
    """Return the 32-byte leaf hash of one item's values for the content id."""
    return hashlib.sha256(canonical_json([content_hash, split, list(image_ids)]).encode()).digest()


def root(sorted_leaves: Iterable[bytes]) -> str:
    """Return the content id computed from leaf hashes in ascending order, as 64 hexadecimal digits."""
    digest = hashlib.sha256(_PREFIX)
    for leaf in sorted_leaves:
        digest.update(leaf)
    return digest.hexdigest()


def leaf_of(item: Item, split: str) -> bytes:
    """Return an item's leaf hash for the content id."""
    return leaf(item.content_hash, split, [image.image_id for image in item.images])


def content_id_of(items: Iterable[tuple[Item, str]]) -> str:
    """Return the content id of items with their splits, given in any order; this takes about 65 bytes of memory per
    item.
    """
    return root(sorted(leaf_of(item, split) for item, split in items))
