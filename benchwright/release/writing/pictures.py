"""The picture columns of a release: what models see in `images`, and in `unmarked` the file that it was drawn from.

A picture without marks that every decoder reads alike stays the file that it is and is stored once. What carries marks,
or may come out otherwise elsewhere (turned by EXIF, see-through, 16 bits), is drawn, in worker processes where there is
much of it. A mark that cannot be drawn is left out: evaluation and exports name such items, and so does
`benchwright release verify`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import nullcontext
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from benchwright.canonical import bytes_digest
from benchwright.engines.starting import context
from benchwright.errors import DataError, UnreadableImage
from benchwright.progress import Progress
from benchwright.records import ImageRecord, VisualPrompt
from benchwright.release.format.parquet import SizedRow
from benchwright.release.format.rows import file_name
from benchwright.steps import PictureFidelity

_LEAST_FOR_WORKERS = 64
"""Number of marked items from which starting worker processes takes less time than it saves."""

_WAITING_BYTES = 64 * 1024**2
"""Largest size of the files without marks of all rows that wait for their drawings, in bytes."""

_WAITING_ROWS = 64
_EXTENSIONS: Mapping[PictureFidelity, str] = {"exact": "png", "visual": "jpg"}
_MARKS = TypeAdapter(list[list[VisualPrompt]])

_Cell = Mapping[str, Any]


class _Waiting(NamedTuple):
    """A row with its clean files, whose drawings may still be in the making; None where the file is what is seen."""

    row: Mapping[str, Any]
    text_bytes: int
    clean: list[_Cell]
    drawn: list[Future[bytes | None] | None]
    is_marked: bool
    extension: str

    def finished(self) -> SizedRow:
        """Return the row with its pictures."""
        images: list[_Cell] = []
        unmarked: list[_Cell | None] = []
        for cell, drawing in zip(self.clean, self.drawn, strict=True):
            data = None if drawing is None else drawing.result()
            unmarked.append(None if data is None else cell)
            images.append(cell if data is None else {"bytes": data, "path": f"{bytes_digest(data)}.{self.extension}"})
        size = sum(len(cell["bytes"] or b"") for cell in (*images, *filter(None, unmarked)))
        return SizedRow({**self.row, "images": images, "unmarked": unmarked}, self.text_bytes, size)


def with_pictures(
    rows: Iterable[tuple[Mapping[str, Any], int]],
    *,
    record: Callable[[str], ImageRecord],
    image_bytes: Callable[[ImageRecord], bytes],
    by_address: Callable[[ImageRecord], bool],
    visual: Container[str],
    marked: int,
    workers: int,
    progress: Progress,
) -> Iterator[SizedRow]:
    """Yield rows in their order with both picture columns; a few rows are in memory at a time.

    Args:
        rows: Rows without pictures, each with the size of its text in bytes.
        record: Function that returns the record of an image id.
        image_bytes: Function that returns the file of a record.
        by_address: Function that tells of a record whether the row gets no bytes of its file.
        visual: Ids of the operations of whose items people see all that counts; their pictures are drawn as JPEG.
        marked: Number of rows with marks.
        workers: Largest number of processes that draw.
        progress: Receiver of the number of marked rows that are drawn.

    Raises:
        DataError: A file is not the one of its record.
    """
    several = workers > 1 and marked >= _LEAST_FOR_WORKERS
    with ProcessPoolExecutor(workers, mp_context=context()) if several else nullcontext() as pool:
        waiting: deque[_Waiting] = deque()
        held = 0
        for row, text_bytes in rows:
            waiting.append(_begun(row, text_bytes, record, image_bytes, by_address, visual, pool))
            held += _size(waiting[-1])
            while len(waiting) > _WAITING_ROWS or held > _WAITING_BYTES:
                held -= _size(waiting[0])
                yield _ended(waiting.popleft(), progress)
        while waiting:
            yield _ended(waiting.popleft(), progress)


def _begun(
    row: Mapping[str, Any],
    text_bytes: int,
    record: Callable[[str], ImageRecord],
    image_bytes: Callable[[ImageRecord], bytes],
    by_address: Callable[[ImageRecord], bool],
    visual: Container[str],
    pool: ProcessPoolExecutor | None,
) -> _Waiting:
    """Return a row whose clean files are read and checked, and whose drawings are under way."""
    from benchwright.drawing.model_pictures import is_seen_as_stored

    fidelity: PictureFidelity = "visual" if row["operation_id"] in visual else "exact"
    marks = _MARKS.validate_json(row["visual_prompts"])
    files: dict[str, _Cell] = {}
    stated_of: dict[str, ImageRecord] = {}
    drawn: list[Future[bytes | None] | None] = []
    for image_id, prompts in zip(row["image_ids"], marks, strict=True):
        if image_id not in files:
            stated = stated_of[image_id] = record(image_id)
            absent = by_address(stated)
            files[image_id] = {"bytes": None, "path": file_name(stated)} if absent else _clean_file(stated, image_bytes)
        data = files[image_id]["bytes"]
        # A record notes what decoders may differ about, so a file without notes need not be looked into.
        is_plain = stated_of[image_id].media_type == "image/jpeg" and not stated_of[image_id].notes
        is_file = data is None or (is_plain and not prompts) or is_seen_as_stored(data, prompts)
        drawn.append(None if is_file else _drawing(data, prompts, fidelity, pool))
    clean = [files[image_id] for image_id in row["image_ids"]]
    return _Waiting(row, text_bytes, clean, drawn, any(marks), _EXTENSIONS[fidelity])


def _clean_file(record: ImageRecord, image_bytes: Callable[[ImageRecord], bytes]) -> _Cell:
    data = image_bytes(record)
    if (sha256 := bytes_digest(data)) != record.image_id:
        raise DataError(f"the file of image {record.image_id} has changed: its SHA-256 is {sha256}")
    return {"bytes": data, "path": file_name(record)}


def _drawing(
    data: bytes, prompts: list[VisualPrompt], fidelity: PictureFidelity, pool: ProcessPoolExecutor | None
) -> Future[bytes | None]:
    if pool is not None:
        return pool.submit(_drawn, data, prompts, fidelity)
    made: Future[bytes | None] = Future()
    made.set_result(_drawn(data, prompts, fidelity))
    return made


def _drawn(data: bytes, prompts: list[VisualPrompt], fidelity: PictureFidelity) -> bytes | None:
    """Return a picture as models see it; None where it cannot be decoded or a mark cannot be drawn."""
    from benchwright.drawing import PromptError
    from benchwright.drawing.model_pictures import drawn_picture

    try:
        return drawn_picture(data, prompts, fidelity=fidelity).data
    except (PromptError, UnreadableImage):
        return None


def _size(row: _Waiting) -> int:
    return sum(len(cell["bytes"] or b"") for cell in row.clean)


def _ended(row: _Waiting, progress: Progress) -> SizedRow:
    finished = row.finished()
    if row.is_marked:
        progress.advance(1)
    return finished
