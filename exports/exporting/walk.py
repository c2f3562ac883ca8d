"""The walk over a release that all exports share: each picture is made ready once, with its marks and credits."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.canonical import bytes_digest, digest
from benchwright.drawing.model_pictures import EXTENSIONS, ModelPicture, model_picture, released_picture
from benchwright.errors import DataError, UnreadableImage
from benchwright.files.lists_on_disk import ListsOnDisk
from benchwright.records import ImageRecord, ItemImage
from benchwright.release.format import documents
from benchwright.release.format.files import open_inside
from benchwright.release.format.parquet import read_rows
from benchwright.release.format.rows import file_name

from .exported import ExportedItem, ExportedPicture, PictureCredit

if TYPE_CHECKING:
    from benchwright.release import Release, ReleasedItem

_ANY = EXTENSIONS["image/png"]
_CACHE_BYTES = 128 * 1024**2
"""Bound on the bytes of pictures that are kept in case another item shows them."""

_KNOWN_PICTURES = 1024
"""Number of pictures whose records are kept in case another item shows them."""


class UnexportablePicture(DataError):
    """A picture of an item that cannot be decoded, or whose marks cannot be drawn; its item is left out and listed."""


class PictureShape(NamedTuple):
    """What is true of all pictures of an export.

    Attributes:
        most_pictures: Number of pictures of the item that shows most.
        extension: Extension of all picture files as models see them, as far as rows and records say; `png` where there
            are several.
    """

    most_pictures: int
    extension: str


class _Known(NamedTuple):
    """What a picture's record and those that it goes back to say."""

    unmarked_name: str
    credits: tuple[PictureCredit, ...]


class _Ready(NamedTuple):
    """A picture that is made ready, with the SHA-256 of its file."""

    picture: ModelPicture
    sha256: str


class ReleaseWalk:
    """The items of a release in order, less those that cannot be exported, for use in a `with` block.

    Records of pictures are looked up in a temporary file, so memory does not grow with the release.

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

    def items(self) -> Iterator[ExportedItem]:
        """Yield items sorted by split and id.

        Raises:
            DataError: A data file is damaged.
        """
        number = 1
        for split in self._splits:
            for released in self._release.items(split):
                if released.item.item_id not in self._left_out:
                    yield ExportedItem(released, number, self)
                    number += released.item.item_id not in self._left_out

    def leave_out(self, item_id: str) -> None:
        """Leave an item out of the export, also when the items are walked over again."""
        self._left_out.add(item_id)

    @property
    def left(self) -> int:
        """Return the number of items that are exported."""
        counts = self._release.manifest.counts.splits
        return sum(counts[split].items for split in self._splits) - len(self._left_out)

    def picture_shape(self) -> PictureShape:
        """Return what formats must know of all pictures before the first is written; no picture is read."""
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
        """Yield the extensions of a row's picture files as models see them."""
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
            DataError: The release's provenance does not have it.
        """
        records = self._records[image_id]
        if not records:
            raise DataError(f"{self._release.path}: provenance.json has no record of image {image_id}")
        return ImageRecord.model_validate(records[0])

    def credits_of(self, image_id: str) -> tuple[PictureCredit, ...]:
        """Return the source images that a picture goes back to, sorted by id."""
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
        """Return the pictures of an item as models see them, in order.

        Raises:
            UnexportablePicture: A picture cannot be decoded, or its marks cannot be drawn.
        """
        return tuple(
            self._picture(released, number, image) for number, image in enumerate(released.item.images, start=1)
        )

    def _picture(self, released: ReleasedItem, number: int, image: ItemImage) -> ExportedPicture:
        ready = self._made(released, number, image)
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

    def _made(self, released: ReleasedItem, number: int, image: ItemImage) -> _Ready:
        from benchwright.drawing import PromptError

        # Where no marks are drawn, a picture with marks elsewhere and without them here is one file: the release's own.
        prompts = image.prompts if self._draws_marks else ()
        drawn = released.drawn[number - 1] if released.drawn and self._draws_marks else None
        key = image.image_id if drawn is None else bytes_digest(drawn)
        if drawn is None and prompts:
            key = digest([image.image_id, [prompt.model_dump(mode="json") for prompt in prompts]])
        if (known := self._kept.get(key)) is not None:
            self._kept.move_to_end(key)
            return known
        try:
            picture = (
                model_picture(released.images[image.image_id], prompts)
                if drawn is None
                else released_picture(drawn, prompts)
            )
        except (UnreadableImage, PromptError) as error:
            raise UnexportablePicture(f"image {number} cannot be made as models see it: {error}") from error
        ready = self._kept[key] = _Ready(picture, bytes_digest(picture.data))
        self._used += len(picture.data)
        while self._used > _CACHE_BYTES and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._used -= len(oldest.picture.data)
        return ready
