"""The step `items`: questions of an existing benchmark become items of a run, with their pictures and splits."""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from benchwright.canonical import canonical_json, digest
from benchwright.errors import PrerequisiteError
from benchwright.question_files.pictures.picture_lookup import PictureLookup
from benchwright.question_files.question_index import QuestionIndex
from benchwright.question_files.question_source import QuestionSource, open_source
from benchwright.question_files.questions.asked_question import AskedQuestion
from benchwright.question_files.questions.file_question import IMPORTED, OWN_SPLIT, FileQuestion, item_of
from benchwright.records import ImageRecord, Item
from benchwright.release.format.manifest import SPLIT
from benchwright.source_files.refusal_lists import REFUSED, refusals_in
from benchwright.steps import (
    FOLDER,
    BringContext,
    Context,
    GatherContext,
    Gathered,
    GatherStep,
    MapStep,
    Outcome,
    PictureFidelity,
    Step,
    Stream,
)
from benchwright.workspace.photographs import BroughtPhotograph
from benchwright.workspace.workspace import Workspace

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

ASKED = "asked"
_OWN = f"{ASKED}.{ASKED}"
_USUAL_SPLIT = "test"
_OTHER_NAMES = {"validation": "val"}


class ImportedItems(MapStep):
    """Make items from the questions of an existing benchmark: its question files, or a release of Benchwright.

    Guesses columns from their names; `benchwright construct items FILE` shows the guesses. Options keep their order.
    Questions keep their id as the attribute `source_id`, and their split, which `freeze` uses; items of a release keep
    their item ids and content. Rows that cannot be used are left out and listed in the workspace, in
    `datasets/<entry>.asked.refused.jsonl`. The step supplies the pictures, so that a run needs no image folder.

    A recipe may have several entries `items` and combines their items. The id of an item depends on the id in its
    source and on its words, options and pictures, not on the location of files or on other rows; a question that an
    earlier entry contains is left out.

    Args:
        file: File of questions, folder or archive with such files, or folder of a release, relative to the recipe's
            folder. A run writes the digest of their content instead.
        pictures: Folder of the pictures if they are stored separately; null for the folder of the questions.
        mapping: Columns by field if their names do not reveal it, such as `{question: ask, options: [o1, o2, o3]}`; how
            keys identify options if the rows leave this open (`keys: from_0`); and the encoding of text tables and JSON
            if their bytes leave it open (`encoding: cp1252`). Alternatively, the path of a file of columns, relative to
            the recipe's folder.
        keyless: Treatment of questions without a key, as in a sealed test set: `leave_out` by default; with `keep`,
            they become items for people to answer, and no model's reply to them counts as right.
        benchmark: Name of the benchmark. Item ids then depend on it and on the source's ids, so that they remain the
            same after corrections to words, options or pictures; null for ids that depend on words and pictures.

    Reasons:
        nothing_asked (drop): No question starts with this picture.
        asked_before (drop): An earlier entry `items` contains all of its questions.
        picture_missing (drop): For each of its questions, a picture has left the run.
    """

    name: ClassVar[str] = "items"
    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    identity: ClassVar[tuple[str, ...]] = ("benchmark",)
    brings_pictures: ClassVar[bool] = True
    picture_fidelity: ClassVar[PictureFidelity] = "visual"

    file: str = Field(min_length=1)
    pictures: str | None = Field(None, min_length=1)
    mapping: dict[str, str | int | list[str]] | str = Field(default_factory=dict)
    keyless: Literal["leave_out", "keep"] = "leave_out"
    benchmark: str | None = Field(None, min_length=1, max_length=200)
    _base: Path = PrivateAttr(Path())
    _parameters: dict[str, Any] | None = PrivateAttr(None)
    _asked_before: tuple[str, ...] = PrivateAttr(())

    @model_validator(mode="after")
    def _starts_from_the_recipe(self, info: ValidationInfo) -> ImportedItems:
        self._base = (info.context or {}).get(FOLDER, Path())
        return self

    def placed(self, given: Mapping[str, Mapping[str, str]]) -> Step:
        """Return the step connected to the questions of earlier `items` entries."""
        placed = self.model_copy()
        placed._asked_before = tuple(f"{part}.{ASKED}" for part in given if part.endswith(f".{ASKED}"))
        return placed

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the values that hold the step's own questions by picture, and those that hold the questions of earlier
        entries.
        """
        return (_OWN, *self._asked_before)

    @property
    def tells_apart(self) -> bool:  # type: ignore[override]
        """Return whether ids depend on the content of questions instead of a name that two entries may share."""
        return self.benchmark is None

    def parts(self) -> tuple[Step, ...]:
        """Return the parts: the questions by picture, this step, and the splits of the items."""
        return (AskedQuestions.of(self), self, OwnSplits())

    def source(self) -> QuestionSource:
        """Return the source of the questions.

        Raises:
            DataError: The file or folder does not exist, or contains no questions.
            PrerequisiteError: Only the digest of the questions is known.
        """
        if self.file.startswith("sha256:"):
            raise PrerequisiteError("questions are known by digest only; name their file in the recipe")
        return open_source(
            self._base / self.file,
            pictures=None if self.pictures is None else self._base / self.pictures,
            mapping=self.mapping if isinstance(self.mapping, dict) else None,
            columns=self._base / self.mapping if isinstance(self.mapping, str) else None,
        )

    def parameters(self) -> dict[str, Any]:
        """Return the digest of the question files, so that neither their location nor that of the pictures matters."""
        if self.file.startswith("sha256:"):
            return {
                "file": self.file, "mapping": self.mapping, "keyless": self.keyless, "benchmark": self.benchmark
            }  # fmt: skip
        if self._parameters is None:
            source = self.source()
            stated = [[file.path, file.stated] for file in source.files] if isinstance(self.mapping, str) else None
            self._parameters = {
                "file": f"sha256:{source.content_digest()}",
                "mapping": self.mapping if stated is None else f"sha256:{digest(stated)}",
                "keyless": self.keyless,
                "benchmark": self.benchmark,
            }
        return self._parameters

    def identities(self, questions: Sequence[FileQuestion]) -> list[str]:
        """Return the values that determine the item ids of one picture's questions; all are different."""
        seen: Counter[str] = Counter()
        told = []
        for question in questions:
            if question.question.item is not None:
                told.append(question.question.item.item_id)
            elif self.benchmark is not None:
                told.append(digest(["question of", self.benchmark, question.question.key]))
            else:
                number = seen[question.identity]
                seen[question.identity] += 1
                told.append(f"{question.identity}:{number}" if number else question.identity)
        return told

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make the items of the questions that start with this picture."""
        text = ctx.value(record.image_id, _OWN)
        if text is None:
            return Outcome("drop", "nothing_asked")
        entries = json.loads(text)
        before = {
            entry["identity"]
            for earlier in self._asked_before
            for entry in json.loads(ctx.value(record.image_id, earlier) or "{}").get("questions", ())
        }
        new = [entry for entry in entries["questions"] if entry["identity"] not in before]
        evidence = {"left_out": entries["left_out"]} if entries["left_out"] else {}
        if len(new) < len(entries["questions"]):
            evidence["asked_before"] = [e["question"]["key"] for e in entries["questions"] if e["identity"] in before]
        if not new:
            return Outcome("drop", "asked_before" if entries["questions"] else "picture_missing", evidence=evidence)
        return Outcome(items=tuple(self._item(record, ctx, entry) for entry in new), evidence=evidence)

    def _item(self, record: ImageRecord, ctx: Context, entry: Mapping[str, Any]) -> Item:
        question = AskedQuestion.model_validate(entry["question"])
        ids: Sequence[str] = entry["image_ids"]
        return item_of(
            question,
            ids,
            item_id=ctx.item_id(entry["identity"]),
            root_image_id=record.root_image_id,
            operation_id=ctx.operation_id,
            groups={f"image:{ctx.image(image_id).root_image_id}" for image_id in ids},
        )


class AskedQuestions(GatherStep):
    """Add the pictures of imported questions to the run, and give each picture the questions that start with it."""

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
        source = self._items.source()
        for file in source.files:
            logger.info("%s: %s", file.path, file.columns)
        index = QuestionIndex(workspace.cache / "datasets" / f"{ctx.stage}.sqlite")
        path = ctx.workspace / REFUSED / f"{ctx.stage}.refused.jsonl"
        pictures = PictureLookup(source.picture_files(), workspace.objects, ctx.limits)
        with refusals_in(path, tmp=workspace.tmp) as refused:
            taken = index.fill(source.entries(), pictures, refused, keeps_keyless=self._items.keyless == "keep")
        if refused.counts:
            reasons = ", ".join(f"{reason} {number}" for reason, number in sorted(refused.counts.items()))
            logger.warning("%s: %d questions taken; left out: %s; %s lists them", ctx.stage, taken, reasons, path)
        self._index = index
        return index.brought(ctx.stage)

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Return each picture's complete questions, that is, those with all their pictures in the run."""
        if self._index is None:
            raise PrerequisiteError(f"step {ctx.stage!r} has not read its questions in this run")
        rows = {image_id: row for row, image_id in enumerate(columns["image_id"].to_pylist())}
        places, texts = [], []
        for image_id, questions in self._index.by_picture():
            if image_id not in rows:
                continue
            whole = [q for q in questions if all(shown in rows for shown in q.image_ids)]
            entries = [
                {"image_ids": q.image_ids, "question": q.question.model_dump(mode="json"), "identity": identity}
                for q, identity in zip(whole, self._items.identities(whole), strict=True)
            ]
            places.append(rows[image_id])
            texts.append(canonical_json({"left_out": len(questions) - len(whole), "questions": entries}))
        return Gathered(rows=np.array(places, np.int64), values={ASKED: texts})


class OwnSplits(GatherStep):
    """Give each imported item the split stated by its source, or `test` if the source states none.

    Converts names to the form that releases accept: lower-case letters, digits and `_`. The attribute `source_split`
    keeps the original name.
    """

    name: ClassVar[str] = "own_splits"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"split": "string"}
    columns: ClassVar[tuple[str, ...]] = ("record",)
    imports: ClassVar[tuple[str, ...]] = ()

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Return the split of each item."""
        del ctx
        stated = [_own_split(json.loads(text)) for text in columns["record"].to_pylist()]
        names = split_names(stated)
        for own, name in names.items():
            if own != name:
                logger.info("the split %r of the source is %r in the release", own, name)
        splits = [names[own] for own in stated]
        return Gathered(rows=np.arange(len(splits), dtype=np.int64), values={"split": splits})


def _own_split(record: Mapping[str, Any]) -> str:
    """Return the split of an item in its source: the split of a release, otherwise the split named by an attribute."""
    imported = record["evidence"].get(IMPORTED)
    split = imported["split"] if imported else record["attributes"].get(OWN_SPLIT)
    return _OTHER_NAMES.get(str(split), str(split)) if split else _USUAL_SPLIT


def split_names(stated: Iterable[str]) -> dict[str, str]:
    """Return the release's name for each split of a source; no two splits get the same name.

    Example:
        >>> split_names(["Dev-Mini", "dev_mini", "val"])
        {'Dev-Mini': 'dev_mini_2', 'dev_mini': 'dev_mini', 'val': 'val'}
    """
    names: dict[str, str] = {}
    for own in sorted(set(stated), key=lambda name: (name != _released_name(name), name)):
        wanted = _released_name(own)
        tries = (wanted if number == 1 else f"{wanted[:28]}_{number}" for number in count(1))
        names[own] = next(name for name in tries if name not in names.values())
    return dict(sorted(names.items()))


def _released_name(name: str) -> str:
    """Return the closest name that a release allows for a split."""
    words = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") if not re.fullmatch(SPLIT, name) else name
    spelled = words if words[:1].isalpha() else f"split_{words}".rstrip("_")
    return spelled[:32]
