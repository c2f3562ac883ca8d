"""The picture columns of a release: what models see in `images`, and in `unmarked` the file that it was drawn from.

A picture without marks that every decoder reads alike stays the file that it is and is stored once. What carries marks,
or may come out otherwise elsewhere (turned by EXIF, see-through, 16 bits), is drawn, in worker processes where there is
much of it, and once however many rows show it: rows come by picture, and the store of released bytes keeps what an
earlier release had drawn. A mark that cannot be drawn is left out: evaluation and exports name such items, and so does
`benchwright release verify`.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar

from pydantic import TypeAdapter

from benchwright.canonical import bytes_digest, digest
from benchwright.drawing.model_pictures import DRAWING_VERSION
from benchwright.engines.starting import context
from benchwright.errors import DataError, UnreadableImage
from benchwright.images.made_pictures import is_jpeg, is_lossless_webp
from benchwright.progress import Progress
from benchwright.records import ImageRecord, VisualPrompt
from benchwright.release.format.parquet import SizedRow
from benchwright.release.format.rows import file_name
from benchwright.steps import PictureFidelity
from benchwright.workspace.item_cache import ItemCache

_LEAST_FOR_WORKERS = 64
"""Number of marked items from which starting worker processes takes less time than it saves."""

_WAITING_BYTES = 64 * 1024**2
"""Largest size of the files without marks of all rows that wait for their drawings, in bytes."""

_WAITING_ROWS = 64
_KEPT_PICTURES = 16
"""Number of files and of drawings that are kept for the next rows, which show the same pictures."""

_KEPT_FORMATS = frozenset({"image/jpeg", "image/webp"})
"""Media types of files that are seen as stored where their records have no notes."""

DRAWN = f"drawn {DRAWING_VERSION} webp"
"""Kind of the entries of drawn pictures in the store of released bytes."""

_MARKS = TypeAdapter(list[list[VisualPrompt]])

_Kept = TypeVar("_Kept")
_Cell = Mapping[str, Any]
_Drawing = Callable[[], _Cell | None]


class _WaitingRow(NamedTuple):
    """A row with its clean files, whose drawings may still be in the making; None where the file is what is seen."""

    row: Mapping[str, Any]
    text_bytes: int
    clean: list[_Cell]
    drawn: list[_Drawing | None]
    is_marked: bool

    def finished(self) -> SizedRow:
        """Return the row with its pictures."""
        images: list[_Cell] = []
        unmarked: list[_Cell | None] = []
        for cell, drawing in zip(self.clean, self.drawn, strict=True):
            drawn = None if drawing is None else drawing()
            unmarked.append(None if drawn is None else cell)
            images.append(cell if drawn is None else drawn)
        size = sum(len(cell["bytes"] or b"") for cell in (*images, *filter(None, unmarked)))
        return SizedRow({**self.row, "images": images, "unmarked": unmarked}, self.text_bytes, size)


def with_pictures(
    rows: Iterable[tuple[Mapping[str, Any], int]],
    *,
    record: Callable[[str], ImageRecord],
    image_bytes: Callable[[ImageRecord], bytes],
    by_address: Callable[[ImageRecord], bool],
    is_visual: Callable[[str, str], bool],
    store: ItemCache,
    marked: int,
    workers: int,
    progress: Progress,
) -> Iterator[SizedRow]:
    """Yield rows in their order with both picture columns; a few rows are in memory at a time.

    Args:
        rows: Rows without pictures, by picture, each with the size of its text in bytes.
        record: Function that returns the record of an image id.
        image_bytes: Function that returns the file of a record.
        by_address: Function that tells of a record whether the row gets no bytes of its file.
        is_visual: Function that tells of an item's operation and task whether people see all that counts of its
            pictures; what is drawn of them is JPEG.
        store: Store of what was drawn before.
        marked: Number of rows with marks.
        workers: Largest number of processes that draw.
        progress: Receiver of the number of marked rows that are drawn.

    Raises:
        DataError: A file is not the one of its record.
    """
    several = workers > 1 and marked >= _LEAST_FOR_WORKERS
    with ProcessPoolExecutor(workers, mp_context=context()) if several else nullcontext() as pool:
        pictures = _Pictures(record, image_bytes, by_address, store, pool)
        waiting: deque[_WaitingRow] = deque()
        held = 0
        for row, text_bytes in rows:
            fidelity: PictureFidelity = "visual" if is_visual(row["operation_id"], row["task"]) else "exact"
            waiting.append(pictures.begun(row, text_bytes, fidelity))
            held += _size(waiting[-1])
            while len(waiting) > _WAITING_ROWS or held > _WAITING_BYTES:
                held -= _size(waiting[0])
                yield _ended(waiting.popleft(), progress)
        while waiting:
            yield _ended(waiting.popleft(), progress)


class _Pictures:
    """Files and drawings of rows; those of the last rows are kept, since the next show them again."""

    def __init__(
        self,
        record: Callable[[str], ImageRecord],
        image_bytes: Callable[[ImageRecord], bytes],
        by_address: Callable[[ImageRecord], bool],
        store: ItemCache,
        pool: ProcessPoolExecutor | None,
    ) -> None:
        self._record, self._image_bytes, self._by_address = record, image_bytes, by_address
        self._store, self._pool = store, pool
        self._files: OrderedDict[str, tuple[ImageRecord, _Cell]] = OrderedDict()
        self._drawings: OrderedDict[str, _Drawing] = OrderedDict()

    def begun(self, row: Mapping[str, Any], text_bytes: int, fidelity: PictureFidelity) -> _WaitingRow:
        """Return a row whose clean files are read and checked, and whose drawings are under way."""
        marks = _MARKS.validate_json(row["visual_prompts"])
        clean: list[_Cell] = []
        drawn: list[_Drawing | None] = []
        for image_id, prompts in zip(row["image_ids"], marks, strict=True):
            record, cell = _kept(self._files, image_id, partial(self._file, image_id))
            clean.append(cell)
            drawn.append(None if _is_seen(record, cell, prompts) else self._drawing(image_id, cell, prompts, fidelity))
        return _WaitingRow(row, text_bytes, clean, drawn, any(marks))

    def _file(self, image_id: str) -> tuple[ImageRecord, _Cell]:
        record = self._record(image_id)
        if self._by_address(record):
            return record, {"bytes": None, "path": file_name(record)}
        data = self._image_bytes(record)
        if (sha256 := bytes_digest(data)) != image_id:
            raise DataError(f"the file of image {image_id} has changed: its SHA-256 is {sha256}")
        return record, {"bytes": data, "path": file_name(record)}

    def _drawing(self, image_id: str, cell: _Cell, prompts: list[VisualPrompt], fidelity: PictureFidelity) -> _Drawing:
        depends_on = [image_id, [prompt.model_dump(mode="json") for prompt in prompts], fidelity]
        return _kept(self._drawings, digest(depends_on), lambda: self._begun(depends_on, cell, prompts, fidelity))

    def _begun(
        self, depends_on: list[Any], cell: _Cell, prompts: list[VisualPrompt], fidelity: PictureFidelity
    ) -> _Drawing:
        if (known := self._store.get(DRAWN, depends_on)) is not None:
            return lambda: _cell(known)
        make: Callable[[], bytes | None] = partial(_drawn, cell["bytes"], prompts, fidelity)
        make = make if self._pool is None else self._pool.submit(make).result

        def made() -> _Cell | None:
            if (data := make()) is None:
                return None
            self._store.put(DRAWN, depends_on, data)
            return _cell(data)

        return cache(made)


def _kept(known: OrderedDict[str, _Kept], key: str, make: Callable[[], _Kept]) -> _Kept:
    """Return what is kept under a key, or make it; the longest unused goes first."""
    if key not in known:
        known[key] = make()
        if len(known) > _KEPT_PICTURES:
            known.popitem(last=False)
    known.move_to_end(key)
    return known[key]


def _is_seen(record: ImageRecord, cell: _Cell, prompts: list[VisualPrompt]) -> bool:
    """Return whether models see the file of a picture, as far as it is here."""
    from benchwright.drawing.model_pictures import is_seen_as_stored

    if cell["bytes"] is None:
        return True
    # A record notes what decoders may differ about, so a file without notes need not be looked into.
    is_plain = record.media_type in _KEPT_FORMATS and not record.notes
    return (is_plain and not prompts) or is_seen_as_stored(cell["bytes"], prompts)


def _drawn(data: bytes, prompts: list[VisualPrompt], fidelity: PictureFidelity) -> bytes | None:
    """Return a picture as models see it; None where it cannot be decoded or a mark cannot be drawn."""
    from benchwright.drawing import PromptError
    from benchwright.drawing.model_pictures import drawn_picture

    try:
        return drawn_picture(data, prompts, fidelity=fidelity, lossless="webp").data
    except (PromptError, UnreadableImage):
        return None


def _cell(data: bytes) -> _Cell:
    extension = "jpg" if is_jpeg(data) else "webp" if is_lossless_webp(data) else "png"
    return {"bytes": data, "path": f"{bytes_digest(data)}.{extension}"}


def _size(row: _WaitingRow) -> int:
    return sum(len(cell["bytes"] or b"") for cell in row.clean)


def _ended(row: _WaitingRow, progress: Progress) -> SizedRow:
    finished = row.finished()
    if row.is_marked:
        progress.advance(1)
    return finished
