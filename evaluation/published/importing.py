"""Import of published questions and their pictures as a release that all other commands can use.

The files are read like any file of questions (`benchwright.question_files`), so that `construct items`, `audit` and a
run find the same items, options and keys in them. This module adds the parts of each benchmark's own layout.

BLINK's questions come from its data set `BLINK-Benchmark/BLINK` on Hugging Face: Parquet files that contain the
pictures, one folder per task. The paper's repository has outputs, but no questions. Options refer to pictures in words
("the second image"), so they stay words, and the pictures keep their order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError, DataError
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import identify, uri_for
from benchwright.images.regular_files import read_file
from benchwright.question_files.indexed_rows import NO_KEY
from benchwright.question_files.item_check import ReadQuestions, read_questions
from benchwright.question_files.pictures.picture_lookup import UNREADABLE_PICTURE
from benchwright.question_files.question_files import Stated
from benchwright.question_files.questions.asked_question import task_name
from benchwright.question_files.questions.file_question import FileQuestion
from benchwright.records import LETTERS, Choice, ImageRecord, Item, ItemImage, Operation, Source, item_id_for
from benchwright.release import Release, write_release
from benchwright.source_files.refusals import MISSING_PICTURE, RefusedRow

from . import mvp_layout
from .files import names_in, needed
from .mvp_readings import category_of

PICTURES = ("image_1", "image_2", "image_3", "image_4")
_SPLIT = re.compile(r"(val|test)-\d{5}-of-\d{5}\.parquet")
_YES_NO_CLOSING = "\nPlease answer yes or no."
_II_LABELS = ("image_type", "emotion", "rhetoric")
_LEFT_OUT = {NO_KEY: "sealed", MISSING_PICTURE: "no_image", UNREADABLE_PICTURE: "unreadable_image"}
"""Names of some reasons in counts; other reasons keep their names."""


class _ItemFields(NamedTuple):
    """The data of a question that a benchmark's own layout provides in addition to words, options, key and pictures.

    Args:
        task: Task of the item.
        split: Split of the item.
        names: Names of the item's pictures in their source.
        text: The question, without instructions on how to answer.
        level: Level of the item.
        category: Category of the item.
        attributes: Attributes of the item.
        group: Group that a later split must keep together.
    """

    task: str
    split: str
    names: Sequence[str]
    text: str
    level: str | None = None
    category: str | None = None
    attributes: Mapping[str, str] = {}
    group: str | None = None


class _Layout(NamedTuple):
    """The location of the questions in a benchmark's folder, and how the layout provides the data of each question."""

    place: Callable[[Path], Path]
    fields: Callable[[FileQuestion], _ItemFields]
    mapping: Stated = MappingProxyType({})


def _ii_place(data: Path) -> Path:
    folder = data / "data"
    if not names_in(folder, ".json"):
        raise DataError(
            f"{folder} contains no JSON file of questions; name a folder of the official layout with --data"
        )
    return folder


def _ii_fields(question: FileQuestion) -> _ItemFields:
    asked = question.question
    labels = {name: _spelled(asked.labels[name]) for name in _II_LABELS if name in asked.labels}
    if asked.level is not None:
        labels["difficulty"] = asked.level
    category = None if asked.category is None else _spelled(asked.category)
    split = "dev" if asked.split == "dev" else "test"
    return _ItemFields("implication", split, question.names, asked.ask, category=category, attributes=labels)


def _spelled(label: object) -> str:
    """Return a label with the spelling used in the repository's lists."""
    return str(label).replace("+", ", ")


def _mvp_fields(question: FileQuestion) -> _ItemFields:
    asked = question.question
    kind, pair = asked.labels.get("type"), asked.labels.get("id")
    if kind not in mvp_layout.TYPES or not isinstance(pair, int):
        raise DataError(
            f"{question.file}, {question.row}: type is {ascii(kind)[:80]} and id {ascii(pair)[:80]}; a question of "
            f"MVP-Bench has a type among {', '.join(mvp_layout.TYPES)}, and the number of a pair"
        )
    is_yes_no = kind in mvp_layout.YES_NO
    side = "manipulated" if kind in {"y/n-e", "mcq-e"} else "natural" if is_yes_no else "both"
    return _ItemFields(
        "yes_no" if is_yes_no else "single_image" if kind == "mcq-e" else "cross_image",
        "test",
        question.names,
        asked.ask.removesuffix(_YES_NO_CLOSING).strip(),
        asked.level,
        category_of(pair),
        {"image_side": side},
        f"pair:{pair}",
    )


def _blink_place(data: Path) -> Path:
    if not any(_SPLIT.fullmatch(path.name) for path in data.glob("*/*.parquet")):
        raise DataError(
            f"{data} contains no questions of BLINK, such as Counting/val-00000-of-00001.parquet; they are in the data "
            "set BLINK-Benchmark/BLINK on Hugging Face, not in the paper's repository: fetch it and name its folder"
        )
    return data


def _blink_fields(question: FileQuestion) -> _ItemFields:
    asked = question.question
    names = [f"{asked.key}/image_{number}" for number in range(1, len(question.names) + 1)]
    task = asked.task if asked.category is None else task_name(asked.category)
    return _ItemFields(task, asked.split or "val", names, asked.ask, category=asked.category)


_LAYOUTS: Mapping[str, _Layout] = {
    "blink": _Layout(_blink_place, _blink_fields, {"category": "sub_task"}),
    "ii-bench": _Layout(_ii_place, _ii_fields),
    "mvp-bench": _Layout(lambda data: needed(data / "data", "all_questions.json"), _mvp_fields),
}
_IMPORTED = tuple(_LAYOUTS)
"""Benchmarks whose questions can be imported."""
_ABOUT = {
    "blink": "Questions of BLINK (arXiv 2404.12390), imported from the files of its data set.",
    "ii-bench": "Questions of II-Bench (arXiv 2406.05862), imported from the files of its repository.",
    "mvp-bench": "Questions of MVP-Bench (arXiv 2410.04345), imported from the files of its repository.",
}
_NO_LICENCE = "The repository states no license: ask the authors before you pass on pictures or questions."
_TERMS = {"blink": "The data set is under Apache-2.0; pictures keep the terms of their sources."}
_VERSION = "published"
_MOST_SHOWN = 20


@dataclass(frozen=True)
class ImportedRelease:
    """A release that was made from published questions.

    Args:
        release: The release.
        left_out: Number of rows left out, by reason.
        refused: The first rows that are not questions; rows that only lack a key or picture are just counted.
    """

    release: Release
    left_out: Mapping[str, int]
    refused: tuple[RefusedRow, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the release and the counts as JSON values."""
        counts = self.release.manifest.counts
        return {
            "release": str(self.release.path),
            "release_id": self.release.release_id,
            "items": counts.items,
            "splits": {name: split.items for name, split in sorted(counts.splits.items())},
            "left_out": dict(sorted(self.left_out.items())),
            "refused": [row.document() for row in self.refused],
        }


def import_published(benchmark: str, data: Path, out: Path) -> ImportedRelease:
    """Write a release of a benchmark's published questions, and return the release.

    Questions that a release cannot contain are left out and counted: those with a sealed answer (`sealed`), with a
    picture missing from the folder (`no_image`) or unreadable (`unreadable_image`), and rows that are not questions,
    under the reasons of `construct items`. Nothing else changes: options stay in order, and questions on pictures with
    equal bytes share a group.

    Args:
        benchmark: One of `_IMPORTED`.
        data: Folder in the official layout, with the pictures at their named paths; for `blink`, the folder of the data
            set, whose files contain the pictures.
        out: Folder for the release.

    Raises:
        DataError: A file of questions has unexpected content.
        BenchwrightError: No question is left, or `out` already contains something else.
    """
    layout = _LAYOUTS[benchmark]
    with read_questions(layout.place(data), pictures=data, mapping=layout.mapping, keeps_copies=True) as read:
        taken = _TakenItems(benchmark, read)
        items = [taken.item(each, layout.fields(each)) for each in read.index.questions() if each.outcome is None]
        refused = tuple(islice((row for row in read.refused() if row.reason not in _LEFT_OUT), _MOST_SHOWN))
        left_out = {_LEFT_OUT.get(reason, reason): number for reason, number in read.left_out.items()}
        if not items:
            reasons = ", ".join(f"{number} {reason}" for reason, number in sorted(left_out.items()))
            first = f"; first {refused[0]}" if refused else ""
            raise BenchwrightError(
                f"no question of {data} can be imported ({reasons}); put the pictures next to the files{first}"
            )
        release = write_release(
            out,
            name=benchmark,
            version=_VERSION,
            items=items,
            image=taken.images.__getitem__,
            image_bytes=lambda record: read_file(taken.files[record.image_id], limits=Limits()),
            operations=[taken.operation],
            recipe={"import": benchmark},
            stages=[],
            agreement={},
            seed=0,
            description=f"{_ABOUT[benchmark]} {_TERMS.get(benchmark, _NO_LICENCE)}",
        )
    return ImportedRelease(release, left_out, refused)


class _TakenItems:
    """The items made so far, and their pictures."""

    def __init__(self, benchmark: str, read: ReadQuestions) -> None:
        self.benchmark = benchmark
        self.images: dict[str, ImageRecord] = {}
        self.files = {picture.image_id: picture.file for picture in read.index.pictures()}
        self.operation = Operation(step="import_published", version=1, parameters={"benchmark": benchmark}, seed=0)

    def item(self, question: FileQuestion, fields: _ItemFields) -> tuple[Item, str]:
        """Return a question as an item, together with its split."""
        asked = question.question
        ids = [image_id for image_id in question.image_ids if image_id is not None]
        for image_id, name in zip(ids, fields.names, strict=True):
            self._take_picture(image_id, name)
        groups = {*(f"image:{image_id}" for image_id in ids), *([fields.group] if fields.group else [])}
        item = Item(
            item_id=item_id_for("import_published", 0, {"benchmark": self.benchmark}, (asked.key,), 0),
            task=fields.task,
            kind="yes_no" if asked.kind == "yes_no" else "multiple_choice",
            images=tuple(ItemImage(image_id=image_id, role="picture") for image_id in ids),
            question=fields.text,
            choices=tuple(Choice(key=key, text=str(text)) for key, text in zip(LETTERS, asked.options, strict=False)),
            answer=None if asked.answer is None else LETTERS[asked.answer],
            group_keys=tuple(sorted(groups)),
            level=fields.level,
            category=fields.category,
            attributes={"published_id": asked.key, **fields.attributes},
            explanation=asked.explanation,
            root_image_id=ids[0],
            operation_id=self.operation.operation_id,
            made_from=ids[0],
        )
        return item, fields.split

    def _take_picture(self, image_id: str, name: str) -> None:
        if image_id in self.images:
            return
        image = identify(self.files[image_id], root=self.files[image_id].parent)
        self.images[image_id] = ImageRecord(
            image_id=image_id,
            width=image.width,
            height=image.height,
            media_type=image.media_type,
            size_bytes=image.size_bytes,
            source=Source(uri=uri_for(name), dataset=self.benchmark),
            root_image_id=image_id,
            notes=image.notes,
        )
