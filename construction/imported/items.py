"""The step `items`: questions of a benchmark that exists become items of a run, with their pictures and splits."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from benchwright.canonical import canonical_json, digest
from benchwright.errors import PrerequisiteError
from benchwright.photographs import BroughtPhotograph
from benchwright.records import LETTERS, Choice, ImageRecord, Item, ItemImage
from benchwright.steps import (
    FOLDER,
    BringContext,
    Context,
    GatherContext,
    Gathered,
    GatherStep,
    MapStep,
    Outcome,
    Step,
    Stream,
)
from benchwright.workspace.workspace import Workspace

from ..source_files import DatasetFiles
from ..sources.dataset import REFUSED
from ..sources.dataset_index import refusals_in
from .asked_question import AskedQuestion
from .picture_lookup import PictureLookup
from .question_files import question_files
from .question_index import QuestionIndex

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

ASKED = "asked"
OWN_ID, OWN_SPLIT = "source_id", "source_split"
"""Attributes of items: the question's id and split in its source."""
_USUAL_SPLIT = "test"
_OTHER_NAMES = {"validation": "val"}


class ImportedItems(MapStep):
    """Make items of the questions of a benchmark that exists: CSV, TSV, JSON lines, JSON lists or Parquet.

    Columns are guessed from their names; `benchwright construct items FILE` shows the guesses. Options stay in their
    order. Questions keep their id as the attribute `source_id`, and their split: `freeze` takes it. Rows that cannot be
    used are left out and listed in the workspace, in `datasets/<entry>.asked.refused.jsonl`. The step brings the
    pictures, so that a run needs no image folder.

    Args:
        file: File of questions, or folder or archive that holds such files, relative to the recipe's folder. In what a
            run writes, the digest of their content stands in its place.
        pictures: Folder of the pictures where they lie elsewhere; null for the folder of the questions.
        mapping: Columns by field where their names do not tell, such as `{question: ask, options: [o1, o2, o3]}`.

    Reasons:
        nothing_asked (drop): No question starts with this picture.
        picture_missing (drop): A picture of each of its questions has left the run.
    """

    name: ClassVar[str] = "items"
    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    reads: ClassVar[tuple[str, ...]] = (f"{ASKED}.{ASKED}",)
    brings_pictures: ClassVar[bool] = True

    file: str = Field(min_length=1)
    pictures: str | None = Field(None, min_length=1)
    mapping: dict[str, str | list[str]] = Field(default_factory=dict)
    _base: Path = PrivateAttr(Path())
    _digest: str | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _starts_from_the_recipe(self, info: ValidationInfo) -> ImportedItems:
        self._base = (info.context or {}).get(FOLDER, Path())
        return self

    def parts(self) -> tuple[Step, ...]:
        """Return the parts: the questions by picture, this step, and the splits of the items."""
        return (AskedQuestions.of(self), self, OwnSplits())

    def question_folder(self) -> tuple[DatasetFiles, tuple[str, ...]]:
        """Return the folder of the questions, and the files in it that are named; none where all are meant.

        Raises:
            DataError: There is no such file or folder.
            PrerequisiteError: The questions are known by digest only.
        """
        if self.file.startswith("sha256:"):
            raise PrerequisiteError("questions are known by digest only; name their file in the recipe")
        place = self._base / self.file
        if place.is_file() and place.suffix.lower() not in (".zip", ".tar"):
            return DatasetFiles(place.parent), (place.name,)
        return DatasetFiles(place), ()

    def picture_folder(self) -> DatasetFiles:
        """Return the folder of the pictures."""
        return self.question_folder()[0] if self.pictures is None else DatasetFiles(self._base / self.pictures)

    def parameters(self) -> dict[str, Any]:
        """Return the digest of the files of questions, so that neither their place nor that of pictures matters."""
        if self._digest is None:
            self._digest = self.file if self.file.startswith("sha256:") else f"sha256:{self._content_digest()}"
        return {"file": self._digest, "mapping": self.mapping}

    def _content_digest(self) -> str:
        files, only = self.question_folder()
        contents = []
        for file in question_files(files, self.mapping, only=only):
            with files.as_path(file.path) as path, path.open("rb") as handle:
                contents.append([file.path, hashlib.file_digest(handle, "sha256").hexdigest()])
        return digest(contents)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make the items of the questions that start with this picture."""
        text = ctx.value(record.image_id, self.reads[0])
        if text is None:
            return Outcome("drop", "nothing_asked")
        entries = json.loads(text)
        if not entries["questions"]:
            return Outcome("drop", "picture_missing", evidence={"left_out": entries["left_out"]})
        items = tuple(self._item(ctx, entry) for entry in entries["questions"])
        return Outcome(items=items, evidence={"left_out": entries["left_out"]} if entries["left_out"] else {})

    def _item(self, ctx: Context, entry: Mapping[str, Any]) -> Item:
        question = AskedQuestion.model_validate(entry["question"])
        ids: Sequence[str] = entry["image_ids"]
        return item_of_question(
            question,
            ids,
            roots=[ctx.image(image_id).root_image_id for image_id in ids],
            item_id=ctx.item_id(question.key),
            operation_id=ctx.operation_id,
        )


def item_of_question(
    question: AskedQuestion, ids: Sequence[str], *, roots: Sequence[str], item_id: str, operation_id: str
) -> Item:
    """Return a question as an item.

    Args:
        question: The question.
        ids: Image id of each of its pictures; at least one.
        roots: Id of the image that each of these was made from.
        item_id: Id of the item.
        operation_id: Id of what makes it.
    """
    groups = {f"image:{root}" for root in roots}
    groups |= {f"source:{question.group}"} if question.group else set()
    choices = tuple(
        Choice(key=key, text=option) if isinstance(option, str) else Choice(key=key, image_id=ids[option])
        for key, option in zip(LETTERS, question.options, strict=False)
    )
    shown = {option for option in question.options if isinstance(option, int)}
    own = {OWN_ID: question.key} | ({OWN_SPLIT: question.split} if question.split else {})
    return Item(
        item_id=item_id,
        task=question.task,
        kind=question.kind,
        images=tuple(
            ItemImage(image_id=image_id, role="choice" if number in shown else "picture")
            for number, image_id in enumerate(ids)
        ),
        question=question.ask,
        choices=choices,
        answer=None if question.answer is None else LETTERS[question.answer],
        refusal=None if question.refusal is None else LETTERS[question.refusal],
        group_keys=tuple(sorted(groups)),
        level=question.level,
        category=question.category,
        attributes={**question.labels, **own},
        explanation=question.explanation,
        root_image_id=roots[0],
        operation_id=operation_id,
        made_from=ids[0],
    )


class AskedQuestions(GatherStep):
    """Bring the pictures of imported questions, and give each picture the questions that start with it."""

    name: ClassVar[str] = ASKED
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {ASKED: "string"}
    columns: ClassVar[tuple[str, ...]] = ("image_id",)
    imports: ClassVar[tuple[str, ...]] = ()
    brings_pictures: ClassVar[bool] = True

    _items: ImportedItems = PrivateAttr()
    _index: QuestionIndex | None = PrivateAttr(None)

    @classmethod
    def of(cls, items: ImportedItems) -> AskedQuestions:
        """Return the part of a step."""
        part = cls()
        part._items = items
        return part

    def parameters(self) -> dict[str, Any]:
        """Return the step's settings."""
        return self._items.parameters()

    def bring(self, ctx: BringContext) -> Sequence[BroughtPhotograph]:
        """Read the questions and return their pictures."""
        workspace = Workspace(ctx.workspace)
        files, only = self._items.question_folder()
        sources = question_files(files, self._items.mapping, only=only)
        for source in sources:
            logger.info("%s: %s", source.path, source.columns)
        index = QuestionIndex(workspace.cache / "datasets" / f"{ctx.stage}.sqlite")
        path = ctx.workspace / REFUSED / f"{ctx.stage}.refused.jsonl"
        pictures = PictureLookup(self._items.picture_folder(), workspace.objects, ctx.limits)
        with refusals_in(path, tmp=workspace.tmp) as refused:
            taken = index.fill(files, sources, pictures, refused)
        if refused.counts:
            reasons = ", ".join(f"{reason} {number}" for reason, number in sorted(refused.counts.items()))
            logger.warning("%s: %d questions taken; left out: %s; %s lists them", ctx.stage, taken, reasons, path)
        self._index = index
        return index.brought(ctx.stage)

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Return the questions of each picture that are whole: whose pictures are all in the run."""
        if self._index is None:
            raise PrerequisiteError(f"step {ctx.stage!r} has not read its questions in this run")
        rows = {image_id: row for row, image_id in enumerate(columns["image_id"].to_pylist())}
        places, texts = [], []
        for image_id, questions in self._index.by_picture():
            if image_id not in rows:
                continue
            whole = [q for q in questions if all(shown in rows for shown in q.image_ids)]
            entries = [{"image_ids": q.image_ids, "question": json.loads(q.document)} for q in whole]
            places.append(rows[image_id])
            texts.append(canonical_json({"left_out": len(questions) - len(whole), "questions": entries}))
        return Gathered(rows=np.array(places, np.int64), values={ASKED: texts})


class OwnSplits(GatherStep):
    """Give each imported item the split of its source, `test` where that states none."""

    name: ClassVar[str] = "own_splits"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"split": "string"}
    columns: ClassVar[tuple[str, ...]] = ("record",)
    imports: ClassVar[tuple[str, ...]] = ()

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Return the split of each item."""
        del ctx
        stated = [
            json.loads(text)["attributes"].get(OWN_SPLIT) or _USUAL_SPLIT for text in columns["record"].to_pylist()
        ]
        splits = [_OTHER_NAMES.get(str(split), str(split)) for split in stated]
        return Gathered(rows=np.arange(len(splits), dtype=np.int64), values={"split": splits})
