"""The values of images that hold ground truth, written by the step `dataset` and read by steps that make items.

Each kind of truth is one value, named by its kind: canonical JSON, a list with an entry for each record of the dataset
that has the image as its first picture.

    [{"image_ids": ["3f…", "a0…"], "record": "spair71k:trn/000001-…", "truth": {"category": "cat", …}}]

`image_ids` are the images of the run, in the order of the record's pictures. The list holds only records with all
pictures in the run. The value `records` lists each record in which the image occurs; a step that needs no ground truth,
such as `jigsaw`, uses it to distinguish the images of one dataset from others. The value `scenes` names the records
among these that have several pictures.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from benchwright.canonical import canonical_json
from benchwright.errors import DataError
from benchwright.records import ImageRecord
from benchwright.steps import SCENES, Context

from .truths import TRUTH_OF_KIND, TRUTHS, GroundTruth

T = TypeVar("T", bound=GroundTruth)

DATASET = "dataset"
"""Default entry of the step `dataset`."""
RECORDS = "records"
VALUES: Mapping[str, str] = {RECORDS: "string", SCENES: "list<string>"} | {truth.kind: "string" for truth in TRUTHS}
"""Values of the step `dataset`, with their types."""


class RecordTruth(NamedTuple, Generic[T]):
    """One truth with the record that states it.

    Args:
        record: Id of the record, such as `vsr:random/train:17`.
        image_ids: Images of the record, in its order; the first one is the image that has the value.
        truth: The truth about them.
    """

    record: str
    image_ids: tuple[str, ...]
    truth: T


class RecordPlace(NamedTuple):
    """A record that contains an image, and the image's index in it, from 0."""

    record: str
    place: int


def truth_columns(*kinds: type[GroundTruth], dataset: str = DATASET) -> tuple[str, ...]:
    """Return the entries of `reads` (or `columns`) that a step needs for these kinds of truth and for the records.

    Args:
        kinds: Kinds of truth.
        dataset: Entry of the step `dataset` in the recipe.
    """
    return (f"{dataset}.{RECORDS}", *(f"{dataset}.{kind.kind}" for kind in kinds))


def truths_of(
    record: ImageRecord, ctx: Context, kind: type[T], *, dataset: str = DATASET
) -> tuple[RecordTruth[T], ...]:
    """Return the truths of one kind from the records whose first picture is this image; empty if there are none."""
    text = ctx.value(record.image_id, f"{dataset}.{kind.kind}")
    return () if text is None else read_truths(text, kind)


def records_of(record: ImageRecord, ctx: Context, *, dataset: str = DATASET) -> tuple[RecordPlace, ...]:
    """Return the records of a dataset that contain an image; empty if there are none."""
    text = ctx.value(record.image_id, f"{dataset}.{RECORDS}")
    return () if text is None else read_records(text)


def read_truths(text: str, kind: type[T]) -> tuple[RecordTruth[T], ...]:
    """Return the truths in a value."""
    return tuple(
        RecordTruth(entry["record"], tuple(entry["image_ids"]), kind.model_validate(entry["truth"]))
        for entry in json.loads(text)
    )


def write_truths(truths: Iterable[RecordTruth[Any]]) -> str:
    """Return the value that encodes the truths of one kind."""
    return canonical_json([truth_entry(truth.record, truth.image_ids, truth_document(truth.truth)) for truth in truths])


def truth_entry(record: str, image_ids: Sequence[str], document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry of a value for one truth, given as a document (`truth_document`)."""
    return {"image_ids": list(image_ids), "record": record, "truth": document}


def read_records(text: str) -> tuple[RecordPlace, ...]:
    """Return the records in the value `records`."""
    return tuple(RecordPlace(entry["record"], entry["place"]) for entry in json.loads(text))


def write_records(places: Iterable[RecordPlace]) -> str:
    """Return the value `records`."""
    return canonical_json([place._asdict() for place in places])


def truth_document(truth: GroundTruth) -> dict[str, Any]:
    """Return a truth as a JSON document, without default values."""
    return truth.model_dump(mode="json", exclude_defaults=True)


def truth_in(document: Any) -> GroundTruth:
    """Return the truth in a document with a key `kind`, as stated in a user's JSONL files.

    Raises:
        DataError: The kind is unknown.
        ValidationError: The fields are wrong.
    """
    if not isinstance(document, dict) or document.get("kind") not in TRUTH_OF_KIND:
        kind = document.get("kind") if isinstance(document, dict) else document
        raise DataError(f"no kind of truth {kind!r}; kinds are {', '.join(sorted(TRUTH_OF_KIND))}")
    return TRUTH_OF_KIND[document["kind"]].model_validate({k: v for k, v in document.items() if k != "kind"})
