"""The records that all rooms share: images, visual prompts, items, operations.

All are frozen and checked at creation, so that later code need not check again. Bulk data stays in Arrow columns
(`benchwright.workspace.tables`); these models are for one record at a time and for input and output.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from benchwright.canonical import digest
from benchwright.regions.rle import decode_runs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
ItemId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Scalar = str | int | float | bool | None
PromptKind = Literal["ring", "dot", "box", "polygon", "mask", "arrow", "letter", "number"]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Record(BaseModel):
    """Base of all records: frozen, with unknown fields rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with some fields changed; cached values derived from the old fields are recomputed."""
        copy = super().model_copy(update=update, deep=deep)
        for name in [name for name in copy.__dict__ if name not in type(self).model_fields]:
            del copy.__dict__[name]
        return copy


LATER_SOURCE_FIELDS = ("url", "date", "attribution")
"""Fields of a source that tables and documents of older versions lack; omitted if not stated."""


class Source(Record):
    """The origin of an image, as stated by its source."""

    uri: str
    """Path relative to the image folder, with control characters and undecodable bytes percent-encoded; or a URL."""
    dataset: str | None = None
    canonical_id: str | None = None
    """Id in the source collection, such as `coco:000000123`."""
    licence: str | None = None
    author: str | None = None
    retrieved_at: str | None = None
    url: str | None = None
    """URL of the image, or of its page."""
    date: str | None = None
    """Date of the image, as stated."""
    attribution: str | None = None
    """Attribution requested by its author."""

    @model_serializer(mode="wrap")
    def _without_what_is_not_stated(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Keeps documents and hashes of records from before these fields existed.
        document: dict[str, Any] = write(self)
        return {name: value for name, value in document.items() if value is not None or name not in LATER_SOURCE_FIELDS}


class ImageRecord(Record):
    """One image, identified by the SHA-256 of its file's bytes."""

    image_id: Sha256
    width: int = Field(gt=0)
    """Pixels, upright (after EXIF orientation)."""
    height: int = Field(gt=0)
    media_type: str
    size_bytes: int = Field(gt=0)
    source: Source | None = None
    derived_from: tuple[Sha256, ...] = ()
    operation_id: str | None = None
    pixel_hash: Sha256 | None = None
    """SHA-256 of shape and upright RGB pixels; always set for made images."""
    root_image_id: Sha256
    """Source image from which this one derives (itself for a source image); it determines the shard."""
    notes: tuple[str, ...] = ()
    """Facts about decoding, such as `exif_orientation:6` or `animated:first_frame`; sorted."""

    @property
    def record_id(self) -> str:
        """Return the id by which steps refer to the image."""
        return self.image_id


class PromptStyle(Record):
    """Appearance of a visual prompt, in pixels at `reference_height_px`, scaled with the image's height."""

    color: str = Field("#ff0000", pattern=r"^#[0-9a-f]{6}$")
    radius_px: float = Field(10.0, gt=0)
    line_px: float = Field(3.0, gt=0)
    reference_height_px: float = Field(1024.0, gt=0)
    """BLINK draws red rings of radius 10 px on images 1,024 px high (section 4.3)."""


class MaskRuns(Record):
    """A grid of cells that are set or unset, in COCO's form: `{"size": [height, width], "counts": "..."}`."""

    size: tuple[int, int]
    """Number of rows and of columns, 1 to 65,535 each."""
    counts: str = Field(max_length=1_000_000)
    """Lengths of runs, column by column, starting with unset cells (`benchwright.regions.rle`)."""

    @cached_property
    def runs(self) -> tuple[int, ...]:
        """Return the lengths of the runs."""
        return tuple(decode_runs(self.counts))

    @cached_property
    def spans(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the start and stop of each nonempty run of set cells, counted column by column."""
        import numpy as np

        ends = np.cumsum(np.array(self.runs, np.int64))
        stops = ends[1::2]
        starts = ends[0::2][: len(stops)]
        return starts[stops > starts], stops[stops > starts]

    @model_validator(mode="after")
    def _fills_its_grid(self) -> MaskRuns:
        height, width = self.size
        if not (0 < height <= 65_535 and 0 < width <= 65_535):
            raise ValueError(f"size must be two numbers from 1 to 65,535, not {height} x {width}")
        if (cells := sum(self.runs)) != height * width:
            raise ValueError(f"counts describe {cells} cells, but a grid of {height} x {width} has {height * width}")
        if not any(self.runs[1::2]):
            raise ValueError("counts describe a mask without any set cell")
        return self


class VisualPrompt(Record):
    """A mark on an image, stored as vector data and rendered by app, release and evaluation."""

    kind: PromptKind
    image_id: Sha256
    points: tuple[tuple[float, float], ...] = Field(min_length=1)
    """(x, y) in the upright image; pixel centers lie at +0.5.

    One point for ring, dot, letter and number; two corners for box; for mask, the corners of its grid's rectangle; tail
    and tip for arrow; the corners in order for polygon.
    """
    label: str | None = None
    style: PromptStyle = PromptStyle()
    mask: MaskRuns | None = None
    """The grid of a mask; omitted from documents of all other kinds."""
    label_place: int | None = Field(None, ge=0, le=255)
    """Preferred label position, as its index in the order in which positions are tried (`benchwright.drawing.labels`).

    It depends on the picture's content. Documents omit it if the label takes the first free position.
    """

    @model_validator(mode="after")
    def _only_masks_have_a_grid(self) -> VisualPrompt:
        if self.mask is not None and self.kind != "mask":
            raise ValueError(f"a visual prompt of kind {self.kind!r} has no mask; only the kind 'mask' has one")
        return self

    @model_serializer(mode="wrap")
    def _without_what_is_absent(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Keeps documents, and so content hashes, from before masks and label places existed.
        document: dict[str, Any] = write(self)
        for name in ("mask", "label_place"):
            if document.get(name, ...) is None:
                del document[name]
        return document


class ItemImage(Record):
    """A picture of an item, in display order."""

    image_id: Sha256
    role: str
    """Role in the item, such as `reference`, `choice`, `view`."""
    prompts: tuple[VisualPrompt, ...] = ()


class Choice(Record):
    """One option: a text, or one of the item's images."""

    key: str = Field(pattern=r"^[A-Z]$")
    text: str | None = None
    image_id: Sha256 | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Choice:
        if (self.text is None) == (self.image_id is None):
            raise ValueError(f"choice {self.key} must have either a text or an image_id")
        return self


def right_key(answer: str | None, refusal: str | None) -> str | None:
    """Return the right key: that of the answer or, if the picture gives no answer, that of the declining option."""
    return answer if answer is not None else refusal


def answered_key(answer: str | None, refusal: str | None) -> str | None:
    """Return the key of the option that answers the question; None if no option does and only declining is right.

    Imported items may name the declining option as their answer, but it answers nothing.
    """
    return None if answer == refusal else answer


LANGUAGE = "language"
"""Attribute of an item that states the language of its texts, as an ISO 639 code such as `ar`."""


LANGUAGE_CODE = r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
"""Pattern of a language code, such as `en` or `zh-Hant`."""


class Item(Record):
    """One question about one or more images.

    `item_id` survives upgrades and edits; `content_hash` identifies the content that people judged and models saw.
    """

    item_id: ItemId
    revision: int = Field(0, ge=0)
    task: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    kind: Literal["yes_no", "multiple_choice"]
    images: tuple[ItemImage, ...] = Field(min_length=1)
    question: str = Field(min_length=1)
    """Text of the question, which may place images: `<image 2>` is the second of `images`."""
    choices: tuple[Choice, ...] = Field(min_length=2)
    answer: str | None
    """Key of the right choice; None if nothing in the picture answers it."""
    refusal: str | None = None
    """Key of the choice that declines to answer (MM-SAP)."""
    group_keys: tuple[str, ...] = ()
    """Keys of groups that splits must keep together (pair, source image, scene, near-duplicate cluster); sorted."""
    level: str | None = None
    category: str | None = None
    attributes: dict[str, Scalar] = {}
    """Users' own data; only the evaluation's metrics and protocols use it."""
    explanation: str | None = None
    written_by: dict[str, str] = {}
    """Author of each text (`question`, `choices`, `explanation`), and of drafted `labels`.

    `person`, `simulated`, `template`, or `model:<id>`, even if a person accepted the draft unchanged; `person, from
    model:<id>` or `person, from template` if the person changed it.
    """
    root_image_id: Sha256
    operation_id: str
    made_from: str
    """Record id of the step's input for this item."""
    evidence: dict[str, Any] = {}
    """Details of how the item was made: geometry, candidates, measurements."""

    @property
    def record_id(self) -> str:
        """Return the id by which steps refer to the item."""
        return self.item_id

    @property
    def right_key(self) -> str | None:
        """Return the right key; None if no option is right."""
        return right_key(self.answer, self.refusal)

    @property
    def answered_key(self) -> str | None:
        """Return the key of the option that answers the question; None if no option does."""
        return answered_key(self.answer, self.refusal)

    @cached_property
    def content_hash(self) -> str:
        """Return the SHA-256 of the displayed content and the right choice, excluding provenance and grouping."""
        return digest(
            self.model_dump(
                mode="json",
                include={
                    "task",
                    "kind",
                    "images",
                    "question",
                    "choices",
                    "answer",
                    "refusal",
                    "level",
                    "category",
                    "attributes",
                    "explanation",
                },
            )
        )

    @model_validator(mode="after")
    def _hangs_together(self) -> Item:
        keys = [choice.key for choice in self.choices]
        if keys != list(LETTERS[: len(keys)]):
            raise ValueError(f"choices of item {self.item_id} must be keyed A, B, C, ... in order, not {keys}")
        for name in ("answer", "refusal"):
            if (key := getattr(self, name)) is not None and key not in keys:
                raise ValueError(f"{name} {key!r} of item {self.item_id} is not among its choices {keys}")
        shown = {image.image_id for image in self.images}
        for choice in self.choices:
            if choice.image_id is not None and choice.image_id not in shown:
                raise ValueError(
                    f"choice {choice.key} of item {self.item_id} shows an image that the item does not list"
                )
        for image in self.images:
            if any(prompt.image_id != image.image_id for prompt in image.prompts):
                raise ValueError(f"a visual prompt of item {self.item_id} names an image other than the one it marks")
        if list(self.group_keys) != sorted(set(self.group_keys)):
            raise ValueError(f"group_keys of item {self.item_id} must be sorted and without repeats")
        return self


class Operation(Record):
    """The origin of a record: one step as configured. Records refer to it by `operation_id`."""

    step: str
    version: int
    parameters: dict[str, Any]
    model_id: str | None = None
    model_revision: str | None = None
    weights_hash: str | None = None
    seed: int

    @cached_property
    def operation_id(self) -> str:
        """Return the id by which records refer to the operation."""
        return digest(self.model_dump(mode="json"))[:32]


def item_id_for(step: str, seed: int, identity: dict[str, Any], parents: tuple[str, ...], ordinal: int) -> str:
    """Return an item's id, which is the same for all versions of the step, the weights and the text."""
    return digest(["item", step, seed, identity, list(parents), ordinal])[:32]
