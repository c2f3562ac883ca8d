"""Comparison of a release's drawn pictures with what their files and marks give.

A picture that is kept as it is needs no look at its pixels: its SHA-256 is its id. What was drawn is drawn again, each
picture with its marks once however many items show it, in worker processes where there is much of it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np

from benchwright.canonical import bytes_digest, digest
from benchwright.drawing import PromptError
from benchwright.drawing.model_pictures import KNOWN_VERSIONS, as_released, drawn_pixels, is_seen_as_stored
from benchwright.engines.local import processors
from benchwright.engines.starting import context
from benchwright.errors import DataError, UnreadableImage
from benchwright.images.decode import decode_rgb
from benchwright.images.made_pictures import is_jpeg
from benchwright.records import VisualPrompt
from benchwright.release.format.rows import ReleasedItem

_TOLERANCE = 8
"""Levels by which pixels of two JPEG encoders may differ, 0-255; a mark differs from the picture below by far more."""

_LEAST_FOR_WORKERS = 32
"""Number of drawn pictures that are compared before worker processes start, which costs more than a few comparisons."""

_MOST_WORKERS = 8

_WAITING_BYTES = 64 * 1024**2
"""Largest size of the pictures of all items that wait for their comparison, in bytes."""

_WAITING_ITEMS = 64


class DrawingFault(NamedTuple):
    """What is wrong with a drawn picture.

    Attributes:
        text: What is wrong, to follow the name of the picture.
        is_undrawable: Whether the picture is not drawn in the release, and cannot be, so that no model can see it as
            it is meant; otherwise it is another than its file and its marks give.
    """

    text: str
    is_undrawable: bool = False


_NEEDLESS = DrawingFault("is drawn, and has neither marks nor anything that decoders differ about")


class _AwaitedItem(NamedTuple):
    """An item whose pictures are being compared, with the keys of the comparisons by the pictures' numbers."""

    released: ReleasedItem
    comparisons: dict[int, bytes]
    size: int


class DrawingComparer:
    """Comparer of the drawn pictures of items, for use in a `with` block; each picture with its marks is drawn once.

    Encoders differ from machine to machine, so bytes need not be equal, and pixels of a JPEG may differ by a few levels
    from those of the JPEG that is made here. Memory grows by some 100 bytes a drawn picture.

    Args:
        version: Version of the drawing by which the release was made; pictures of unknown versions are not compared.
        workers: Largest number of processes; as many as there are processors, up to 8, where None.

    Attributes:
        drawn: Number of pictures that were drawn.
    """

    def __init__(self, version: int | None, *, workers: int | None = None) -> None:
        self._version = version if version in KNOWN_VERSIONS else None
        self._workers = workers or min(processors(), _MOST_WORKERS)
        self._pool: ProcessPoolExecutor | None = None
        self._stored: set[bytes] = set()
        self._begun: dict[bytes, Callable[[], DrawingFault | None]] = {}
        self._ended: dict[bytes, DrawingFault | None] = {b"": _NEEDLESS}
        self.drawn = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def compared(self, items: Iterable[ReleasedItem]) -> Iterator[tuple[ReleasedItem, DrawingFault | None]]:
        """Yield items in their order, each with what is wrong with its drawn pictures; None where they are right.

        Raises:
            DataError: A picture ended the process that compared it.
        """
        waiting: deque[_AwaitedItem] = deque()
        held = 0
        for released in items:
            waiting.append(self._waiting(released))
            held += waiting[-1].size
            # An item without comparisons in the making needs not wait, unless others wait before it.
            while waiting and (len(waiting) > _WAITING_ITEMS or held > _WAITING_BYTES or not waiting[0].comparisons):
                held -= waiting[0].size
                yield waiting[0].released, self._fault(waiting.popleft())
        for one in waiting:
            yield one.released, self._fault(one)

    def _waiting(self, released: ReleasedItem) -> _AwaitedItem:
        comparisons: dict[int, bytes] = {}
        if self._version is None:
            return _AwaitedItem(released, comparisons, 0)
        size = 0
        for number, (image, drawn) in enumerate(zip(released.item.images, released.drawn, strict=True), start=1):
            data = released.images.get(image.image_id)
            if data is None:  # stated by its address, and drawn by whoever fetched it
                continue
            if not image.prompts and self._is_stored(image.image_id, data, self._version):
                if drawn is not None:
                    comparisons[number] = b""
                continue
            marks = [prompt.model_dump(mode="json") for prompt in image.prompts]
            key = bytes.fromhex(digest([image.image_id, marks, None if drawn is None else bytes_digest(drawn)]))
            comparisons[number] = key
            size += len(data) + len(drawn or b"")
            if key not in self._ended and key not in self._begun:
                self._begin(key, partial(_compared, data, image.prompts, drawn, self._version))
        return _AwaitedItem(released, comparisons, size)

    def _is_stored(self, image_id: str, data: bytes, version: int) -> bool:
        key = bytes.fromhex(image_id)
        if key not in self._stored and is_seen_as_stored(data, (), version=version):
            self._stored.add(key)
        return key in self._stored

    def _begin(self, key: bytes, compare: Callable[[], DrawingFault | None]) -> None:
        self.drawn += 1
        if self._workers > 1 and self.drawn > _LEAST_FOR_WORKERS:
            self._pool = self._pool or ProcessPoolExecutor(self._workers, mp_context=context())
            compare = self._pool.submit(compare).result
        self._begun[key] = compare

    def _fault(self, waiting: _AwaitedItem) -> DrawingFault | None:
        """Return what is wrong with an item's pictures; what differs comes before what cannot be drawn."""
        faults = []
        for number, key in waiting.comparisons.items():
            if key in self._begun:
                try:
                    self._ended[key] = self._begun.pop(key)()
                except BrokenProcessPool as error:
                    raise DataError(
                        f"item {waiting.released.item.item_id}: a process that drew pictures was ended"
                    ) from error
            if (fault := self._ended[key]) is not None:
                place = f"item {waiting.released.item.item_id}: image {number}"
                text = f"{place}: {fault.text}" if fault.is_undrawable else f"{place} {fault.text}"
                faults.append(fault._replace(text=text))
        return min(faults, key=lambda fault: fault.is_undrawable, default=None)


def _compared(data: bytes, prompts: Sequence[VisualPrompt], drawn: bytes | None, version: int) -> DrawingFault | None:
    """Return how a drawn picture differs from what its file and marks give; None if it does not."""
    try:
        expected = drawn_pixels(data, prompts)
    except (PromptError, UnreadableImage) as error:
        return (
            DrawingFault(str(error), is_undrawable=True)
            if drawn is None
            else DrawingFault(f"is drawn, and its marks cannot be: {error}")
        )
    if drawn is None:
        return DrawingFault("is not drawn as models see it")
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
        return DrawingFault(f"cannot be decoded as drawn: {error}")
    if pixels.shape != expected.shape or (np.abs(pixels.astype(np.int16) - expected) > tolerance).any():
        return DrawingFault("does not show what its file and its marks give")
    return None
