"""Comparison of a release's drawn pictures with new drawings made from their files and marks.

A picture kept unchanged needs no pixel comparison: its SHA-256 is its id. A drawn picture is drawn again by the run's
record map, once per picture and set of marks, however many items show it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from benchwright.canonical import bytes_digest, digest
from benchwright.drawing import PromptError
from benchwright.drawing.model_pictures import KNOWN_VERSIONS, as_released, drawn_pixels, is_seen_as_stored
from benchwright.errors import DataError, UnreadableImage
from benchwright.images.decode import decode_rgb
from benchwright.images.made_pictures import is_jpeg
from benchwright.record_map import LostRecord, RecordMap, map_here
from benchwright.records import VisualPrompt
from benchwright.release.format.rows import ReleasedItem

_TOLERANCE = 8
"""Largest pixel difference between two JPEG encoders, in levels 0-255; a mark differs far more from the picture below
it.
"""

_WAITING_BYTES = 64 * 1024**2
"""Total size, in bytes, of the pictures compared at a time; those of one item may exceed it."""

_WAITING_ITEMS = 512


class DrawingFault(NamedTuple):
    """A fault in a drawn picture.

    Attributes:
        text: Description of the fault, to follow the name of the picture.
        is_undrawable: Whether the release lacks the drawing and it cannot be made, so no model can see the picture as
            intended; otherwise the picture differs from the drawing of its file and marks.
    """

    text: str
    is_undrawable: bool = False


_NEEDLESS = DrawingFault("is drawn, but has neither marks nor anything on which decoders differ")


class _ToCompare(NamedTuple):
    """A picture to compare: its file, its marks, and the file drawn from it, if any."""

    data: bytes
    prompts: tuple[VisualPrompt, ...]
    drawn: bytes | None
    version: int

    def size(self) -> int:
        return len(self.data) + len(self.drawn or b"")


class _AwaitedItem(NamedTuple):
    """An item whose pictures await comparison, with the keys of the comparisons by picture index."""

    released: ReleasedItem
    comparisons: dict[int, bytes]


class DrawingComparer:
    """A comparer of items' drawn pictures, which draws each picture with its marks only once.

    Encoders differ between machines, so bytes need not be equal, and JPEG pixels may differ by a few levels from those
    of the JPEG made here. Memory use grows by about 100 bytes per drawn picture.

    Args:
        version: Version of the drawing in the release; pictures of unknown versions are not compared.
        record_map: Map that runs the comparisons over pictures; by default in this process.

    Attributes:
        drawn: Number of drawn pictures.
    """

    def __init__(self, version: int | None, record_map: RecordMap = map_here) -> None:
        self._version = version if version in KNOWN_VERSIONS else None
        self._record_map = record_map
        self._stored: set[bytes] = set()
        self._ended: dict[bytes, DrawingFault | None] = {b"": _NEEDLESS}
        self.drawn = 0

    def compared(self, items: Iterable[ReleasedItem]) -> Iterator[tuple[ReleasedItem, DrawingFault | None]]:
        """Yield items in order, each with the fault in its drawn pictures, or None if there is no fault.

        Raises:
            DataError: A picture crashed the process that compared it, or exhausted its memory.
        """
        if self._version is None:
            yield from ((released, None) for released in items)
            return
        waiting: list[_AwaitedItem] = []
        tasks: dict[bytes, _ToCompare] = {}
        held = 0
        for released in items:
            known = len(tasks)
            waiting.append(_AwaitedItem(released, self._comparisons(released, self._version, tasks)))
            held += sum(task.size() for task in islice(tasks.values(), known, None))
            # An item without pending comparisons need not wait, unless others wait before it.
            if not tasks or len(waiting) >= _WAITING_ITEMS or held >= _WAITING_BYTES:
                yield from self._ended_items(waiting, tasks)
                waiting, tasks, held = [], {}, 0
        yield from self._ended_items(waiting, tasks)

    def _comparisons(self, released: ReleasedItem, version: int, tasks: dict[bytes, _ToCompare]) -> dict[int, bytes]:
        """Return the keys of the comparisons that an item needs, and add new ones to the tasks."""
        comparisons: dict[int, bytes] = {}
        for number, (image, drawn) in enumerate(zip(released.item.images, released.drawn, strict=True), start=1):
            data = released.images.get(image.image_id)
            if data is None:  # stated by address, and drawn after it is fetched
                continue
            if not image.prompts and self._is_stored(image.image_id, data, version):
                if drawn is not None:
                    comparisons[number] = b""
                continue
            marks = [prompt.model_dump(mode="json") for prompt in image.prompts]
            key = bytes.fromhex(digest([image.image_id, marks, None if drawn is None else bytes_digest(drawn)]))
            comparisons[number] = key
            if key not in self._ended:
                tasks.setdefault(key, _ToCompare(data, image.prompts, drawn, version))
        return comparisons

    def _is_stored(self, image_id: str, data: bytes, version: int) -> bool:
        key = bytes.fromhex(image_id)
        if key not in self._stored and is_seen_as_stored(data, (), version=version):
            self._stored.add(key)
        return key in self._stored

    def _ended_items(
        self, waiting: Sequence[_AwaitedItem], tasks: Mapping[bytes, _ToCompare]
    ) -> Iterator[tuple[ReleasedItem, DrawingFault | None]]:
        """Compare pictures, and yield the items that waited for them."""
        ended = self._record_map(_of_comparison, tasks.values(), what="drawings", size_of=_ToCompare.size)
        lost: dict[bytes, LostRecord] = {}
        for key, value in zip(tasks, ended, strict=True):
            self.drawn += 1
            if isinstance(value, LostRecord):
                lost[key] = value
            else:
                self._ended[key] = value
        for released, comparisons in waiting:
            if gone := next((lost[key] for key in comparisons.values() if key in lost), None):
                raise DataError(
                    f"item {released.item.item_id}: its pictures cannot be drawn for comparison: {gone.message}"
                )
            yield released, self._fault(released, comparisons)

    def _fault(self, released: ReleasedItem, comparisons: Mapping[int, bytes]) -> DrawingFault | None:
        """Return the fault of an item's pictures; a difference takes precedence over an undrawable picture."""
        faults = []
        for number, key in comparisons.items():
            if (fault := self._ended[key]) is not None:
                place = f"item {released.item.item_id}: image {number}"
                text = f"{place}: {fault.text}" if fault.is_undrawable else f"{place} {fault.text}"
                faults.append(fault._replace(text=text))
        return min(faults, key=lambda fault: fault.is_undrawable, default=None)


def _of_comparison(task: _ToCompare) -> DrawingFault | None:
    return _compared(*task)


def _compared(data: bytes, prompts: Sequence[VisualPrompt], drawn: bytes | None, version: int) -> DrawingFault | None:
    """Return how a drawn picture differs from the drawing of its file and marks, or None if it does not differ."""
    try:
        expected = drawn_pixels(data, prompts)
    except (PromptError, UnreadableImage) as error:
        return (
            DrawingFault(str(error), is_undrawable=True)
            if drawn is None
            else DrawingFault(f"is drawn, but its marks cannot be: {error}")
        )
    if drawn is None:
        return DrawingFault("is not drawn, although models see it drawn")
    tolerance = 0
    if is_jpeg(drawn):
        anew = as_released(expected, data, prompts, fidelity="visual", version=version)
        if anew.data == drawn:
            return None
        if is_jpeg(anew.data):
            expected, tolerance = decode_rgb(anew.data), _TOLERANCE
    try:
        pixels = decode_rgb(drawn)
    except UnreadableImage as error:
        return DrawingFault(f"as drawn cannot be decoded: {error}")
    if pixels.shape != expected.shape or (np.abs(pixels.astype(np.int16) - expected) > tolerance).any():
        return DrawingFault("does not match its file and its marks")
    return None
