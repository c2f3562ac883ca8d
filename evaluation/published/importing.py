"""Import of published questions with their pictures as a release that every other command takes.

BLINK's questions come from its data set `BLINK-Benchmark/BLINK` on Hugging Face: Parquet files with the pictures
inside, one folder per task. The paper's repository has outputs, but no questions. Options refer to pictures in words
("the second image"), so they stay words, and the pictures keep their order.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.errors import BenchwrightError, DataError, UnreadableImage
from benchwright.files.arrow_files import ArrowColumn, ChosenColumns, UnreadPart, arrow_rows
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import identify, uri_for
from benchwright.images.regular_files import read_file
from benchwright.records import LETTERS, Choice, ImageRecord, Item, ItemImage, Operation, Source, item_id_for
from benchwright.release import Release, write_release
from benchwright.text_normalization import counted

from .questions import PublishedQuestion, ii_bench_questions, mvp_bench_questions

PICTURES = ("image_1", "image_2", "image_3", "image_4")
_TEXTS = ("idx", "sub_task", "question", "answer")
_SPLIT = re.compile(r"(val|test)-\d{5}-of-\d{5}\.parquet")
_ANSWER = re.compile(r"\(([A-E])\)")
_MAX_ROWS = 100_000


def blink_questions(data: Path, pictures: Path) -> Iterator[PublishedQuestion]:
    """Yield BLINK's questions, task by task, and write their pictures below a folder, where the questions name them.

    Args:
        data: Folder with `Task/val-00000-of-00001.parquet` and the like.
        pictures: Folder for the pictures, which are written unchanged.

    Raises:
        DataError: There are no such files, or one does not have the expected content.
    """
    files = sorted(
        (path for path in data.glob("*/*.parquet") if _SPLIT.fullmatch(path.name)), key=lambda p: p.parts[-2:]
    )
    if not files:
        raise DataError(
            f"{data} holds no questions of BLINK, such as Counting/val-00000-of-00001.parquet; they are the data set "
            "BLINK-Benchmark/BLINK on Hugging Face, and not in the paper's repository: fetch it and name its folder"
        )
    for path in files:
        for number, row in enumerate(_rows(path), start=1):
            yield _question(row, f"{path}: row {number}", path.name.partition("-")[0], pictures)


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    wanted = [*_TEXTS, "choices", *PICTURES]

    def chosen(columns: Sequence[ArrowColumn]) -> ChosenColumns:
        if missing := sorted(set(wanted) - {column.name for column in columns}):
            raise DataError(f"{path} has no column {missing[0]!r}; questions of BLINK have {', '.join(wanted)}")
        return ChosenColumns(wanted)

    for row in arrow_rows(path, chosen):
        if isinstance(row, UnreadPart):
            raise DataError(f"{path}: {row.entry}: {row.detail}")
        if row.number > _MAX_ROWS:
            raise DataError(f"{path} has more than {_MAX_ROWS} rows, more than BLINK's; name its folder with --data")
        yield row.values


def _question(row: Mapping[str, Any], where: str, split: str, pictures: Path) -> PublishedQuestion:
    for name in _TEXTS:
        if not isinstance(row[name], str) or not row[name]:
            raise DataError(f"{where}: {name} is {ascii(row[name])[:80]}, not a text")
    options = row["choices"]
    if (
        not isinstance(options, list)
        or not 2 <= len(options) <= 5
        or not all(isinstance(o, str) and o for o in options)
    ):
        raise DataError(f"{where}: choices is {ascii(options)[:80]}, not a list of two to five texts")
    key, named = row["idx"], _ANSWER.fullmatch(row["answer"])
    if named is None and row["answer"] != "hidden":
        raise DataError(f"{where}: answer is {ascii(row['answer'])[:80]}, neither such as (A) nor 'hidden'")
    if named is not None and named[1] not in "ABCDE"[: len(options)]:
        raise DataError(f"{where}: answer {row['answer']} is none of its {counted(len(options), 'option')}")
    if re.fullmatch(r"[A-Za-z0-9_-]{1,80}", key) is None:
        raise DataError(f"{where}: idx {ascii(key)[:80]} is not such as val_Counting_1")
    names = tuple(_kept(row[name], key, name, where, pictures) for name in PICTURES if row[name] is not None)
    if not names:
        raise DataError(f"{where}: no picture")
    task = re.sub(r"[^a-z0-9]+", "_", row["sub_task"].lower()).strip("_")
    return PublishedQuestion(
        key,
        split,
        task if task[:1].isalpha() else f"task_{task}",
        "multiple_choice",
        names[0],
        row["question"].strip(),
        tuple(options),
        None if named is None else named[1],
        category=row["sub_task"],
        more_images=names[1:],
    )


def _kept(value: Any, key: str, name: str, where: str, pictures: Path) -> str:
    """Write a picture's bytes to a file and return its name below the folder."""
    data = value.get("bytes") if isinstance(value, dict) else None
    if not isinstance(data, bytes):
        raise DataError(f"{where}: {name} holds no picture's bytes")
    place = f"{key}/{name}"
    (pictures / key).mkdir(exist_ok=True)
    (pictures / place).write_bytes(data)
    return place


_ABOUT = {
    "blink": "Questions of BLINK (arXiv 2404.12390), imported from the files of its data set.",
    "ii-bench": "Questions of II-Bench (arXiv 2406.05862), imported from the files of its repository.",
    "mvp-bench": "Questions of MVP-Bench (arXiv 2410.04345), imported from the files of its repository.",
}
_QUESTIONS: Mapping[str, Callable[[Path], Iterator[PublishedQuestion]]] = {
    "ii-bench": ii_bench_questions,
    "mvp-bench": mvp_bench_questions,
}
IMPORTED = ("blink", *_QUESTIONS)
"""Benchmarks whose questions can be imported."""

_NO_LICENCE = "The repository states no licence: ask the authors before you pass pictures or questions on."
_TERMS = {"blink": "The data set is under Apache-2.0; pictures keep the terms of their own sources."}
_VERSION = "published"


@dataclass(frozen=True)
class ImportedRelease:
    """A release made of published questions, and the number of questions left out, by reason."""

    release: Release
    left_out: Mapping[str, int]

    def document(self) -> dict[str, Any]:
        """Return the release and the counts as JSON values."""
        counts = self.release.manifest.counts
        return {
            "release": str(self.release.path),
            "release_id": self.release.release_id,
            "items": counts.items,
            "splits": {name: split.items for name, split in sorted(counts.splits.items())},
            "left_out": dict(sorted(self.left_out.items())),
        }


def import_published(benchmark: str, data: Path, out: Path) -> ImportedRelease:
    """Write a release of a benchmark's published questions and return it.

    Questions that a release cannot hold are left out and counted: those whose answer is sealed (`sealed`), whose
    picture is not in the folder (`no_image`) or cannot be read (`unreadable_image`). Nothing else is changed: options
    stay in order, and questions on pictures with equal bytes share a group.

    Args:
        benchmark: One of `IMPORTED`.
        data: Folder of the official layout, with the pictures where it names them; for `blink` the data set's folder,
            whose files hold the pictures.
        out: Folder for the release.

    Raises:
        DataError: A file of questions does not have the expected content.
        BenchwrightError: No question is left, or `out` holds something else already.
    """
    if benchmark != "blink":
        return _imported(benchmark, _QUESTIONS[benchmark](data), _Taken(data, benchmark), out, f"question of {data}")
    with tempfile.TemporaryDirectory(prefix="benchwright-") as folder:
        pictures = Path(folder)
        taken = _Taken(pictures, benchmark)
        return _imported(benchmark, blink_questions(data, pictures), taken, out, f"question of {data}")


def _imported(
    benchmark: str, questions: Iterator[PublishedQuestion], taken: _Taken, out: Path, title: str
) -> ImportedRelease:
    items = list(taken.items(questions))
    if not items:
        reasons = ", ".join(f"{number} {reason}" for reason, number in sorted(taken.left_out.items()))
        raise BenchwrightError(f"no {title} can be imported ({reasons}); put the pictures beside the files")
    release = write_release(
        out,
        name=benchmark,
        version=_VERSION,
        items=items,
        image=taken.images.__getitem__,
        image_bytes=lambda record: read_file(taken.paths[record.image_id], limits=Limits()),
        operations=[taken.operation],
        recipe={"import": benchmark},
        stages=[],
        agreement={},
        seed=0,
        description=f"{_ABOUT[benchmark]} {_TERMS.get(benchmark, _NO_LICENCE)}",
    )
    return ImportedRelease(release, taken.left_out)


class _Taken:
    """Pictures seen so far, and the number of questions left out."""

    def __init__(self, data: Path, benchmark: str) -> None:
        self.data = data
        self.benchmark = benchmark
        self.images: dict[str, ImageRecord] = {}
        self.paths: dict[str, Path] = {}
        self.left_out: Counter[str] = Counter()
        self.operation = Operation(step="import_published", version=1, parameters={"benchmark": benchmark}, seed=0)

    def items(self, questions: Iterator[PublishedQuestion]) -> Iterator[tuple[Item, str]]:
        for question in questions:
            if question.answer is None:
                self.left_out["sealed"] += 1
                continue
            try:
                records = [self._picture(name) for name in (question.image, *question.more_images)]
            except UnreadableImage as error:
                self.left_out["no_image" if error.reason == "not_a_file" else "unreadable_image"] += 1
                continue
            yield self._item(question, records), question.split

    def _picture(self, name: str) -> ImageRecord:
        if "\0" in name:
            raise UnreadableImage("unreadable", "a name with a null character")
        path = self.data / name
        image = identify(path, root=self.data)
        self.paths.setdefault(image.image_id, path)
        return self.images.setdefault(
            image.image_id,
            ImageRecord(
                image_id=image.image_id,
                width=image.width,
                height=image.height,
                media_type=image.media_type,
                size_bytes=image.size_bytes,
                source=Source(uri=uri_for(name), dataset=self.benchmark),
                root_image_id=image.image_id,
                notes=image.notes,
            ),
        )

    def _item(self, question: PublishedQuestion, pictures: Sequence[ImageRecord]) -> Item:
        first, ids = pictures[0].image_id, [picture.image_id for picture in pictures]
        groups = {*(f"image:{image_id}" for image_id in ids), *([question.group] if question.group else [])}
        return Item(
            item_id=item_id_for("import_published", 0, {"benchmark": self.benchmark}, (question.key,), 0),
            task=question.task,
            kind=question.kind,
            images=tuple(ItemImage(image_id=image_id, role="picture") for image_id in ids),
            question=question.text,
            choices=tuple(Choice(key=key, text=text) for key, text in zip(LETTERS, question.options, strict=False)),
            answer=question.answer,
            group_keys=tuple(sorted(groups)),
            level=question.level,
            category=question.category,
            attributes={"published_id": question.key, **question.attributes},
            explanation=question.explanation,
            root_image_id=first,
            operation_id=self.operation.operation_id,
            made_from=first,
        )
