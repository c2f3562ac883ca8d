"""The collection of the data about a page's items, in one parallel pass over the release and all models' replies.

Data that grows with the number of items is written to files in a temporary folder, and from there to the page.

A page shows all items, or a reproducible sample.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from benchwright.progress import Progress, Silent

from ..prompting.release_files import columns_of
from .content.cards import card
from .content.pictures import MakePictures, PagePictures, WantedPicture, WantedPictures
from .content.replies import Predictions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchwright.records import Item
    from benchwright.release import Release

    from ..results.score import Score
    from .content.label_sums import LabelSums
    from .content.score_table import People
    from .data_files import ItemTable
from collections.abc import Iterable

from benchwright.canonical import digest
from benchwright.statistics.stratified import shares

Stratum = tuple[str, str]
"""A split and a task."""


def sample(items: Iterable[tuple[str, Stratum]], *, at_most: int) -> frozenset[str]:
    """Return the ids of the items on a page, drawn by a hash of the id and proportionally from each split and task.

    Within strata whose share does not shrink, a larger sample contains every item of a smaller one. Memory use is one
    id per item.

    Args:
        items: Id and stratum of each item.
        at_most: Number of items wanted; all items if there are no more.
    """
    strata: dict[Stratum, list[str]] = {}
    for item_id, stratum in items:
        strata.setdefault(stratum, []).append(item_id)
    wanted = shares({stratum: len(ids) for stratum, ids in strata.items()}, at_most)
    chosen: list[str] = []
    for stratum, ids in strata.items():
        chosen += sorted(ids, key=lambda item_id: digest(["shown in the report", item_id]))[: wanted[stratum]]
    return frozenset(chosen)


WITHOUT_SCRIPT = 24
"""Number of items in the page for readers without JavaScript."""

_PIECE = 1 << 20


class ItemObservers(NamedTuple):
    """Tables and sums that process each item as the page does.

    Args:
        table: Table of all items, written in the same pass.
        sums: Sums by label.
        difficulty: Proportion of models that answer each item correctly, in the order of the release; NaN if none was
            asked.
        discrimination: Discrimination of each item, in the same order; NaN if undefined.
    """

    table: ItemTable
    sums: LabelSums
    difficulty: NDArray[np.float64]
    discrimination: NDArray[np.float64]


class GatheredItems(NamedTuple):
    """Counts and cards collected in one pass over the items.

    Args:
        items: Number of items in the split.
        shown: Number of items on the page.
        pictures: Number of pictures and layers of marks on the page.
        first: Cards of the first items, which the page also has as HTML.
    """

    items: int
    shown: int
    pictures: int
    first: list[dict[str, Any]]


class Spool:
    """Three files: cards and pictures as elements of JSON lists, and the pictures of the first cards as SVG.

    Each picture is in one of the last two files; for pictures in the SVG, the list contains null.
    """

    def __init__(self, folder: Path) -> None:
        """Use an empty folder; write within the context manager, and read afterwards."""
        self._paths = {name: folder / name for name in ("cards", "pictures", "defs")}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        self._files = {
            name: self._open.enter_context(path.open("w", encoding="ascii")) for name, path in self._paths.items()
        }
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def card(self, value: dict[str, Any]) -> None:
        """Add a card."""
        self._element("cards", value)

    def picture(self, number: int, uri: str, size: tuple[int, int], *, in_page: bool) -> None:
        """Add the picture with the next number; `in_page` is true if one of the first cards needs it."""
        if in_page:
            self._files["defs"].write(f'<image id="p{number}" width="{size[0]}" height="{size[1]}" href="{uri}"/>\n')
        self._element("pictures", None if in_page else uri)

    def read(self, name: str) -> Iterator[str]:
        """Yield the contents of a file in pieces."""
        with self._paths[name].open(encoding="ascii") as handle:
            while piece := handle.read(_PIECE):
                yield piece

    def _element(self, name: str, value: Any) -> None:
        file = self._files[name]
        file.write(("," if file.tell() else "") + "\n" + script_json(value))


def script_json(value: Any) -> str:
    """Return ASCII JSON that an HTML parser reads only as the text of a script element."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def gather(
    results: Path,
    release: Release,
    scores: Sequence[Score],
    people: People | None,
    items: Sequence[tuple[str, Stratum]],
    spool: Spool,
    beside: ItemObservers,
    *,
    max_items: int,
    max_side_px: int,
    made: MakePictures,
    progress: Progress | None,
) -> GatheredItems:
    """Read the release and the predictions once, in parallel, and write the data to be displayed to the spool.

    Args:
        results: Folder that contains a folder for each model.
        release: Release on which the models were scored.
        scores: Score of each model, in the order of the page.
        people: Human figures.
        items: Ids and strata of the items, as `strata` yields them.
        spool: Spool, open for writing.
        beside: Tables and sums that process the items in the same pass.
        max_items: Largest number of items on the page.
        max_side_px: Longest side of a picture, in pixels.
        made: Function that makes the page's pictures.
        progress: Receiver of progress reports.

    Raises:
        DataError: A score was computed from different predictions, or the release is damaged.
    """
    split = scores[0].split
    chosen = sample(items, at_most=max_items)
    replies = [Predictions(results / score.folder, score) for score in scores]
    first: list[dict[str, Any]] = []
    shown = 0

    def keep(uri: str, size: tuple[int, int]) -> None:
        spool.picture(pictures.count, uri, size, in_page=shown < WITHOUT_SCRIPT)

    last = max((number for number, (item_id, _) in enumerate(items) if item_id in chosen), default=-1)
    coming = _ComingItems(_with_pictures(release, split, chosen, max_side_px), shown=last + 1)
    coming_pictures = made(coming.wanted())
    pictures = PagePictures(keep, coming_pictures)
    watching = progress or Silent()
    watching.phase("report", len(items))
    for number, (item, item_split) in enumerate(coming):
        item_replies = [predictions.of(item.item_id) for predictions in replies]
        share = None if people is None else people.items.get(item.item_id)
        hard = {"difficulty": float(beside.difficulty[number]), "discrimination": float(beside.discrimination[number])}
        beside.sums.add(item, share)
        beside.table.add(item, item_split, item_replies, share, **hard)
        watching.advance(1)
        if item.item_id not in chosen:
            continue
        places = [pictures.show(image) for image in item.images]
        shown_card = card(item, item_split, pictures=places, replies=item_replies, people=share, **hard)
        spool.card(shown_card)
        if shown < WITHOUT_SCRIPT:
            first.append(shown_card)
        shown += 1
    assert next(coming_pictures, None) is None, "every picture that was made has its place"
    for predictions in replies:
        predictions.close()
    return GatheredItems(len(items), shown, pictures.count, first)


class _ComingItems:
    """The items of a release, read once for two uses: the page and, in advance, the making of its pictures.

    Only items that one of the two has not yet used are kept in memory, not all items between their positions.

    Args:
        rows: Each item, its split, and the pictures it needs.
        shown: Number of items after which no picture is needed.
    """

    def __init__(self, rows: Iterator[tuple[Item, str, list[WantedPicture]]], *, shown: int) -> None:
        self._rows, self._unread = rows, shown
        self._items: deque[tuple[Item, str]] = deque()
        self._wanted: deque[WantedPicture] = deque()

    def __iter__(self) -> Iterator[tuple[Item, str]]:
        while self._items or self._read():
            yield self._items.popleft()

    def wanted(self) -> Iterator[WantedPicture]:
        """Yield the pictures that are needed, in order, reading items in advance for them."""
        while self._wanted or self._unread > 0:
            if self._wanted:
                yield self._wanted.popleft()
            elif not self._read():
                return

    def _read(self) -> bool:
        row = next(self._rows, None)
        if row is None:
            return False
        item, split, needed = row
        self._items.append((item, split))
        self._wanted += needed
        self._unread -= 1
        return True


def _with_pictures(
    release: Release, split: str | None, chosen: Collection[str], max_side_px: int
) -> Iterator[tuple[Item, str, list[WantedPicture]]]:
    """Yield each item, its split, and the pictures that the page needs for this item and for no earlier one."""
    wanted = WantedPictures(max_side_px=max_side_px)
    for released in release.items_without_pictures(split):
        needed = wanted.of(released) if released.item.item_id in chosen else []
        yield released.item, released.split, needed


def strata(release: Release, split: str | None) -> Iterator[tuple[str, Stratum]]:
    """Yield the id and stratum (split and task) of every item of a split, or of all splits, without its pictures."""
    for batch in columns_of(release, split, ["item_id", "split", "task"]):
        for item_id, its_split, task in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield item_id, (its_split, task)
