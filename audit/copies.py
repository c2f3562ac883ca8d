"""Copies among the pictures of an audit: equal pixels, and near copies as the step `near_duplicates` finds them.

The parts of that step propose pairs, and decide on each by a second look at the pixels; here their results are kept by
the contents of the two pictures, so that a second audit looks only at pairs that are new.
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from benchwright.canonical import canonical_json
from benchwright.components import components_of
from benchwright.errors import BenchwrightError, UnreadableImage
from benchwright.raised import RaisedError
from benchwright.text_normalization import counted

from .check import FailedItem
from .picture_measures import KIND, PictureMeasures, in_batches, run_jobs

if TYPE_CHECKING:
    import pyarrow as pa

    from benchwright.engines import Attempt

    from .audited_items import AuditedPicture
    from .check import AuditContext

DISTANCE = 8
"""Bits of 64 in which the hashes of a pair may differ, the default of `near_duplicates`."""
_LOOK = "audit look 4"
_PAIRS = "audit pairs 1"
_FEATURES = "audit shared words 1"
_STAGE = "audit"
_PAIRS_A_JOB = 24

PairVerdict = Literal["confirmed", "unsure", "scene", "different", "unreadable"]


class LookedAt(NamedTuple):
    """Two pictures that were compared pixel by pixel.

    Args:
        first: Id of a picture.
        second: Id of the other, the greater id.
        verdict: As in `benchwright.diagnostics.copies.verification`.
        alike: Share of the aligned overlap, 0-1, that shows the same.
    """

    first: str
    second: str
    verdict: PairVerdict
    alike: float


@dataclass(frozen=True)
class PictureCopies:
    """Which pictures show the same.

    Args:
        same_as: For each picture the one that stands for all of equal pixels, itself where it stands alone.
        looks: Pairs of different pixels that were looked at, sorted; only pictures that stand for others are in them.
    """

    same_as: Mapping[str, str]
    looks: tuple[LookedAt, ...]

    @cached_property
    def equal(self) -> tuple[tuple[str, ...], ...]:
        """Return the groups of two and more pictures of equal pixels, sorted."""
        groups: defaultdict[str, list[str]] = defaultdict(list)
        for image_id, leader in self.same_as.items():
            groups[leader].append(image_id)
        return tuple(sorted(tuple(sorted(group)) for group in groups.values() if len(group) > 1))

    @cached_property
    def copies(self) -> tuple[tuple[str, ...], ...]:
        """Return the groups of two and more pictures that are copies of one another, directly or through others."""
        pairs = [(look.first, look.second) for look in self.looks if look.verdict == "confirmed"]
        return groups_of([*pairs, *self.equal])

    @cached_property
    def shown_as(self) -> Mapping[str, str]:
        """Return for each picture that has copies the first of its group."""
        return {image_id: group[0] for group in self.copies for image_id in group}

    def pairs(self, verdict: PairVerdict) -> list[LookedAt]:
        """Return the pairs with a verdict, without those of one group of copies."""
        shown = self.shown_as
        return [
            look
            for look in self.looks
            if look.verdict == verdict and shown.get(look.first, look.first) != shown.get(look.second, look.second)
        ]

    def score(self, group: Sequence[str]) -> float:
        """Return the least likeness of the confirmed pairs of a group; 1 where all pixels are equal."""
        return self._least_alike.get(self.shown_as.get(group[0], ""), 1.0)

    @cached_property
    def _least_alike(self) -> Mapping[str, float]:
        """The least likeness of a confirmed pair, by the first picture of its group."""
        least: dict[str, float] = {}
        for look in self.looks:
            if look.verdict == "confirmed":
                first = self.shown_as[look.first]
                least[first] = min(look.alike, least.get(first, 1.0))
        return least


def groups_of(links: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return what is linked, directly or through others, as sorted groups."""
    rows = [tuple(link) for link in links]
    groups: defaultdict[int, set[str]] = defaultdict(set)
    for component, link in zip(components_of(rows), rows, strict=True):
        groups[component].update(link)
    return tuple(sorted(tuple(sorted(group)) for group in groups.values()))


def find_copies(
    pictures: Mapping[str, AuditedPicture], measured: Mapping[str, PictureMeasures], context: AuditContext
) -> PictureCopies:
    """Return which pictures show the same.

    Args:
        pictures: Pictures by id.
        measured: Their measures by id; those that cannot be decoded are left aside.
        context: Context with cache and workers.
    """
    readable = {image_id: measures for image_id, measures in measured.items() if measures.failed is None}
    leader: dict[str, str] = {}
    same_as = {image_id: leader.setdefault(readable[image_id].pixel_hash, image_id) for image_id in sorted(readable)}
    ids = sorted(set(same_as.values()))
    table = _table(ids, pictures, readable)
    proposed = [tuple(pair) for pair in context.kept(_PAIRS, ids, lambda: _proposed(table, context))]
    looks = _looked_at(proposed, pictures, context)
    chained = _chained(table, ids, proposed, looks)
    looks |= _looked_at(chained, pictures, context)
    return PictureCopies(same_as, tuple(sorted(looks.values())))


class PairToLookAt(NamedTuple):
    """Two pictures to compare, by their ids, and whether one of them is compared mirrored too."""

    first: str
    second: str
    mirrored: bool


def _table(
    ids: Sequence[str], pictures: Mapping[str, AuditedPicture], measured: Mapping[str, PictureMeasures]
) -> pa.Table:
    import pyarrow as pa

    rows = [(pictures[image_id], measured[image_id]) for image_id in ids]
    hashes = {
        f"hashes.{name}": pa.array([measures.hashes[name] for _, measures in rows], pa.uint64())
        for name in ("phash", "dhash", "mirrored")
    }
    return pa.table(
        {
            "image_id": pa.array(ids, pa.string()),
            "width": pa.array([picture.width for picture, _ in rows], pa.int64()),
            "height": pa.array([picture.height for picture, _ in rows], pa.int64()),
            **hashes,
            "features.words": pa.array([measures.words for _, measures in rows], pa.string()),
            "features.miniature": pa.array([measures.miniature for _, measures in rows], pa.string()),
        }
    )


def _proposed(table: pa.Table, context: AuditContext) -> list[tuple[str, str, bool]]:
    """Return the pairs to look at; what the last audit knew of them is used, and what this one knows is kept."""
    from benchwright.diagnostics.copies.candidate_pairs import KnownFeatures
    from benchwright.filters.duplicates.near_duplicates import ProposedPairs

    context.progress.phase("comparing pictures", 0, "pictures")
    data = context.cache.get(_FEATURES, KIND)
    before = None if data is None else KnownFeatures.from_json(json.loads(zlib.decompress(data)))
    gathered, known = ProposedPairs(distance=DISTANCE).proposed(table, before)
    context.cache.put(_FEATURES, KIND, zlib.compress(canonical_json(known.to_json()).encode(), 1))
    return _named_pairs(table["image_id"].to_pylist(), gathered)


def _named_pairs(ids: Sequence[str], gathered: Any) -> list[tuple[str, str, bool]]:
    pairs = []
    partners, mirrored = gathered.values["partners"], gathered.values["mirrored"]
    for row, named, turned in zip(gathered.rows.tolist(), partners, mirrored, strict=True):
        for partner in named or ():
            first, second = sorted((ids[row], partner))
            pairs.append((first, second, partner in (turned or ())))
    return sorted(pairs)


def _chained(
    table: pa.Table,
    ids: Sequence[str],
    proposed: Sequence[tuple[str, str, bool]],
    looks: Mapping[tuple[str, str], LookedAt],
) -> list[tuple[str, str, bool]]:
    """Return the pairs of chains of copies that were not looked at yet."""
    import pyarrow as pa

    from benchwright.filters.duplicates.near_duplicates import ChainedPairs
    from benchwright.steps import GatherContext

    partners, mirrored, confirmed = ({image_id: [] for image_id in ids} for _ in range(3))  # type: ignore[var-annotated]
    for first, second, turned in proposed:
        partners[second].append(first)
        if turned:
            mirrored[second].append(first)
        if looks[first, second].verdict == "confirmed":
            confirmed[second].append(first)
    columns = table.select(["image_id", "width", "height"])
    for name, lists in (("pairs.partners", partners), ("pairs.mirrored", mirrored), ("looks.confirmed", confirmed)):
        columns = columns.append_column(name, pa.array([lists[image_id] for image_id in ids], pa.list_(pa.string())))
    return _named_pairs(ids, ChainedPairs().gather(columns, GatherContext(0, _STAGE)))


def _looked_at(
    pairs: Sequence[tuple[str, str, bool]], pictures: Mapping[str, AuditedPicture], context: AuditContext
) -> dict[tuple[str, str], LookedAt]:
    files = {
        name: (str(pictures[name].file), pictures[name].width * pictures[name].height)
        for pair in pairs
        for name in pair[:2]
    }
    return look_at([PairToLookAt(*pair) for pair in pairs], files, context)


def look_at(
    pairs: Sequence[PairToLookAt], files: Mapping[str, tuple[str, int]], context: AuditContext
) -> dict[tuple[str, str], LookedAt]:
    """Return what a comparison of each pair says; workers compare those that are not in the cache.

    Args:
        pairs: The pairs.
        files: File and number of pixels of each picture, by an id that names its content.
        context: Context with cache and workers.
    """
    looks: dict[tuple[str, str], LookedAt] = {}
    missing: list[PairToLookAt] = []
    for pair in pairs:
        data = context.cache.get(_LOOK, list(pair))
        if data is None:
            missing.append(pair)
        else:
            looks[pair.first, pair.second] = LookedAt(pair.first, pair.second, *json.loads(data))
    if missing:
        context.progress.phase("likely copies", len(missing), "pairs")
    jobs = [
        LookAtPairs(tuple(batch), {name: files[name] for pair in batch for name in pair[:2]})
        for batch in in_batches(missing, _PAIRS_A_JOB)
    ]
    for results in run_jobs(jobs, context):
        for pair, verdict, alike, error in results:
            if error is not None:
                context.failed.append(FailedItem(error, pictures=(pair.first, pair.second)))
            looks[pair.first, pair.second] = LookedAt(pair.first, pair.second, verdict, alike)
            if verdict != "unreadable":
                context.cache.put(_LOOK, list(pair), json.dumps([verdict, alike]).encode())
    return looks


@dataclass(frozen=True)
class LookAtPairs:
    """A job that compares pairs of pictures.

    Args:
        pairs: The pairs.
        files: File and number of pixels of each picture, by id.
    """

    pairs: tuple[PairToLookAt, ...]
    files: Mapping[str, tuple[str, int]]

    @property
    def name(self) -> str:
        """Return the job's name for logs, one line."""
        return f"{counted(len(self.pairs), 'pair')} from {self.pairs[0].first[:12]}"

    @property
    def size(self) -> int:
        """Return the number of pairs."""
        return len(self.pairs)

    def run(self, worker: Any, attempt: Attempt) -> list[tuple[PairToLookAt, PairVerdict, float, RaisedError | None]]:
        """Return verdict and likeness of each pair, and the exception that was raised, if one was."""
        from benchwright.diagnostics.copies.verification import PreparedPictures

        del worker
        kept = PreparedPictures()
        results: list[tuple[PairToLookAt, PairVerdict, float, RaisedError | None]] = []
        for pair in self.pairs:
            place = (_STAGE, f"{pair.first} {pair.second}")
            if place in attempt.blamed:
                results.append((pair, "unreadable", 0.0, None))
                continue
            attempt.at(place)
            try:
                results.append((pair, *self._compared(pair, kept), None))
            except (BenchwrightError, MemoryError):
                raise
            except Exception as error:  # noqa: BLE001 - recorded with its place, and one pair loses no other
                results.append((pair, "unreadable", 0.0, RaisedError.of(error)))
        return results

    def _compared(self, pair: PairToLookAt, kept: Any) -> tuple[PairVerdict, float]:
        from benchwright.diagnostics.copies.verification import DECODED_AT_LEAST_PX, compare_pictures
        from benchwright.images.decode import decode_luma

        # The larger picture is the fixed one, as in `near_duplicates`.
        ordered = sorted((pair.first, pair.second), key=lambda name: (-self.files[name][1], name))
        try:
            fixed, moving = (
                kept.prepared(
                    name, lambda name=name: decode_luma(Path(self.files[name][0]), at_least_px=DECODED_AT_LEAST_PX)
                )
                for name in ordered
            )
        except (UnreadableImage, OSError):
            return "unreadable", 0.0
        comparison = compare_pictures(fixed, moving, mirrored=pair.mirrored)
        return comparison.verdict, round(comparison.likeness, 4)
