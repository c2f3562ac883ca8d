"""The records that all rooms share: images, visual prompts, items, operations.

All are frozen and checked when made, so that later code need not check again. Bulk data stays in Arrow columns
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
    """Base of all records: frozen, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with some fields changed; cached values derived from the old fields are computed again."""
        copy = super().model_copy(update=update, deep=deep)
        for name in [name for name in copy.__dict__ if name not in type(self).model_fields]:
            del copy.__dict__[name]
        return copy


LATER_SOURCE_FIELDS = ("url", "date", "attribution")
"""Fields of a source that tables and documents of older versions do not have; left out where nothing is stated."""


class Source(Record):
    """Where an image came from, as its source states it."""

    uri: str
    """Path relative to the image folder, control characters and undecodable bytes percent-encoded; or a URL."""
    dataset: str | None = None
    canonical_id: str | None = None
    """Id in the source collection, such as `coco:000000123`."""
    licence: str | None = None
    author: str | None = None
    retrieved_at: str | None = None
    url: str | None = None
    """Address at which the image can be had, or its page."""
    date: str | None = None
    """When the image was made, as stated."""
    attribution: str | None = None
    """How its author wants to be named."""

    @model_serializer(mode="wrap")
    def _without_what_is_not_stated(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Documents and hashes of records stay those of before these fields could be stated.
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
    """The source image that this one goes back to (itself for sources); decides the shard."""
    notes: tuple[str, ...] = ()
    """What decoding has to take into account, such as `exif_orientation:6` or `animated:first_frame`; sorted."""

    @property
    def record_id(self) -> str:
        """Return the id under which steps speak of it."""
        return self.image_id


class PromptStyle(Record):
    """How a visual prompt looks, in pixels at `reference_height_px` and scaled with the image's height."""

    color: str = Field("#ff0000", pattern=r"^#[0-9a-f]{6}$")
    radius_px: float = Field(10.0, gt=0)
    line_px: float = Field(3.0, gt=0)
    reference_height_px: float = Field(1024.0, gt=0)
    """BLINK draws red rings of radius 10 px on images 1,024 px high (section 4.3)."""


class MaskRuns(Record):
    """A grid of cells that are set or not, as COCO writes it: `{"size": [height, width], "counts": "..."}`."""

    size: tuple[int, int]
    """Rows and columns, 1 to 65,535 each."""
    counts: str = Field(max_length=1_000_000)
    """Lengths of runs, column by column, the first of cells that are not set (`benchwright.regions.rle`)."""

    @cached_property
    def runs(self) -> tuple[int, ...]:
        """Return the lengths of the runs."""
        return tuple(decode_runs(self.counts))

    @cached_property
    def spans(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where each run of set cells starts and stops, counted column by column; empty runs are left out."""
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
            raise ValueError(f"counts spell {cells} cells, a grid of {height} x {width} has {height * width}")
        if not any(self.runs[1::2]):
            raise ValueError("counts spell a mask without a cell that is set")
        return self


class VisualPrompt(Record):
    """A mark on an image, kept as a vector; app, release and evaluation render it."""

    kind: PromptKind
    image_id: Sha256
    points: tuple[tuple[float, float], ...] = Field(min_length=1)
    """(x, y) in the upright image; pixel centres lie at +0.5.

    One point for ring, dot, letter and number; two corners for box, and for mask those of the rectangle that its grid
    fills; tail and tip for arrow; the corners in order for polygon.
    """
    label: str | None = None
    style: PromptStyle = PromptStyle()
    mask: MaskRuns | None = None
    """The grid of a mask; only there, and left out of every document where there is none."""
    label_place: int | None = Field(None, ge=0, le=255)
    """Number of the place beside the mark that its label takes where it is free, in the order in which places are
    tried (`benchwright.drawing.labels`), chosen by what the picture shows there; left out of every document where the
    first free place is taken.
    """

    @model_validator(mode="after")
    def _only_masks_have_a_grid(self) -> VisualPrompt:
        if self.mask is not None and self.kind != "mask":
            raise ValueError(f"a visual prompt of kind {self.kind!r} has no mask; the kind 'mask' has")
        return self

    @model_serializer(mode="wrap")
    def _without_what_is_absent(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Documents, and with them content hashes, stay those of before masks could be drawn and places chosen.
        document: dict[str, Any] = write(self)
        for name in ("mask", "label_place"):
            if document.get(name, ...) is None:
                del document[name]
        return document


class ItemImage(Record):
    """A picture of an item, in the order in which it is shown."""

    image_id: Sha256
    role: str
    """Such as `reference`, `choice`, `view`."""
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
    """Return the key that is right: the answer or, where nothing in the picture answers, the one that declines."""
    return answer if answer is not None else refusal


def answered_key(answer: str | None, refusal: str | None) -> str | None:
    """Return the key of the option that answers; None where none does, so that at most declining is right.

    Items that others made may name the option that declines as their answer: it answers nothing.
    """
    return None if answer == refusal else answer


LANGUAGE = "language"
"""Attribute of an item that states the language of its texts, as an ISO 639 code such as `ar`."""


LANGUAGE_CODE = r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
"""Pattern of the code of a language, such as `en` or `zh-Hant`."""


class Item(Record):
    """One question about one or more images.

    `item_id` survives upgrades and edits; `content_hash` says what people judged and models saw.
    """

    item_id: ItemId
    revision: int = Field(0, ge=0)
    task: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    kind: Literal["yes_no", "multiple_choice"]
    images: tuple[ItemImage, ...] = Field(min_length=1)
    question: str = Field(min_length=1)
    """May place images: `<image 2>` is the second of `images`."""
    choices: tuple[Choice, ...] = Field(min_length=2)
    answer: str | None
    """Key of the right choice; None where nothing in the picture answers it."""
    refusal: str | None = None
    """Key of the choice that declines to answer (MM-SAP)."""
    group_keys: tuple[str, ...] = ()
    """What a split must keep together (pair, source image, scene, near-duplicate cluster); sorted."""
    level: str | None = None
    category: str | None = None
    attributes: dict[str, Scalar] = {}
    """What users bring; metrics and protocols of evaluation go by it, nothing else does."""
    explanation: str | None = None
    written_by: dict[str, str] = {}
    """For each text (`question`, `choices`, `explanation`), and for `labels` that were drafted: `person`, `simulated`,
    `template`, or `model:<id>`, also where a person accepted a draft as it was; `person, from model:<id>` or `person,
    from template` where they changed it."""
    root_image_id: Sha256
    operation_id: str
    made_from: str
    """Record id of the input that the step made this from."""
    evidence: dict[str, Any] = {}
    """How it was made: geometry, candidates, measurements."""

    @property
    def record_id(self) -> str:
        """Return the id under which steps speak of it."""
        return self.item_id

    @property
    def right_key(self) -> str | None:
        """Return the key that is right; None where none is."""
        return right_key(self.answer, self.refusal)

    @property
    def answered_key(self) -> str | None:
        """Return the key of the option that answers it; None where none does."""
        return answered_key(self.answer, self.refusal)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 over what is shown and what is right; not over how it was made or grouped."""
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
                raise ValueError(f"{name} {key!r} of item {self.item_id} is none of its choices {keys}")
        shown = {image.image_id for image in self.images}
        for choice in self.choices:
            if choice.image_id is not None and choice.image_id not in shown:
                raise ValueError(
                    f"choice {choice.key} of item {self.item_id} shows an image that the item does not list"
                )
        for image in self.images:
            if any(prompt.image_id != image.image_id for prompt in image.prompts):
                raise ValueError(f"a visual prompt of item {self.item_id} names another image than the one it lies on")
        if list(self.group_keys) != sorted(set(self.group_keys)):
            raise ValueError(f"group_keys of item {self.item_id} must be sorted and without repeats")
        return self


class Operation(Record):
    """What made a record: one step as configured. Records refer to it by `operation_id`."""

    step: str
    version: int
    parameters: dict[str, Any]
    model_id: str | None = None
    model_revision: str | None = None
    weights_hash: str | None = None
    seed: int

    @cached_property
    def operation_id(self) -> str:
        """Return the id by which records refer to it."""
        return digest(self.model_dump(mode="json"))[:32]


def item_id_for(step: str, seed: int, identity: dict[str, Any], parents: tuple[str, ...], ordinal: int) -> str:
    """Return an item's id: the same for every version of step, weights and text."""
    return digest(["item", step, seed, identity, list(parents), ordinal])[:32]
