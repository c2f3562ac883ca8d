"""Pictures, copies, keys and texts that splits of a release share, and how far each split deviates from its share.

Finds the same copies as `audit` and `filter leakage`: hashes and local features propose pairs, and a comparison of
pixels decides.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.diagnostics.copies.pairing import DISTANCE
from benchwright.diagnostics.copies.split_pictures import CopiesAcrossSplits, SplitPictures, copies_across_splits
from benchwright.release import Release
from benchwright.statistics.components import SplitsOfKeys
from benchwright.texts.normalization import normal

if TYPE_CHECKING:
    from benchwright.progress import Progress

_COLUMNS = ("item_id", "split", "task", "level", "category", "question", "choices", "group_keys")

LOOKED_FOR = (
    "equal files",
    "copies of pictures (stored anew, made smaller, cropped, recolored, mirrored, turned, with text or frames added)",
    "other views of one scene",
    "equal group keys",
    "equal texts",
)
"""Kinds of overlap between splits for which the check searches."""
NOT_LOOKED_FOR = (
    "other pictures of one object or place, where they share too little",
    "the same question in other words",
)
"""Kinds of overlap that this check cannot find and reports as unknown."""


class NearPictures(NamedTuple):
    """Two pictures in different splits that are, or may be, copies of the same picture.

    Args:
        first: Id of the first picture.
        second: Id of the second picture.
        first_item: Id of an item that shows the first picture.
        second_item: Id of an item in another split that shows the second picture.
        bits: Number of bits in which the pHashes differ; computed for the mirrored picture if that is closer.
        verdict: `confirmed` for a copy, `unsure` if a person should decide, `scene` for a different view of the same
            scene.
        alike: Proportion of the aligned overlap that matches, 0-1.
    """

    first: str
    second: str
    first_item: str
    second_item: str
    bits: int
    verdict: str
    alike: float


class ShareOfSplit(NamedTuple):
    """Deviation of a split from its expected share of one task, level or category.

    Args:
        field: `task`, `level` or `category`.
        value: Value of the field.
        split: Name of the split.
        items: Number of such items in the split.
        target: Number of such items that corresponds to the split's share.
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
    """Overlap between the splits of a release.

    Args:
        shared_pictures: Ids of pictures shown by items in several splits, with the names of the splits.
        shared_groups: Group keys of items in several splits, with the names of the splits.
        near_pictures: Pairs of pictures of different splits that are copies. Each picture with copies in another split
            is paired with its likeliest copy; the most similar pairs come first.
        possible_pictures: Pairs that may be copies or show the same scene, for a person to inspect.
        equal_texts: Number of items, by task, whose question and options equal those of an item of another split,
            ignoring case and punctuation. Tasks that ask the same question about every picture share it intentionally.
        shares: Deviation of each split from its share of tasks, levels and categories.
        pictures: Number of pictures compared.
        unreadable: Ids of pictures that cannot be decoded or compared except by their bytes.
    """

    shared_pictures: Mapping[str, tuple[str, ...]]
    shared_groups: Mapping[str, tuple[str, ...]]
    near_pictures: tuple[NearPictures, ...]
    possible_pictures: tuple[NearPictures, ...]
    equal_texts: Mapping[str, int]
    shares: tuple[ShareOfSplit, ...]
    pictures: int
    unreadable: tuple[str, ...]

    @property
    def has_shared(self) -> bool:
        """Return whether several splits share a picture, a copy or a group key."""
        return bool(self.shared_pictures or self.shared_groups or self.near_pictures)

    @property
    def is_apart(self) -> bool | None:
        """Return whether the splits share nothing, or None if nothing was found but a comparison failed."""
        if self.has_shared:
            return False
        return None if self.unreadable else True


@dataclass
class _Places:
    """The splits in which each group key and each text occur."""

    keys: SplitsOfKeys = field(default_factory=SplitsOfKeys)
    texts: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    items: list[tuple[str, str, int]] = field(default_factory=list)
    strata: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def add(self, row: Mapping[str, Any]) -> None:
        split, task = str(row["split"]), str(row["task"])
        self.keys.add(row["group_keys"], split)
        choices = sorted(normal(choice["text"] or "") for choice in row["choices"] or ())
        text = hash((normal(row["question"]), *choices))
        self.texts[text].add(split)
        self.items.append((split, task, text))
        for name in ("task", "level", "category"):
            if row[name] is not None:
                self.strata[name, str(row[name]), split] += 1


def check_splits(
    release: Release, *, distance: int = DISTANCE, workers: int | None = None, progress: Progress | None = None
) -> SplitCheck:
    """Return the overlap between the splits of a release, and the splits' deviation from their shares.

    Args:
        release: Release to check.
        distance: Maximum number of differing bits (of 64) between the hashes of a pair to compare, 0 to 16.
        workers: Number of processes; by default one per processor.
        progress: Receiver of progress; default none.

    Raises:
        DataError: A data file is damaged.
    """
    places = _Places()
    for row in release.rows(_COLUMNS):
        places.add(row)
    equal = Counter(task for _, task, text in places.items if len(places.texts[text]) > 1)
    pictures, found = copies_across_splits(release.path, distance=distance, workers=workers, progress=progress)
    near = _near(pictures, found)
    return SplitCheck(
        shared_pictures={
            image: tuple(sorted(splits)) for image, splits in sorted(pictures.shown.items()) if len(splits) > 1
        },
        shared_groups=places.keys.torn(),
        near_pictures=tuple(pair for pair in near if pair.verdict == "confirmed"),
        possible_pictures=tuple(pair for pair in near if pair.verdict != "confirmed"),
        equal_texts=dict(sorted(equal.items())),
        shares=tuple(_shares(places, _target_shares(release, places))),
        pictures=len(pictures.shown),
        unreadable=tuple(sorted(found.unreadable)),
    )


def _near(pictures: SplitPictures, found: CopiesAcrossSplits) -> list[NearPictures]:
    """Return the pairs of different files in different splits, each pair once, the most similar first."""
    pairs: dict[tuple[str, str], NearPictures] = {}
    for copy in found.across:
        # The first picture is the one of the first split, so that both directions give one pair.
        ends = sorted(((copy.first_place, copy.first), (copy.second_place, copy.second)))
        (one, first), (other, second) = ends
        if copy.by != "file" and (first, second) not in pairs:
            hashed = (found.pictures[first].measures, found.pictures[second].measures)
            bits = min((left ^ right).bit_count() for left, right in (
                (hashed[0].phash, hashed[1].phash),
                (hashed[0].mirrored, hashed[1].phash),
                (hashed[0].phash, hashed[1].mirrored),
            ))  # fmt: skip
            items = pictures.shown[first][one], pictures.shown[second][other]
            pairs[first, second] = NearPictures(first, second, *items, bits, copy.verdict, copy.alike)
    return sorted(pairs.values(), key=lambda pair: (-pair.alike, pair.bits, pair.first, pair.second))


def _target_shares(release: Release, places: _Places) -> dict[str, float]:
    """Return each split's target share: the one in the recipe's step `splits`, or else its share of all items."""
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
