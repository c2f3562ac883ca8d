"""Pictures in one set that show the same content: one search shared by audit, `filter leakage` and `release splits`.

Hashes find equal pixels. One picture represents each group of pictures with equal pixels. Hashes and local features
propose pairs of representatives, each pair is compared by pixels, and chains of confirmed copies are followed, all as
in the step `near_duplicates`.
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from benchwright.canonical import canonical_json
from benchwright.statistics.components import components_of
from benchwright.steps import GatherContext

from .candidate_pairs import KnownFeatures
from .pair_looks import FileToLookAt, LookedAt, Looking, PairToLookAt, Verdict, by_certainty, look_at
from .pairing import DISTANCE, ChainedPairs, ProposedPairs
from .picture_hashes import CopyMeasures

if TYPE_CHECKING:
    import pyarrow as pa

_PAIRS = "pairs to look at 1"
_FEATURES = "shared words 1"
_CODES = ("phash", "dhash", "mirrored")
MatchedBy = Literal["file", "pixels", "look"]
_Standing = Mapping[str, Mapping[str, str]]
"""For a picture that represents several, the first of these at each location."""


class MeasuredPicture(NamedTuple):
    """A picture with the measures needed to find its copies.

    Args:
        path: Path of the picture's file.
        width: Upright width, pixels.
        height: Upright height, pixels.
        measures: Measures of the picture.
        embedding: Embedding, by `Embeddings`; None if embeddings propose no pairs.
    """

    path: Path
    width: int
    height: int
    measures: CopyMeasures
    embedding: str | None = None

    @property
    def file(self) -> FileToLookAt:
        """Return the file to compare."""
        return FileToLookAt(str(self.path), self.width * self.height)


class CopyAcross(NamedTuple):
    """A picture at one location, such as a split, and its most likely copy at another location.

    Args:
        first: Id of the picture.
        first_place: Location of the picture.
        second: Id of its most likely copy at the other location; the same id if the identical file is there.
        second_place: The other location.
        verdict: `confirmed` if it is a copy, directly or through other copies; `unsure` if a curator must decide;
            `scene` for another view of one scene.
        by: `file` and `pixels` for equal files and pixels, `look` for the result of comparing pixels.
        alike: Proportion of the aligned overlap, 0-1, that shows the same content; for a copy through others, the
            smallest proportion along the chain.
    """

    first: str
    first_place: str
    second: str
    second_place: str
    verdict: Verdict
    by: MatchedBy
    alike: float


@dataclass(frozen=True)
class PictureCopies:
    """The pictures that show the same content.

    Args:
        same_as: For each picture, the one that represents its group of equal pixels; the picture itself if it has no
            equal.
        looks: Compared pairs of different pixels, sorted; they contain only representatives of groups, with the smaller
            id first.
    """

    same_as: Mapping[str, str]
    looks: tuple[LookedAt, ...]

    @cached_property
    def equal(self) -> tuple[tuple[str, ...], ...]:
        """Return the groups of two or more pictures with equal pixels, sorted."""
        groups: defaultdict[str, list[str]] = defaultdict(list)
        for image_id, leader in self.same_as.items():
            groups[leader].append(image_id)
        return tuple(sorted(tuple(sorted(group)) for group in groups.values() if len(group) > 1))

    @cached_property
    def copies(self) -> tuple[tuple[str, ...], ...]:
        """Return the groups of two or more pictures that are copies of each other, directly or through others."""
        pairs = [(look.first, look.second) for look in self.looks if look.verdict == "confirmed"]
        return _groups_of([*pairs, *self.equal])

    @cached_property
    def shown_as(self) -> Mapping[str, str]:
        """Return, for each picture with copies, the first picture of its group."""
        return {image_id: group[0] for group in self.copies for image_id in group}

    def pairs(self, verdict: Verdict) -> list[LookedAt]:
        """Return the pairs with a verdict, except those within one group of copies."""
        shown = self.shown_as
        return [
            look
            for look in self.looks
            if look.verdict == verdict and shown.get(look.first, look.first) != shown.get(look.second, look.second)
        ]

    def score(self, group: Sequence[str]) -> float:
        """Return the smallest similarity of the confirmed pairs of a group; 1 if all pixels are equal."""
        return self._least_alike.get(self.shown_as.get(group[0], ""), 1.0)

    @cached_property
    def _least_alike(self) -> Mapping[str, float]:
        """The smallest similarity of a confirmed pair, by the first picture of its group."""
        least: dict[str, float] = {}
        for look in self.looks:
            if look.verdict == "confirmed":
                first = self.shown_as[look.first]
                least[first] = min(look.alike, least.get(first, 1.0))
        return least

    def across(self, places: Mapping[str, Collection[str]]) -> list[CopyAcross]:
        """Return, for each picture, its most likely copy at each other location, if there is one, sorted.

        Args:
            places: The locations, such as splits, that contain each picture.
        """
        equals: defaultdict[str, dict[str, str]] = defaultdict(dict)
        grouped: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for image_id in sorted(self.same_as.keys() & places.keys()):
            for place in places[image_id]:
                equals[self.same_as[image_id]].setdefault(place, image_id)
                if image_id in self.shown_as:
                    grouped[self.shown_as[image_id]].setdefault(place, image_id)
        found = []
        for image_id in sorted(places):
            best: dict[str, CopyAcross] = {}
            for standing, verdict, by, alike in self._likeliest_first(image_id, places[image_id], equals, grouped):
                for place, other in standing.items():
                    best.setdefault(place, CopyAcross(image_id, "", other, place, verdict, by, alike))
            here = set(places[image_id])
            found += [copy._replace(first_place=one) for one in here for place, copy in best.items() if one != place]
        return sorted(found)

    def _likeliest_first(
        self, image_id: str, here: Collection[str], equals: _Standing, grouped: _Standing
    ) -> Iterator[tuple[Mapping[str, str], Verdict, MatchedBy, float]]:
        """Yield the pictures similar to a picture and their locations, most certain first."""
        leader = self.same_as.get(image_id, image_id)
        yield dict.fromkeys(here, image_id), "confirmed", "file", 1.0
        yield equals.get(leader, {}), "confirmed", "pixels", 1.0
        looks = sorted(self._partners.get(leader, ()), key=by_certainty)
        for look in looks:
            if look.verdict == "confirmed":
                yield equals.get(look.second, {}), "confirmed", "look", look.alike
        if image_id in self.shown_as:
            yield grouped.get(self.shown_as[image_id], {}), "confirmed", "look", self.score([image_id])
        for look in looks:
            if look.verdict in ("unsure", "scene"):
                yield equals.get(look.second, {}), look.verdict, "look", look.alike

    @cached_property
    def _partners(self) -> Mapping[str, list[LookedAt]]:
        """The compared pairs of each picture, with that picture first."""
        partners: defaultdict[str, list[LookedAt]] = defaultdict(list)
        for look in self.looks:
            partners[look.first].append(look)
            partners[look.second].append(look._replace(first=look.second, second=look.first))
        return partners


def _groups_of(links: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return elements that are linked, directly or through others, as sorted groups."""
    rows = [tuple(link) for link in links]
    groups: defaultdict[int, set[str]] = defaultdict(set)
    for component, link in zip(components_of(rows), rows, strict=True):
        groups[component].update(link)
    return tuple(sorted(tuple(sorted(group)) for group in groups.values()))


def find_copies(
    pictures: Mapping[str, MeasuredPicture], looking: Looking, *, distance: int = DISTANCE, cosine: float | None = None
) -> PictureCopies:
    """Return the pictures that show the same content.

    Args:
        pictures: Pictures, by an id that identifies their content.
        looking: Workers, progress and cache.
        distance: Maximum number of bits, of 64, in which two hashes of a proposed pair may differ.
        cosine: Smallest cosine, 0-1, at which embeddings propose a pair; None if they propose none.
    """
    leader: dict[str, str] = {}
    same_as = {
        image_id: leader.setdefault(pictures[image_id].measures.pixel_hash, image_id) for image_id in sorted(pictures)
    }
    standing = {image_id: pictures[image_id] for image_id in sorted(set(same_as.values()))}
    files = {image_id: picture.file for image_id, picture in standing.items()}
    table = _table(standing, embedded=cosine is not None)
    proposed = _proposed(table, looking, ProposedPairs(distance=distance, cosine=cosine))
    looks = look_at(proposed, files, looking)
    looks |= look_at(_chained(table, proposed, looks), files, looking)
    return PictureCopies(same_as, tuple(sorted(looks.values())))


def _table(pictures: Mapping[str, MeasuredPicture], *, embedded: bool) -> pa.Table:
    import pyarrow as pa

    from benchwright.workspace.arrow_arrays import arrow_array

    rows = list(pictures.values())
    columns = {
        "image_id": arrow_array(list(pictures), pa.string()),
        "width": arrow_array([picture.width for picture in rows], pa.int64()),
        "height": arrow_array([picture.height for picture in rows], pa.int64()),
        **{
            f"hashes.{name}": arrow_array([getattr(picture.measures, name) for picture in rows], pa.uint64())
            for name in _CODES
        },
        "features.words": arrow_array([picture.measures.words for picture in rows], pa.string()),
        "features.miniature": arrow_array([picture.measures.miniature for picture in rows], pa.string()),
    }
    if embedded:
        columns["embeddings.embedding"] = arrow_array([picture.embedding for picture in rows], pa.string())
    return pa.table(columns)


def _proposed(table: pa.Table, looking: Looking, step: ProposedPairs) -> list[PairToLookAt]:
    """Return the pairs to compare, reusing the results of the last search and keeping those of this search."""
    ids = table["image_id"].to_pylist()
    cache = looking.cache
    inputs = [ids, step.distance]
    is_kept = cache is not None and step.cosine is None  # embeddings are not part of a result's name
    if cache is not None and is_kept and (data := cache.get(_PAIRS, inputs)) is not None:
        return [PairToLookAt(*pair) for pair in json.loads(zlib.decompress(data))]
    looking.progress.phase("comparing pictures", 0, "pictures")
    data = None if cache is None else cache.get(_FEATURES, None)
    before = None if data is None else KnownFeatures.from_json(json.loads(zlib.decompress(data)))
    gathered, known = step.proposed(table, before)
    pairs = list(_named_pairs(ids, gathered))
    if cache is not None:
        cache.put(_FEATURES, None, zlib.compress(canonical_json(known.to_json()).encode(), 1))
        if is_kept:
            cache.put(_PAIRS, inputs, zlib.compress(canonical_json([list(pair) for pair in pairs]).encode(), 1))
    return pairs


def _named_pairs(ids: Sequence[str], gathered: Any) -> Iterator[PairToLookAt]:
    pairs = []
    partners, mirrored = gathered.values["partners"], gathered.values["mirrored"]
    for row, named, turned in zip(gathered.rows.tolist(), partners, mirrored, strict=True):
        for partner in named or ():
            first, second = sorted((ids[row], partner))
            pairs.append(PairToLookAt(first, second, partner in (turned or ())))
    yield from sorted(pairs)


def _chained(
    table: pa.Table, proposed: Sequence[PairToLookAt], looks: Mapping[tuple[str, str], LookedAt]
) -> list[PairToLookAt]:
    """Return the pairs from chains of copies that have not yet been compared."""
    import pyarrow as pa

    from benchwright.workspace.arrow_arrays import arrow_array

    ids = table["image_id"].to_pylist()
    partners: defaultdict[str, list[str]] = defaultdict(list)
    mirrored: defaultdict[str, list[str]] = defaultdict(list)
    confirmed: defaultdict[str, list[str]] = defaultdict(list)
    for first, second, turned in proposed:
        partners[second].append(first)
        if turned:
            mirrored[second].append(first)
        if looks[first, second].verdict == "confirmed":
            confirmed[second].append(first)
    columns = table.select(["image_id", "width", "height"])
    for name, lists in (("pairs.partners", partners), ("pairs.mirrored", mirrored), ("looks.confirmed", confirmed)):
        columns = columns.append_column(name, arrow_array([lists[image_id] for image_id in ids], pa.list_(pa.string())))
    return list(_named_pairs(ids, ChainedPairs().gather(columns, GatherContext(0, ChainedPairs.name))))
