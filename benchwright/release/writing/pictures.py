"""The picture columns of a release: `images` with the pictures that models see, and `unmarked` with the undrawn
originals.

A picture without marks that every decoder reads alike keeps its file and is stored once. A picture with marks, or one
that may decode differently elsewhere (turned by EXIF, transparent, 16 bits), is drawn on the run's engine, once for all
rows that show it: rows come by picture, and the store of released bytes keeps drawings of earlier releases. The column
omits a picture with a mark that cannot be drawn; evaluation, exports and `benchwright release verify` report such
items.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from benchwright.canonical import bytes_digest, digest
from benchwright.drawing.model_pictures import DRAWING_VERSION
from benchwright.errors import DataError, UnreadableImage
from benchwright.images.made_pictures import is_jpeg, is_lossless_webp
from benchwright.progress import Progress
from benchwright.record_map import Kept, RecordMap, unless_lost
from benchwright.records import ImageRecord, VisualPrompt
from benchwright.release.format.parquet import SizedRow
from benchwright.release.format.rows import file_name
from benchwright.steps import PictureFidelity
from benchwright.workspace.item_cache import ItemCache

_WAITING_BYTES = 64 * 1024**2
"""Total file size, in bytes, of rows that await their drawings, with each file counted once; one row may exceed it."""

_WAITING_ROWS = 512
_KEPT_PICTURES = 16
"""Number of files kept for the subsequent rows, which show the same pictures."""

_KEPT_FORMATS = frozenset({"image/jpeg", "image/webp"})
"""Media types of files that models see as stored if their records have no notes."""

DRAWN = f"drawn {DRAWING_VERSION} webp"
"""Kind of the entries for drawn pictures in the store of released bytes; an entry is empty if a mark cannot be
drawn.
"""

_MARKS = TypeAdapter(list[list[VisualPrompt]])
_UNMARKED = "[[]]"
"""Marks of a row with one unmarked picture, which is the most frequent case."""

_Cell = Mapping[str, Any]


class _Drawing(NamedTuple):
    """A picture to draw: its id and file, the marks, and its required fidelity."""

    image_id: str
    data: bytes
    prompts: list[VisualPrompt]
    fidelity: PictureFidelity

    def depends_on(self) -> list[Any]:
        return [self.image_id, [prompt.model_dump(mode="json") for prompt in self.prompts], self.fidelity]

    def kept_as(self) -> tuple[str, Any]:
        return DRAWN, self.depends_on()

    def size(self) -> int:
        return len(self.data)


class _WaitingRow(NamedTuple):
    """A row with its unmarked files and the keys of their drawings; a key is None if models see the file itself."""

    row: Mapping[str, Any]
    text_bytes: int
    clean: list[_Cell]
    drawn: list[str | None]
    is_marked: bool

    def finished(self, drawings: Mapping[str, _Cell | None]) -> SizedRow:
        """Return the row with its pictures added."""
        images: list[_Cell] = []
        unmarked: list[_Cell | None] = []
        for cell, key in zip(self.clean, self.drawn, strict=True):
            drawn = None if key is None else drawings[key]
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
    record_map: RecordMap,
    progress: Progress,
) -> Iterator[SizedRow]:
    """Yield rows in order with both picture columns; only a few rows are in memory at a time.

    Args:
        rows: Rows without pictures, by picture, each with the size of its text in bytes.
        record: Function that returns the record of an image id.
        image_bytes: Function that returns the file of a record.
        by_address: Function that returns whether the row omits the file bytes of a record.
        is_visual: Function that returns, for an item's operation and task, whether only the appearance of its pictures
            matters; drawings of them are JPEG.
        store: Store of earlier drawings.
        record_map: Map of the drawing over pictures.
        progress: Receiver of the number of marked rows drawn so far.

    Raises:
        DataError: A file does not match its record.
        StepError: A picture crashed the worker that drew it, or exhausted its memory.
    """
    pictures = _Pictures(record, image_bytes, by_address)
    kept = Kept(store, _Drawing.kept_as)
    waiting: list[_WaitingRow] = []

    def ended() -> Iterator[SizedRow]:
        wanted = pictures.wanted
        made = record_map(_drawn, wanted.values(), what="drawings", kept=kept, size_of=_Drawing.size) if wanted else ()
        drawings = {
            key: _cell(unless_lost(data, f"image {drawing.image_id}, drawn for models"))
            for (key, drawing), data in zip(wanted.items(), made, strict=True)
        }
        for one in waiting:
            yield one.finished(drawings)
            if one.is_marked:
                progress.advance(1)
        waiting.clear()
        pictures.forget()

    for row, text_bytes in rows:
        fidelity: PictureFidelity = "visual" if is_visual(row["operation_id"], row["task"]) else "exact"
        waiting.append(pictures.begun(row, text_bytes, fidelity))
        if not pictures.wanted or len(waiting) >= _WAITING_ROWS or pictures.held >= _WAITING_BYTES:
            yield from ended()
    yield from ended()


class _Pictures:
    """Files of rows; the files of the latest rows are kept, because the next rows show them again.

    Attributes:
        wanted: Drawings that waiting rows need, by key.
        held: Total size of the files read since rows began to wait, in bytes.
    """

    def __init__(
        self,
        record: Callable[[str], ImageRecord],
        image_bytes: Callable[[ImageRecord], bytes],
        by_address: Callable[[ImageRecord], bool],
    ) -> None:
        self._record, self._image_bytes, self._by_address = record, image_bytes, by_address
        self._files: OrderedDict[str, tuple[ImageRecord, _Cell]] = OrderedDict()
        self.wanted: dict[str, _Drawing] = {}
        self.held = 0

    def forget(self) -> None:
        """Forget the drawings that waiting rows needed."""
        self.wanted, self.held = {}, 0

    def begun(self, row: Mapping[str, Any], text_bytes: int, fidelity: PictureFidelity) -> _WaitingRow:
        """Read and check a row's unmarked files, record the drawings that the row needs, and return the row."""
        marks = [[]] if row["visual_prompts"] == _UNMARKED else _MARKS.validate_json(row["visual_prompts"])
        clean: list[_Cell] = []
        drawn: list[str | None] = []
        for image_id, prompts in zip(row["image_ids"], marks, strict=True):
            record, cell = self._file(image_id)
            clean.append(cell)
            if _is_seen(record, cell, prompts):
                drawn.append(None)
                continue
            drawing = _Drawing(image_id, cell["bytes"], prompts, fidelity)
            key = digest(drawing.depends_on())
            drawn.append(key)
            self.wanted.setdefault(key, drawing)
        return _WaitingRow(row, text_bytes, clean, drawn, any(marks))

    def _file(self, image_id: str) -> tuple[ImageRecord, _Cell]:
        """Return the record of a picture and its file as a cell."""
        if image_id in self._files:
            self._files.move_to_end(image_id)
            return self._files[image_id]
        record = self._record(image_id)
        data = None if self._by_address(record) else self._image_bytes(record)
        if data is not None:
            self.held += len(data)
            if (sha256 := bytes_digest(data)) != image_id:
                raise DataError(f"the file of image {image_id} has changed: its SHA-256 is {sha256}")
        self._files[image_id] = record, {"bytes": data, "path": file_name(record)}
        if len(self._files) > _KEPT_PICTURES:
            self._files.popitem(last=False)
        return self._files[image_id]


def _is_seen(record: ImageRecord, cell: _Cell, prompts: list[VisualPrompt]) -> bool:
    """Return whether models see a picture's stored file, if it is present."""
    from benchwright.drawing.model_pictures import is_seen_as_stored

    if cell["bytes"] is None:
        return True
    # A record notes where decoders may differ, so a file without notes needs no inspection.
    is_plain = record.media_type in _KEPT_FORMATS and not record.notes
    return (is_plain and not prompts) or is_seen_as_stored(cell["bytes"], prompts)


def _drawn(drawing: _Drawing) -> bytes:
    """Return a picture as models see it; empty bytes if it cannot be decoded or a mark cannot be drawn."""
    from benchwright.drawing import PromptError
    from benchwright.drawing.model_pictures import drawn_picture

    try:
        return drawn_picture(drawing.data, drawing.prompts, fidelity=drawing.fidelity, lossless="webp").data
    except (PromptError, UnreadableImage):
        return b""


def _cell(data: bytes) -> _Cell | None:
    if not data:
        return None
    extension = "jpg" if is_jpeg(data) else "webp" if is_lossless_webp(data) else "png"
    return {"bytes": data, "path": f"{bytes_digest(data)}.{extension}"}
