"""Measurement of the cues of all items of a source, reading each picture as it arrives."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from heapq import heappush, heapreplace
from itertools import chain, islice
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from benchwright.canonical import digest
from benchwright.errors import UnreadableImage
from benchwright.images import decode_rgb
from benchwright.record_map import LostRecord, RecordMap, map_here
from benchwright.records import Item
from benchwright.source_files.item_files import PicturePlace, SourceItem

from ..adversary.evidence_store import EvidenceStore
from ..adversary.item_evidence import EvidenceOf, ItemEvidence, PictureEvidence, evidence_of_item, picture_evidence
from ..adversary.learning import MOST_ITEMS
from .cue_table import with_source_image
from .declared import task_region_of
from .item_cues import FactsOf, ItemCues, among_answers, cues_of_item, option_pictures_of
from .item_source import LeftOutItem
from .option_marks import option_marks
from .picture_facts import PictureTraits, facts_of_picture

_NO_KEY, DECLINING, NO_PICTURE = "no_key", "declining_is_right", "missing_picture"
UNKEYED = frozenset((_NO_KEY, DECLINING))
"""Reasons why an item has no cues although it has no fault."""
_TOGETHER = 24
"""Number of items sent to a worker at a time."""
ALONE = 200
"""Number of items up to which no workers are started."""
_KEPT = 4096
"""Number of pictures whose facts are cached, because several items may show the same picture."""
_EVIDENCE_KEPT = 512
"""Number of pictures whose evidence, which is larger, is cached."""


class MeasuredItems(NamedTuple):
    """The cues of all items of a source.

    Args:
        cues: Cues of the items, in the order of the source.
        group_keys: Group keys of each item, by its id.
        left_out: Items without cues.
        words_alone: Number of items with missing pictures, for which only words and letters were measured.
        evidence: The adversary's evidence of items, by item id, read on access; for a task with many items, only that
            of some items, chosen by their ids.
        rows: Index of each item in the source, by item id; empty if indices reveal nothing.
    """

    cues: tuple[ItemCues, ...]
    group_keys: Mapping[str, tuple[str, ...]]
    left_out: tuple[LeftOutItem, ...]
    words_alone: int = 0
    evidence: Mapping[str, ItemEvidence] = {}
    rows: Mapping[str, int] = {}


def measure_items(
    items: Iterator[SourceItem | LeftOutItem],
    *,
    record_map: RecordMap = map_here,
    in_order: bool = True,
    most_learned: int = MOST_ITEMS,
    learned: frozenset[str] | None = None,
) -> MeasuredItems:
    """Measure items; only the cues and the pictures of a few items are in memory at a time.

    Args:
        items: The items, read as workers need them, and the items that the source leaves out.
        record_map: Function that maps the measurement over many items; a few items are measured in this process.
        in_order: Whether the items come in the order of their source, which may reveal keys.
        most_learned: Largest number of items of each task from which the adversary learns; 0 for none.
        learned: Ids of these items, if `learned_from` chose them before. Otherwise, items are chosen as they arrive,
            and many are measured only to be replaced by later ones.
    """
    cues: list[ItemCues] = []
    group_keys: dict[str, tuple[str, ...]] = {}
    left_out: list[LeftOutItem] = []
    evidence = EvidenceStore()
    chosen = _ChosenItems(most_learned, learned)
    words_alone = 0
    for entry in _results(items, record_map, chosen):
        if isinstance(entry, LeftOutItem):
            left_out.append(entry)
        else:
            cues.append(entry.cues)
            group_keys[entry.cues.item_id] = entry.group_keys
            words_alone += entry.words_alone
            if entry.evidence is not None and chosen.is_chosen(entry.cues.item_id):
                evidence.add(entry.cues.item_id, entry.evidence)
            for item_id in chosen.taken_back():
                evidence.discard(item_id)
    rows = {each.item_id: row for row, each in enumerate(cues)} if in_order else {}
    return MeasuredItems(tuple(cues), group_keys, tuple(left_out), words_alone, evidence, rows)


def learned_from(items: Iterable[tuple[str, str]], *, most: int = MOST_ITEMS) -> frozenset[str]:
    """Return the ids of the items from which the adversary learns.

    Args:
        items: Task and id of each item with a right answer.
        most: Largest number of items of each task.
    """
    chosen = _ChosenItems(most)
    ids = {item_id for task, item_id in items if chosen.choose(task, item_id)}
    return frozenset(ids.difference(chosen.taken_back()))


class _ChosenItems:
    """Chooser of the items with the smallest digests in each task, as items arrive.

    Args:
        most: Largest number of items of a task.
        known: Ids of the items, if already known.
    """

    def __init__(self, most: int, known: frozenset[str] | None = None) -> None:
        self._most = most
        self._known = known
        self._of_task: dict[str, list[tuple[int, str]]] = {}
        self._back: list[str] = []
        self._not_chosen: set[str] = set()

    def choose(self, task: str, item_id: str) -> bool:
        """Return whether an item is among those chosen so far; a later choice may withdraw it."""
        if self._known is not None:
            return item_id in self._known
        heap = self._of_task.setdefault(task, [])
        entry = (-int(digest(["learned from", item_id])[:15], 16), item_id)
        if len(heap) < self._most:
            heappush(heap, entry)
            return True
        if not heap or entry < heap[0]:
            return False
        self._back.append(heapreplace(heap, entry)[1])
        self._not_chosen.add(self._back[-1])
        return True

    def is_chosen(self, item_id: str) -> bool:
        """Return whether an item that was chosen is still among those chosen."""
        return item_id not in self._not_chosen

    def taken_back(self) -> list[str]:
        """Return the items whose choice was withdrawn since the last call."""
        back, self._back = self._back, []
        return back


class _MeasuredItem(NamedTuple):
    """An item's cues, group keys and evidence, and whether its pictures are missing."""

    cues: ItemCues
    group_keys: tuple[str, ...]
    words_alone: bool
    evidence: ItemEvidence | None


class _EntryToMeasure(NamedTuple):
    """An entry of the source, and whether the adversary learns from it."""

    entry: SourceItem | LeftOutItem
    is_learned: bool


def _results(
    items: Iterator[SourceItem | LeftOutItem], record_map: RecordMap, chosen: _ChosenItems
) -> Iterator[_MeasuredItem | LeftOutItem]:
    first = list(islice(items, ALONE + 1))
    under_way: deque[tuple[str, str]] = deque()

    def noted() -> Iterator[_EntryToMeasure]:
        for entry in chain(first, items):
            under_way.append(_named(entry))
            is_learned = (
                isinstance(entry, SourceItem)
                and among_answers(entry.item) is not None
                and chosen.choose(entry.item.task, entry.item.item_id)
            )
            yield _EntryToMeasure(entry, is_learned)

    mapped = map_here if len(first) <= ALONE else record_map
    for measured in mapped(_measured, noted(), what="cues", together=_TOGETHER):
        item_id, task = under_way.popleft()
        yield LeftOutItem(item_id, task, *measured) if isinstance(measured, LostRecord) else measured


def _named(entry: SourceItem | LeftOutItem) -> tuple[str, str]:
    """Return the id by which curators know an item, and its task."""
    if isinstance(entry, LeftOutItem):
        return entry.item_id, entry.task
    return entry.own_id or entry.item.item_id, entry.item.task


def _measured(to_measure: _EntryToMeasure) -> _MeasuredItem | LeftOutItem:
    entry = to_measure.entry
    if isinstance(entry, LeftOutItem):
        return entry
    item = entry.item
    pictures = PicturesOfItem(entry.files) if entry.has_pictures else None
    cues = cues_or_reason(item, None if pictures is None else facts_reader(pictures))
    if isinstance(cues, str):
        return LeftOutItem(*_named(entry), cues)
    evidence = None
    if to_measure.is_learned:
        try:
            evidence = evidence_or_none(item, pictures, places=entry.places, own_id=entry.own_id)
        except UnreadableImage as error:
            return LeftOutItem(*_named(entry), error.reason)
    group_keys = with_source_image(item.group_keys, item.root_image_id)
    return _MeasuredItem(cues, group_keys, not entry.has_pictures, evidence)


class ReadPictures(Protocol):
    """The files and pixels of pictures, by image id."""

    def data(self, image_id: str) -> bytes:
        """Return the bytes of a picture's file."""

    def pixels(self, image_id: str) -> NDArray[np.uint8]:
        """Return the upright pixels of a picture.

        Raises:
            UnreadableImage: The picture cannot be decoded.
        """


class PicturesOfItem:
    """The pictures of one item, each decoded once.

    Args:
        files: Bytes of the pictures' files, by image id.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self._pixels: dict[str, NDArray[np.uint8]] = {}

    def data(self, image_id: str) -> bytes:
        """Return the bytes of a picture's file."""
        return self._files[image_id]

    def pixels(self, image_id: str) -> NDArray[np.uint8]:
        """Return the upright pixels of a picture.

        Raises:
            UnreadableImage: The picture cannot be decoded.
        """
        if image_id not in self._pixels:
            self._pixels[image_id] = decode_rgb(self._files[image_id])
        return self._pixels[image_id]


def evidence_or_none(
    item: Item,
    pictures: ReadPictures | None,
    *,
    places: Mapping[str, PicturePlace] | None = None,
    own_id: str | None = None,
) -> ItemEvidence | None:
    """Return the adversary's evidence of an item; None for an item without a right answer.

    Args:
        item: The item.
        pictures: Pictures of the item; None if they are missing.
        places: Locations of the pictures' files, by image id.
        own_id: Id of the question in its source.

    Raises:
        UnreadableImage: A picture cannot be read.
    """
    kept = _evidence_kept()

    def evidence_of(image_id: str) -> PictureEvidence:
        assert pictures is not None
        known = kept.get(image_id)
        if known is None:
            known = picture_evidence(pictures.data(image_id), pictures.pixels(image_id))
            while len(kept) >= _EVIDENCE_KEPT:
                del kept[next(iter(kept))]
            kept[image_id] = known
        return known

    if pictures is None:
        return evidence_of_answers(item, None, None, places=places, own_id=own_id)
    return evidence_of_answers(item, evidence_of, pictures.pixels, places=places, own_id=own_id)


def evidence_of_answers(
    item: Item,
    evidence_of: EvidenceOf | None,
    pixels_of: Callable[[str], NDArray[np.uint8]] | None,
    *,
    places: Mapping[str, PicturePlace] | None = None,
    own_id: str | None = None,
) -> ItemEvidence | None:
    """Return the adversary's evidence of the options that answer an item; None if no such option is right.

    Args:
        item: The item.
        evidence_of: Function from a picture's id to its evidence; None if pictures are missing.
        pixels_of: Function from a picture's id to its pixels, needed only for the content under marks.
        places: Locations of the pictures' files, by image id.
        own_id: Id of the question in its source.

    Raises:
        UnreadableImage: A picture cannot be read.
    """
    answerable = among_answers(item)
    if answerable is None:
        return None
    marks = option_marks(answerable)
    return evidence_of_item(
        answerable,
        option_pictures_of(answerable),
        evidence_of=evidence_of,
        places=places,
        own_id=own_id,
        marks=() if marks is None else marks.options,
        pixels_of=None if task_region_of(item.task).under_marks else pixels_of,
    )


@lru_cache(maxsize=1)
def _evidence_kept() -> dict[str, PictureEvidence]:
    """Return the evidence kept in this process, by image id."""
    return {}


def cues_or_reason(item: Item, facts_of: FactsOf | None) -> ItemCues | str:
    """Return the cues of an item, or the reason why it has none.

    The reasons are `no_key`, `declining_is_right`, `missing_picture` (if pictures of options are missing), and the
    reason why a picture is unreadable.

    Args:
        item: The item.
        facts_of: Function that returns the facts about a picture (`cues_of_item`); None if not all pictures are
            present, so that only words and letters are measured.
    """
    answerable = among_answers(item)
    if answerable is None:
        return _NO_KEY if item.right_key is None else DECLINING
    if facts_of is None and option_pictures_of(answerable):
        return NO_PICTURE
    try:
        cues = cues_of_item(answerable, facts_of)
    except UnreadableImage as error:
        return error.reason
    return _NO_KEY if cues is None else cues


def facts_reader(pictures: ReadPictures) -> FactsOf:
    """Return a function from a picture's id, and whether its pixels are needed, to the picture's cached facts.

    Args:
        pictures: The pictures.
    """

    def facts(image_id: str, with_pixels: bool) -> PictureTraits:
        kept = _facts_kept()
        known = kept.get((image_id, with_pixels)) or kept.get((image_id, True))
        if known is None:
            pixels = pictures.pixels(image_id) if with_pixels else None
            known = facts_of_picture(pictures.data(image_id), with_pixels=with_pixels, pixels=pixels)
            while len(kept) >= _KEPT:
                del kept[next(iter(kept))]
            kept[image_id, with_pixels] = known
        return known

    return facts


@lru_cache(maxsize=1)
def _facts_kept() -> dict[tuple[str, bool], PictureTraits]:
    """Return the facts kept in this process; an image id names its bytes, so they never change."""
    return {}
