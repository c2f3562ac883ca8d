"""What the splits of a finished release share: pictures, near copies, texts; and how far each is from its share.

Pictures are compared by perceptual hashes, which propose near copies and do not prove them: a pair is listed where both
pHash and dHash differ in few bits, or where one picture is near the other one mirrored.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.errors import UnreadableImage
from benchwright.images import Hashes, decode_luma, hashes
from benchwright.images.perceptual_hash import HASHED_AT_LEAST_PX
from benchwright.release import Release
from benchwright.text_normalization import normal

MAX_BITS = 4
"""Default bits of 64 in which hashes of near copies differ."""

_COLUMNS = (
    "item_id", "split", "task", "level", "category", "question", "choices", "group_keys", "images", "image_ids",
)  # fmt: skip
_ROWS_AT_ONCE = 128

LOOKED_FOR = (
    "equal files",
    "pictures of nearly equal hashes, upright or mirrored (stored anew, made smaller)",
    "equal group keys",
    "equal texts",
)
"""What is compared across splits."""
NOT_LOOKED_FOR = (
    "crops",
    "recolourings",
    "rotations",
    "pictures with text, frames or parts added or removed",
    "other photographs of one scene",
    "the same question in other words",
)
"""What hashes and keys cannot find, so that nobody knows of it after this check."""


class NearPictures(NamedTuple):
    """Two pictures of different splits that may be copies of each other.

    Args:
        first: Id of the first picture.
        second: Id of the other picture.
        first_item: Id of an item that shows the first.
        second_item: Id of an item of another split that shows the other.
        bits: Bits in which the pHashes differ, of the mirrored picture where it is nearer.
    """

    first: str
    second: str
    first_item: str
    second_item: str
    bits: int


class ShareOfSplit(NamedTuple):
    """How far a split is from its share of one task, level or category.

    Args:
        field: `task`, `level` or `category`.
        value: Its value.
        split: Name of the split.
        items: Number of such items in the split.
        target: Number that the split's share would be.
        residual: Difference, `items - target`.
    """

    field: str
    value: str
    split: str
    items: int
    target: float
    residual: float


@dataclass(frozen=True)
class SplitCheck:
    """What the splits of a release share.

    Args:
        shared_pictures: Ids of pictures that items of several splits show, with the names of the splits.
        shared_groups: Group keys that items of several splits have, with the names of the splits.
        near_pictures: Pairs of pictures of different splits that may be copies, nearest first.
        equal_texts: Number of items whose question and options, but for case and punctuation, are also those of an item
            of another split, by task. Tasks that ask one question of all pictures share it on purpose.
        shares: Distance of each split from its share of tasks, levels and categories.
        pictures: Number of pictures that were compared.
        unreadable: Ids of pictures that cannot be decoded, which were compared by their bytes only.
        splits: Number of splits.
    """

    shared_pictures: Mapping[str, tuple[str, ...]]
    shared_groups: Mapping[str, tuple[str, ...]]
    near_pictures: tuple[NearPictures, ...]
    equal_texts: Mapping[str, int]
    shares: tuple[ShareOfSplit, ...]
    pictures: int
    unreadable: tuple[str, ...]
    splits: int

    @property
    def has_shared(self) -> bool:
        """Return whether a picture, near copy or group key was found in several splits."""
        return bool(self.shared_pictures or self.shared_groups or self.near_pictures)

    @property
    def is_apart(self) -> bool | None:
        """Return whether the splits share nothing: None where nothing was found, since not all was looked for."""
        if self.has_shared:
            return False
        return True if self.splits < 2 else None


@dataclass
class _Places:
    """In which splits each picture, group key and text stands."""

    pictures: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    groups: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    texts: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    items: list[tuple[str, str, int]] = field(default_factory=list)
    strata: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    hashes: dict[str, Hashes] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)

    def add(self, row: Mapping[str, Any]) -> None:
        split, task = str(row["split"]), str(row["task"])
        for key in row["group_keys"] or ():
            self.groups[key].add(split)
        choices = sorted(normal(choice["text"] or "") for choice in row["choices"] or ())
        text = hash((normal(row["question"]), *choices))
        self.texts[text].add(split)
        self.items.append((split, task, text))
        for name in ("task", "level", "category"):
            if row[name] is not None:
                self.strata[name, str(row[name]), split] += 1
        for image_id, picture in zip(row["image_ids"], row["images"], strict=True):
            if image_id not in self.pictures:
                self._hash(image_id, picture["bytes"])
            self.pictures[image_id].setdefault(split, row["item_id"])

    def _hash(self, image_id: str, data: bytes) -> None:
        try:
            self.hashes[image_id] = hashes(decode_luma(data, at_least_px=HASHED_AT_LEAST_PX))
        except UnreadableImage:
            self.unreadable.append(image_id)


def check_splits(release: Release, *, max_bits: int = MAX_BITS) -> SplitCheck:
    """Return what the splits of a release share, and how far they are from their shares.

    Each picture is decoded once, at the size that the hashes need. Memory holds ids and hashes, no pictures.

    Args:
        release: Release to look at.
        max_bits: Bits of 64 in which the hashes of near copies may differ, 0 to 16.

    Raises:
        DataError: A data file is damaged.
    """
    places = _Places()
    for row in release.rows(_COLUMNS):
        places.add(row)
    equal = Counter(task for _, task, text in places.items if len(places.texts[text]) > 1)
    shared = {image: tuple(sorted(splits)) for image, splits in sorted(places.pictures.items()) if len(splits) > 1}
    return SplitCheck(
        shared_pictures=shared,
        shared_groups={key: tuple(sorted(splits)) for key, splits in sorted(places.groups.items()) if len(splits) > 1},
        near_pictures=tuple(sorted(_near(places, max_bits), key=lambda pair: (pair.bits, pair.first, pair.second))),
        equal_texts=dict(sorted(equal.items())),
        shares=tuple(_shares(places, _target_shares(release, places))),
        pictures=len(places.pictures),
        unreadable=tuple(sorted(places.unreadable)),
        splits=len(release.splits),
    )


def _near(places: _Places, max_bits: int) -> Iterator[NearPictures]:
    """Yield pairs of pictures of different splits whose hashes are near; one of several splits is listed as shared."""
    ids = sorted(image for image in places.hashes if len(places.pictures[image]) == 1)
    splits = np.array([next(iter(places.pictures[image])) for image in ids])
    codes = np.array([places.hashes[image] for image in ids], dtype=np.uint64).reshape(-1, 3)
    phash, dhash, mirrored = codes.T
    for start in range(0, len(ids), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        other = splits[rows, None] < splits[None, :]  # each pair once, and of different splits only
        bits = _distance(phash[rows], phash)
        turned = np.minimum(_distance(mirrored[rows], phash), _distance(phash[rows], mirrored))
        upright = (bits <= max_bits) & (_distance(dhash[rows], dhash) <= max_bits)
        for left, right in np.argwhere(other & (upright | (turned <= max_bits))):
            first, second = ids[start + left], ids[right]
            yield NearPictures(
                first,
                second,
                next(iter(places.pictures[first].values())),
                next(iter(places.pictures[second].values())),
                int(min(bits[left, right], turned[left, right])),
            )


def _distance(left: NDArray[np.uint64], right: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return the bits in which each pair differs: shape (left, right)."""
    bits: NDArray[np.uint8] = np.bitwise_count(left[:, None] ^ right[None, :])
    return bits


def _target_shares(release: Release, places: _Places) -> dict[str, float]:
    """Return each split's share: that of the recipe's step `splits`, else the one that it has of all items."""
    steps = release.manifest.recipe.get("steps")
    for step in steps if isinstance(steps, list) else ():
        fractions = step.get("fractions") if isinstance(step, dict) and step.get("step") == "splits" else None
        if isinstance(fractions, dict) and set(release.splits) <= set(fractions):
            return {split: float(fractions[split]) for split in release.splits}
    counts = Counter(split for split, _, _ in places.items)
    return {split: counts[split] / len(places.items) for split in release.splits}


def _shares(places: _Places, targets: Mapping[str, float]) -> Iterator[ShareOfSplit]:
    totals: Counter[tuple[str, str]] = Counter()
    for (name, value, _), items in places.strata.items():
        totals[name, value] += items
    for (name, value), total in sorted(totals.items()):
        for split, share in sorted(targets.items()):
            items, target = places.strata[name, value, split], share * total
            yield ShareOfSplit(name, value, split, items, round(target, 3), round(items - target, 3))
