"""An item in the form that exports use: its texts, and its pictures as models see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from benchwright.drawing.model_pictures import EXTENSIONS
from benchwright.questions.picture_places import (
    option_in_words,
    option_pictures,
    placed_pictures,
    question_in_words,
)
from benchwright.records import ImageRecord, Item, ItemImage

if TYPE_CHECKING:
    from benchwright.release import Release, ReleasedItem


@dataclass(frozen=True)
class ExportHeader:
    """The facts that an export states about its release.

    Attributes:
        name: Name of the benchmark.
        version: Version of the release.
        release_id: SHA-256 of the release's manifest.
        content_id: Root hash of its items, splits and pictures.
        canary: The canary, a text to search for in training data.
        licence: License of the release as a whole; None if it states none.
        splits: Names of the exported splits, sorted.
        out: Absolute path of the export's final folder; the export is written elsewhere and then moved there.
        most_pictures: Largest number of pictures that an item shows.
        extension: Extension of all picture files as models see them; `png` if there are several extensions.
    """  # phrase: allowed

    name: str
    version: str
    release_id: str
    content_id: str
    canary: str
    licence: str | None
    splits: tuple[str, ...]
    out: Path
    most_pictures: int
    extension: str

    @classmethod
    def of(
        cls, release: Release, splits: tuple[str, ...], out: Path, *, most_pictures: int, extension: str
    ) -> ExportHeader:
        """Return the facts that an export states about a release."""
        licence = release.manifest.licence
        ids = (release.release_id, release.content_id, release.canary)
        return cls(release.name, release.version, *ids, licence, splits, out, most_pictures, extension)

    @property
    def title(self) -> str:
        """Return the release's name and version."""
        return f"{self.name} {self.version}"

    @property
    def identifier(self) -> str:
        """Return a name unique to the release: letters, digits and `_`, with the start of the release id."""
        plain = "".join(letter if letter.isalnum() else "_" for letter in f"{self.name}_{self.version}")
        return f"{plain}_{self.release_id[:12]}"

    def document(self) -> dict[str, Any]:
        """Return the name, version, ids, canary and license as JSON values."""
        return {
            "name": self.name,
            "version": self.version,
            "release_id": self.release_id,
            "content_id": self.content_id,
            "canary": self.canary,
            "licence": self.licence,
        }


@dataclass(frozen=True, slots=True)
class PictureCredit:
    """A source from which a picture was made.

    Attributes:
        image_id: SHA-256 of the source image's file.
        uri: Path in the image folder, or URL.
        dataset: Name of the source dataset.
        canonical_id: Id in that dataset.
        licence: License of the source image.
        author: Author of the source image.
        retrieved_at: Time of retrieval.
        url: Address of the image or of its page.
        date: Date of creation, as stated.
        attribution: Attribution that the author requests.
    """  # phrase: allowed

    image_id: str
    uri: str | None = None
    dataset: str | None = None
    canonical_id: str | None = None
    licence: str | None = None
    author: str | None = None
    retrieved_at: str | None = None
    url: str | None = None
    date: str | None = None
    attribution: str | None = None

    @classmethod
    def of(cls, record: ImageRecord) -> PictureCredit:
        """Return the credit of a source image."""
        source = record.source
        return cls(record.image_id) if source is None else cls(record.image_id, **source.model_dump())

    def document(self) -> dict[str, str]:
        """Return the credit as JSON values."""
        stated = ((name, getattr(self, name)) for name in self.__slots__)
        return {name: value for name, value in stated if value is not None}


@dataclass(frozen=True, slots=True)
class ExportedPicture:
    """A picture of an item.

    Attributes:
        number: Position among the item's pictures, from 1.
        image: Id, role and marks, as stated by the item.
        data: Bytes of the file as models see it, marks drawn.
        sha256: SHA-256 of `data`.
        media_type: `image/png`, `image/jpeg` or `image/webp`.
        width: Width in pixels.
        height: Height in pixels.
        is_encoded: Whether it is an unmarked picture that was re-encoded because decoders disagree about the release's
            file or do not know its format.
        unmarked_name: File name of the picture without its marks, in the export's folder of unmarked pictures.
        credits: Sources from which the picture was made, sorted by image id.
    """

    number: int
    image: ItemImage
    data: bytes = field(repr=False)
    sha256: str
    media_type: str
    width: int
    height: int
    is_encoded: bool
    unmarked_name: str
    credits: tuple[PictureCredit, ...]

    @property
    def extension(self) -> str:
        """Return `png`, `jpg` or `webp`."""
        return EXTENSIONS[self.media_type]

    @property
    def file_name(self) -> str:
        """Return the picture's SHA-256 with its extension."""
        return f"{self.sha256}.{self.extension}"


class PictureSource(Protocol):
    """Makes the pictures of an item."""

    def pictures_of(self, released: ReleasedItem) -> tuple[ExportedPicture, ...]:
        """Return an item's pictures in order."""


@dataclass(frozen=True)
class ExportedItem:
    """An item with all the data that formats need; its pictures are made on first use.

    Attributes:
        released: Item, split, and files by image id.
        number: Position in the export, from 1, counted across all exported splits.
        source: Object that makes the pictures.
    """

    released: ReleasedItem
    number: int
    source: PictureSource = field(repr=False)

    @property
    def item(self) -> Item:
        """Return the record of the item."""
        return self.released.item

    @property
    def item_id(self) -> str:
        """Return the item's id."""
        return self.item.item_id

    @property
    def split(self) -> str:
        """Return the name of the split."""
        return self.released.split

    def make_pictures(self) -> None:
        """Make the pictures of the item.

        Raises:
            UnexportablePicture: A picture cannot be decoded, or its marks cannot be drawn.
        """
        assert self.pictures  # an item shows at least one

    @cached_property
    def pictures(self) -> tuple[ExportedPicture, ...]:
        """Return the pictures in the order in which they are shown."""
        return self.source.pictures_of(self.released)

    @property
    def question(self) -> str:
        """Return the question, with each placeholder such as `<image 2>` replaced by the picture's name ("Image 2")."""
        return question_in_words(self.item.question, len(self.item.images))

    @property
    def options(self) -> dict[str, str]:
        """Return the options' texts by key, in order; for a picture option, the picture's name ("Image 2")."""
        pictures = self.option_pictures
        return {choice.key: option_in_words(choice, pictures) for choice in self.item.choices}

    @property
    def option_pictures(self) -> Mapping[str, int]:
        """Return the number of the picture that each picture option shows, by the option's key."""
        return option_pictures(self.item.choices, self.item.images)

    @property
    def target(self) -> str | None:
        """Return the key of the right option, which is the answer or the refusal; None if no option is right."""
        return self.item.answer if self.item.answer is not None else self.item.refusal

    @property
    def places_pictures(self) -> bool:
        """Return whether the question text contains placeholders for pictures."""
        return bool(placed_pictures(self.item.question, len(self.item.images)))
