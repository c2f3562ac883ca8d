"""The iteration over a release that all exports share; each picture is prepared once, with its marks and credits."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchwright.canonical import bytes_digest, digest
from benchwright.drawing.model_pictures import (
    EXTENSIONS,
    ModelPicture,
    as_released,
    drawn_pixels,
    released_picture,
    stored_picture,
)
from benchwright.errors import DataError, UnreadableImage
from benchwright.files.lists_on_disk import ListsOnDisk
from benchwright.images.decode import decode_rgb
from benchwright.record_map import LostRecord, RecordMap, unless_lost
from benchwright.records import ImageRecord, ItemImage, VisualPrompt
from benchwright.release.format import documents
from benchwright.release.format.files import open_inside
from benchwright.release.format.parquet import read_rows
from benchwright.release.format.rows import file_name

from .exported import ExportedItem, ExportedPicture, PictureCredit

if TYPE_CHECKING:
    from benchwright.release import Release, ReleasedItem

_ANY = EXTENSIONS["image/png"]
_CACHE_BYTES = 128 * 1024**2
"""Maximum total size, in bytes, of pictures to keep in memory in case another item shows them."""

_KNOWN_PICTURES = 1024
"""Number of pictures whose records to keep in memory in case another item shows them."""

_WAITING_BYTES = 64 * 1024**2
"""Total size, in bytes, of the files to draw or encode at a time; the files of a single item may exceed it."""

_WAITING_ITEMS = 512


class UnexportablePicture(DataError):
    """A picture of an item that cannot be decoded, or whose marks cannot be drawn; the item is left out and listed."""


class PictureShape(NamedTuple):
    """Facts about all pictures of an export taken together.

    Attributes:
        most_pictures: Largest number of pictures that an item shows.
        extension: Extension of all picture files as models see them, according to rows and records; `png` if there are
            several extensions.
    """

    most_pictures: int
    extension: str


class _Known(NamedTuple):
    """Facts from the records of a picture and its ancestors."""

    unmarked_name: str
    credits: tuple[PictureCredit, ...]


class _Ready(NamedTuple):
    """A prepared picture, with the SHA-256 of its file and the release's drawn file, if there is one."""

    picture: ModelPicture
    sha256: str
    drawn: bytes | None


class _ShownPicture(NamedTuple):
    """A picture of an item: the file, its marks, and the release's drawn file, if there is one.

    One file with the same marks may be drawn in two ways, so the key alone cannot distinguish them.
    """

    key: str
    image_id: str
    data: bytes
    prompts: tuple[VisualPrompt, ...]
    drawn: bytes | None

    def size(self) -> int:
        return len(self.data)


def _drawn(shown: _ShownPicture) -> ModelPicture:
    """Draw a picture that the release does not store as models see it, after decoding its file and comparing pixels.

    Raises:
        DataError: The picture cannot be decoded, its marks cannot be drawn, or its file has other pixels.
    """
    pixels = drawn_pixels(shown.data, shown.prompts)
    picture = as_released(pixels, shown.data, shown.prompts, fidelity="exact")
    if not np.array_equal(decode_rgb(picture.data), pixels):
        raise DataError("its file has other pixels than it shows")
    return picture


class ReleaseWalk:
    """The exportable items of a release in order, for use in a `with` block.

    Records of pictures are looked up in a temporary file, so that memory use does not grow with the release.

    Args:
        release: Release to walk over.
        splits: Names of the splits, sorted.
        draws_marks: Whether marks are drawn on the pictures.
    """

    def __init__(self, release: Release, splits: Sequence[str], *, draws_marks: bool) -> None:
        self._release, self._splits, self._draws_marks = release, splits, draws_marks
        self._records: ListsOnDisk[str] = ListsOnDisk()
        self._kept: OrderedDict[str, _Ready] = OrderedDict()
        self._used = 0
        self._made_ahead: dict[str, ModelPicture | LostRecord] = {}
        self._left_out: set[str] = set()
        self._known = lru_cache(_KNOWN_PICTURES)(self._looked_up)

    def __enter__(self) -> ReleaseWalk:
        for record in self._release.provenance():
            if isinstance(record, ImageRecord):
                self._records.add(record.image_id, record.model_dump(mode="json"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._records.__exit__(kind, error, trace)

    def items(self, record_map: RecordMap | None = None) -> Iterator[ExportedItem]:
        """Yield items sorted by split and id.

        Args:
            record_map: Mapper for making pictures a few items in advance; if None, each picture is made on first use.

        Raises:
            DataError: A data file is damaged.
            StepError: Making a picture ended its process or exceeded its memory.
        """
        number = 1
        for split in self._splits:
            listed = self._release.items(split)
            for released in listed if record_map is None else self._drawn_ahead(listed, record_map):
                if released.item.item_id not in self._left_out:
                    yield ExportedItem(released, number, self)
                    number += released.item.item_id not in self._left_out

    def _drawn_ahead(self, items: Iterable[ReleasedItem], record_map: RecordMap) -> Iterator[ReleasedItem]:
        """Yield items as soon as any pictures of theirs that are not files of the release have been made."""
        waiting: list[ReleasedItem] = []
        tasks: dict[str, _ShownPicture] = {}
        for released in items:
            waiting.append(released)
            for number in range(1, len(released.item.images) + 1):
                shown = self._shown(released, number)
                is_known = any(shown.key in known for known in (self._kept, self._made_ahead, tasks))
                if shown.drawn is None and not is_known and not self._is_stored(shown):
                    tasks[shown.key] = shown
            held = sum(map(_ShownPicture.size, tasks.values()))
            # An item that shows only files of the release need not wait, unless others wait before it.
            if not tasks or len(waiting) >= _WAITING_ITEMS or held >= _WAITING_BYTES:
                yield from self._once_drawn(waiting, tasks, record_map)
                waiting, tasks = [], {}
        yield from self._once_drawn(waiting, tasks, record_map)

    def _once_drawn(
        self, waiting: Sequence[ReleasedItem], tasks: Mapping[str, _ShownPicture], record_map: RecordMap
    ) -> Iterator[ReleasedItem]:
        """Make pictures, and yield the items that were waiting for them."""
        made = record_map(_drawn, tasks.values(), what="pictures", size_of=_ShownPicture.size)
        self._made_ahead.update(zip(tasks, made, strict=True))
        yield from waiting
        self._made_ahead.clear()

    def _is_stored(self, shown: _ShownPicture) -> bool:
        """Return whether a picture needs no processing: models see the file unchanged, or the file cannot be read."""
        if shown.prompts:
            return False
        try:
            stored = stored_picture(shown.data)
        except UnreadableImage as error:
            self._made_ahead[shown.key] = LostRecord("unfit", str(error))
            return True
        if stored is not None:
            self._made_ahead[shown.key] = stored
        return stored is not None

    def leave_out(self, item_id: str) -> None:
        """Leave an item out of the export and of later iterations."""
        self._left_out.add(item_id)

    @property
    def left(self) -> int:
        """Return the number of items to export."""
        counts = self._release.manifest.counts.splits
        return sum(counts[split].items for split in self._splits) - len(self._left_out)

    def picture_shape(self) -> PictureShape:
        """Return the facts about all pictures that formats need before they write the first; no picture is read."""
        most, manifest = 1, self._release.manifest
        extensions: set[str] = set()
        # Since version 2, rows name the files that models see.
        columns = ("image_ids", "visual_prompts" if manifest.version == 1 else "images.list.element.path")
        for split in self._splits:
            for name in self._release.manifest.data_files(split):
                with open_inside(self._release.path, name) as handle:
                    for row in read_rows(
                        handle, title=name, canary=manifest.canary, version=manifest.version, columns=columns
                    ):
                        most = max(most, len(row["image_ids"]))
                        extensions.update(self._extensions(row))
        return PictureShape(most, extensions.pop() if len(extensions) == 1 else _ANY)

    def _extensions(self, row: Mapping[str, Any]) -> Iterator[str]:
        """Yield the extensions of the files of a row's pictures as models see them."""
        if "images" in row:
            yield from (str(cell["path"]).rpartition(".")[2] for cell in row["images"])
            return
        for image_id, marks in zip(
            row["image_ids"], documents.parse(row["visual_prompts"], title="marks"), strict=True
        ):
            record = self.record(image_id)
            yield _ANY if marks or record.notes else EXTENSIONS.get(record.media_type, _ANY)

    def record(self, image_id: str) -> ImageRecord:
        """Return the record of a picture.

        Raises:
            DataError: The release's provenance lacks it.
        """
        records = self._records[image_id]
        if not records:
            raise DataError(f"{self._release.path}: provenance.json has no record of image {image_id}")
        return ImageRecord.model_validate(records[0])

    def credits_of(self, image_id: str) -> tuple[PictureCredit, ...]:
        """Return the source images from which a picture was made, sorted by id."""
        sources: dict[str, PictureCredit] = {}
        waiting, seen = [image_id], {image_id}
        while waiting:
            record = self.record(waiting.pop())
            if record.source is not None or not record.derived_from:
                sources[record.image_id] = PictureCredit.of(record)
            new = [parent for parent in record.derived_from if parent not in seen]
            waiting += new
            seen.update(new)
        return tuple(sources[key] for key in sorted(sources))

    def pictures_of(self, released: ReleasedItem) -> tuple[ExportedPicture, ...]:
        """Return an item's pictures as models see them, in order.

        Raises:
            UnexportablePicture: A picture cannot be decoded, or its marks cannot be drawn.
        """
        return tuple(
            self._picture(released, number, image) for number, image in enumerate(released.item.images, start=1)
        )

    def _picture(self, released: ReleasedItem, number: int, image: ItemImage) -> ExportedPicture:
        ready = self._made(self._shown(released, number), number)
        picture, known = ready.picture, self._known(image.image_id)
        return ExportedPicture(
            number=number,
            image=image,
            data=picture.data,
            sha256=ready.sha256,
            media_type=picture.media_type,
            width=picture.width,
            height=picture.height,
            is_encoded=picture.how == "encoded",
            unmarked_name=known.unmarked_name,
            credits=known.credits,
        )

    def _looked_up(self, image_id: str) -> _Known:
        return _Known(file_name(self.record(image_id)), self.credits_of(image_id))

    def _shown(self, released: ReleasedItem, number: int) -> _ShownPicture:
        """Return the picture that an item shows at a position, counted from 1."""
        image = released.item.images[number - 1]
        # If no marks are drawn, a picture with marks in one place and without in another is one file: the release's
        # own.
        prompts = image.prompts if self._draws_marks else ()
        drawn = released.drawn[number - 1] if released.drawn and self._draws_marks else None
        marks = [prompt.model_dump(mode="json") for prompt in prompts]
        key = digest([image.image_id, marks]) if marks else image.image_id
        return _ShownPicture(key, image.image_id, released.images[image.image_id], prompts, drawn)

    def _made(self, shown: _ShownPicture, number: int) -> _Ready:
        from benchwright.drawing import PromptError

        if (known := self._kept.get(shown.key)) is not None and known.drawn == shown.drawn:
            self._kept.move_to_end(shown.key)
            return known
        try:
            picture = self._model_picture(shown)
        except (UnreadableImage, PromptError) as error:
            raise UnexportablePicture(f"image {number} cannot be made as models see it: {error}") from error
        if isinstance(picture, LostRecord):
            raise UnexportablePicture(f"image {number} cannot be made as models see it: {picture.message}")
        is_released = picture.data == shown.data  # its SHA-256 was checked on reading
        ready = _Ready(picture, shown.image_id if is_released else bytes_digest(picture.data), shown.drawn)
        if known is not None:
            self._used -= len(known.picture.data)
        self._kept[shown.key] = ready
        self._used += len(picture.data)
        while self._used > _CACHE_BYTES and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._used -= len(oldest.picture.data)
        return ready

    def _model_picture(self, shown: _ShownPicture) -> ModelPicture | LostRecord:
        """Return the picture as models see it, or the reason why it cannot be made."""
        if shown.drawn is not None:
            return released_picture(shown.drawn, shown.prompts)
        made = self._made_ahead.get(shown.key)
        if made is None:
            stored = None if shown.prompts else stored_picture(shown.data)
            return _drawn(shown) if stored is None else stored
        if isinstance(made, LostRecord) and made.reason != "unfit":
            unless_lost(made, f"image {shown.image_id}, made for the export")
        return made
