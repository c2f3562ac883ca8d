"""Measuring of the cues of all items of a release or a finished workspace, each picture read as it comes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchwright.engines.local import processors
from benchwright.engines.starting import context
from benchwright.errors import UnreadableImage
from benchwright.records import Item

from .item_cues import ItemCues, cues_of_item
from .picture_facts import PictureFacts, facts_of_picture

NO_KEY = "no_key"
_TOGETHER = 24
"""Number of items that a worker measures at a time."""
_ALONE = 200
"""Number of items up to which no workers are started."""
_KEPT = 4096
"""Number of pictures whose facts are kept, since several items may show one."""


class SourceItem(NamedTuple):
    """An item with the files of its pictures, by image id."""

    item: Item
    files: Mapping[str, bytes]


class LeftOutItem(NamedTuple):
    """An item without cues, and why: it has no right option, or a picture cannot be read."""

    item_id: str
    task: str
    reason: str


class MeasuredItems(NamedTuple):
    """The cues of all items of a source.

    Args:
        cues: Cues of the items, in the order of the source.
        group_keys: Group keys of each item, by its id.
        left_out: Items without cues.
    """

    cues: tuple[ItemCues, ...]
    group_keys: Mapping[str, tuple[str, ...]]
    left_out: tuple[LeftOutItem, ...]


def source_items(source: Path) -> Iterator[SourceItem]:
    """Yield the items of a release, or those that are left at the end of a workspace's run, with their pictures.

    Raises:
        BenchwrightError: The folder is neither, or the run is not finished.
        DataError: A file is damaged.
    """
    if (source / "workspace.json").exists():
        from benchwright.pipeline import open_view

        view = open_view(source)
        for item, _ in view.items():
            yield SourceItem(
                item, {shown.image_id: view.image_bytes(view.image(shown.image_id)) for shown in item.images}
            )
        return
    from benchwright.release import Release

    for released in Release.open(source).items():
        yield SourceItem(released.item, released.images)


def with_source_image(group_keys: Sequence[str], root_image_id: str) -> tuple[str, ...]:
    """Return the keys by which items belong together: their group keys and their source image."""
    return tuple(sorted({*group_keys, f"image:{root_image_id}"}))


def measure_items(items: Iterator[SourceItem], *, workers: int | None = None) -> MeasuredItems:
    """Measure items; memory holds their cues and the pictures of a few of them.

    Args:
        items: The items, read as workers need them.
        workers: Number of processes; default one a processor. Few items are measured without any.
    """
    cues: list[ItemCues] = []
    group_keys: dict[str, tuple[str, ...]] = {}
    left_out: list[LeftOutItem] = []
    for result in _results(items, processors() if workers is None else workers):
        for item_id, task, groups, measured in result:
            if isinstance(measured, str):
                left_out.append(LeftOutItem(item_id, task, measured))
            else:
                cues.append(measured)
                group_keys[item_id] = groups
    return MeasuredItems(tuple(cues), group_keys, tuple(left_out))


_Measured = tuple[str, str, tuple[str, ...], ItemCues | str]
"""Id, task and group keys of an item, and its cues or why it has none."""


def _results(items: Iterator[SourceItem], workers: int) -> Iterator[Sequence[_Measured]]:
    first = list(islice(items, _ALONE))
    rest = next(items, None)
    if rest is None or workers == 1:
        yield _measured(first)
        if rest is not None:
            yield _measured([rest])
            while batch := list(islice(items, _TOGETHER)):
                yield _measured(batch)
        return
    queue: deque[Future[Sequence[_Measured]]] = deque()
    with ProcessPoolExecutor(workers, mp_context=context()) as pool:
        for start in range(0, _ALONE, _TOGETHER):
            queue.append(pool.submit(_measured, first[start : start + _TOGETHER]))
        queue.append(pool.submit(_measured, [rest]))
        del first
        while batch := list(islice(items, _TOGETHER)):
            queue.append(pool.submit(_measured, batch))
            if len(queue) > 3 * workers:
                yield queue.popleft().result()
        while queue:
            yield queue.popleft().result()


def _measured(batch: Sequence[SourceItem]) -> Sequence[_Measured]:
    return [
        (
            item.item_id,
            item.task,
            with_source_image(item.group_keys, item.root_image_id),
            cues_or_reason(item, files.__getitem__),
        )
        for item, files in batch
    ]


def cues_or_reason(item: Item, data_of: Callable[[str], bytes]) -> ItemCues | str:
    """Return the cues of an item, or the reason why it has none: `no_key`, or that a picture cannot be read.

    Args:
        item: The item.
        data_of: Function from the id of a picture to the bytes of its file.
    """
    try:
        cues = cues_of_item(item, _facts_reader(data_of))
    except UnreadableImage as error:
        return error.reason
    return NO_KEY if cues is None else cues


def _facts_reader(data_of: Callable[[str], bytes]) -> Callable[[str, bool], PictureFacts]:
    """Return a function from a picture's id, and whether its pixels count, to its facts, which are kept."""

    def facts(image_id: str, with_pixels: bool) -> PictureFacts:
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
def _facts_kept() -> dict[tuple[str, bool], PictureFacts]:
    """Return the facts that this process keeps; an image id names its bytes, so they never change."""
    return {}
