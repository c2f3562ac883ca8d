"""Measuring of the cues of all items of a source, each picture read as it comes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple

from benchwright.errors import UnreadableImage
from benchwright.record_map import LostRecord, RecordMap, map_here
from benchwright.records import Item
from benchwright.source_files.item_files import SourceItem

from .cue_table import with_source_image
from .item_cues import FactsOf, ItemCues, among_answers, cues_of_item, option_pictures_of
from .item_source import LeftOutItem
from .picture_facts import PictureTraits, facts_of_picture

_NO_KEY, DECLINING, NO_PICTURE = "no_key", "declining_is_right", "missing_picture"
UNKEYED = frozenset((_NO_KEY, DECLINING))
"""Reasons for which an item has no cues though nothing is wrong with it."""
_TOGETHER = 24
"""Number of items that a worker measures at a time."""
ALONE = 200
"""Number of items up to which no workers are started."""
_KEPT = 4096
"""Number of pictures whose facts are kept, since several items may show one."""


class MeasuredItems(NamedTuple):
    """The cues of all items of a source.

    Args:
        cues: Cues of the items, in the order of the source.
        group_keys: Group keys of each item, by its id.
        left_out: Items without cues.
        words_alone: Number of items whose pictures are not there, so that words and letters alone were measured.
    """

    cues: tuple[ItemCues, ...]
    group_keys: Mapping[str, tuple[str, ...]]
    left_out: tuple[LeftOutItem, ...]
    words_alone: int = 0


def measure_items(items: Iterator[SourceItem | LeftOutItem], *, record_map: RecordMap = map_here) -> MeasuredItems:
    """Measure items; memory holds their cues and the pictures of a few of them.

    Args:
        items: The items, read as workers need them, and what its source leaves out.
        record_map: What maps the measuring over many items; few are measured in this process.
    """
    cues: list[ItemCues] = []
    group_keys: dict[str, tuple[str, ...]] = {}
    left_out: list[LeftOutItem] = []
    words_alone = 0
    for entry in _results(items, record_map):
        if isinstance(entry, LeftOutItem):
            left_out.append(entry)
        else:
            cues.append(entry.cues)
            group_keys[entry.cues.item_id] = entry.group_keys
            words_alone += entry.words_alone
    return MeasuredItems(tuple(cues), group_keys, tuple(left_out), words_alone)


class _MeasuredItem(NamedTuple):
    """An item's cues and group keys, and whether its pictures are not there."""

    cues: ItemCues
    group_keys: tuple[str, ...]
    words_alone: bool


def _results(items: Iterator[SourceItem | LeftOutItem], record_map: RecordMap) -> Iterator[_MeasuredItem | LeftOutItem]:
    first = list(islice(items, ALONE + 1))
    under_way: deque[tuple[str, str]] = deque()

    def noted() -> Iterator[SourceItem | LeftOutItem]:
        for entry in chain(first, items):
            under_way.append(_named(entry))
            yield entry

    mapped = map_here if len(first) <= ALONE else record_map
    for measured in mapped(_measured, noted(), what="cues", together=_TOGETHER):
        item_id, task = under_way.popleft()
        yield LeftOutItem(item_id, task, *measured) if isinstance(measured, LostRecord) else measured


def _named(entry: SourceItem | LeftOutItem) -> tuple[str, str]:
    """Return the id by which people know an item, and its task."""
    if isinstance(entry, LeftOutItem):
        return entry.item_id, entry.task
    return entry.own_id or entry.item.item_id, entry.item.task


def _measured(entry: SourceItem | LeftOutItem) -> _MeasuredItem | LeftOutItem:
    if isinstance(entry, LeftOutItem):
        return entry
    item = entry.item
    cues = cues_or_reason(item, facts_reader(entry.files.__getitem__) if entry.has_pictures else None)
    if isinstance(cues, str):
        return LeftOutItem(*_named(entry), cues)
    return _MeasuredItem(cues, with_source_image(item.group_keys, item.root_image_id), not entry.has_pictures)


def cues_or_reason(item: Item, facts_of: FactsOf | None) -> ItemCues | str:
    """Return the cues of an item, or the reason why it has none.

    Reasons are `no_key`, `declining_is_right`, `missing_picture` where options are pictures that are not there, and why
    a picture cannot be read.

    Args:
        item: The item.
        facts_of: Function that returns the facts about a picture (`cues_of_item`); None where not all pictures are
            there, so that words and letters alone are measured.
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


def facts_reader(data_of: Callable[[str], bytes]) -> FactsOf:
    """Return a function from a picture's id, and whether its pixels count, to its facts, which are kept.

    Args:
        data_of: Function from the id of a picture to the bytes of its file.
    """

    def facts(image_id: str, with_pixels: bool) -> PictureTraits:
        kept = _facts_kept()
        known = kept.get((image_id, with_pixels)) or kept.get((image_id, True))
        if known is None:
            known = facts_of_picture(data_of(image_id), with_pixels=with_pixels)
            while len(kept) >= _KEPT:
                del kept[next(iter(kept))]
            kept[image_id, with_pixels] = known
        return known

    return facts


@lru_cache(maxsize=1)
def _facts_kept() -> dict[tuple[str, bool], PictureTraits]:
    """Return the facts that this process keeps; an image id names its bytes, so they never change."""
    return {}
