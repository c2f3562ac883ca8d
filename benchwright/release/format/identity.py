"""Names that follow from content: the content id and the canary.

`content_id` is a root hash over what the items say and show and in which split they are. It does not depend
on how items were made, on their ids or order, or on how Parquet spells them, so it holds across versions of
Benchwright and of Arrow. Pictures enter by the SHA-256 of their files, which are copied and never encoded
again.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from benchwright.canonical import canonical_json

if TYPE_CHECKING:
    from benchwright.records import Item

CANARY_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://benchwright.invalid/canary")
_PREFIX = b"benchwright/content/1\n"


def canary_of(name: str, version: str) -> str:
    """Return the mark by which a model's training data can be searched for this release."""
    return str(uuid.uuid5(CANARY_SPACE, canonical_json([name, version])))


def leaf(content_hash: str, split: str, image_ids: Sequence[str]) -> bytes:
    """Return one item's part in the content id, 32 bytes."""
    return hashlib.sha256(canonical_json([content_hash, split, list(image_ids)]).encode()).digest()


def root(sorted_leaves: Iterable[bytes]) -> str:
    """Return the content id of leaves in ascending order, as 64 hexadecimal digits."""
    digest = hashlib.sha256(_PREFIX)
    for leaf in sorted_leaves:
        digest.update(leaf)
    return digest.hexdigest()


def leaf_of(item: Item, split: str) -> bytes:
    """Return an item's part in the content id."""
    return leaf(item.content_hash, split, [image.image_id for image in item.images])


def content_id_of(items: Iterable[tuple[Item, str]]) -> str:
    """Return the content id of items with their splits, in any order; keeps about 65 bytes an item."""
    return root(sorted(leaf_of(item, split) for item, split in items))
