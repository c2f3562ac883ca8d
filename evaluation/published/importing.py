"""Published questions, with their pictures, as a release that every other command takes."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.errors import BenchwrightError, UnreadableImage
from benchwright.identify import Limits, identify, read_file, uri_for
from benchwright.records import LETTERS, Choice, ImageRecord, Item, ItemImage, Operation, Source, item_id_for
from benchwright.release import Release, write_release

from .blink_questions import blink_questions
from .questions import PublishedQuestion, ii_bench_questions, mvp_bench_questions

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
class Imported:
    """A release made of published questions, and how many questions were left out, by reason."""

    release: Release
    left_out: Mapping[str, int]

    def document(self) -> dict[str, Any]:
        """Return what was made, as JSON values."""
        counts = self.release.manifest.counts
        return {
            "release": str(self.release.path),
            "release_id": self.release.release_id,
            "items": counts.items,
            "splits": {name: split.items for name, split in sorted(counts.splits.items())},
            "left_out": dict(sorted(self.left_out.items())),
        }


def import_published(benchmark: str, data: Path, out: Path) -> Imported:
    """Write a release of a benchmark's published questions and return it.

    Left out, and counted, is what a release cannot hold: questions whose answer is sealed (`sealed`), whose picture is
    not in the folder (`no_image`) or cannot be read (`unreadable_image`). Nothing else is changed: options stay in
    order, and questions on pictures with equal bytes share a group.

    Args:
        benchmark: One of `IMPORTED`.
        data: Folder of the official layout, with the pictures where it names them; for `blink` the data set's, whose
            files hold them.
        out: The release's folder.

    Raises:
        DataError: A file of questions is not what it should be.
        BenchwrightError: No question is left, or `out` is something else already.
    """
    if benchmark != "blink":
        return _imported(benchmark, _QUESTIONS[benchmark](data), _Taken(data, benchmark), out, f"question of {data}")
    with tempfile.TemporaryDirectory(prefix="benchwright-") as folder:
        pictures = Path(folder)
        taken = _Taken(pictures, benchmark)
        return _imported(benchmark, blink_questions(data, pictures), taken, out, f"question of {data}")


def _imported(benchmark: str, questions: Iterator[PublishedQuestion], taken: _Taken, out: Path, what: str) -> Imported:
    items = list(taken.items(questions))
    if not items:
        reasons = ", ".join(f"{number} {reason}" for reason, number in sorted(taken.left_out.items()))
        raise BenchwrightError(f"no {what} can be imported ({reasons}); put the pictures beside the files")
    release = write_release(
        out, name=benchmark, version=_VERSION, items=items, image=taken.images.__getitem__,
        image_bytes=lambda record: read_file(taken.paths[record.image_id], limits=Limits()),
        operations=[taken.operation], recipe={"import": benchmark}, stages=[], agreement={}, seed=0,
        description=f"{_ABOUT[benchmark]} {_TERMS.get(benchmark, _NO_LICENCE)}",
    )  # fmt: skip
    return Imported(release, taken.left_out)


class _Taken:
    """The pictures met so far, and what was left out."""

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
        found = identify(path, root=self.data)
        self.paths.setdefault(found.image_id, path)
        return self.images.setdefault(
            found.image_id,
            ImageRecord(
                image_id=found.image_id,
                width=found.width,
                height=found.height,
                media_type=found.media_type,
                size_bytes=found.size_bytes,
                source=Source(uri=uri_for(name), dataset=self.benchmark),
                root_image_id=found.image_id,
                notes=found.notes,
            ),
        )

    def _item(self, question: PublishedQuestion, pictures: Sequence[ImageRecord]) -> Item:
        first, ids = pictures[0].image_id, [picture.image_id for picture in pictures]
        groups = {*(f"image:{image_id}" for image_id in ids), *([question.group] if question.group else [])}
        return Item(
            item_id=item_id_for("import_published", 0, {"benchmark": self.benchmark}, (question.key,), 0),
            task=question.task, kind=question.kind,
            images=tuple(ItemImage(image_id=image_id, role="picture") for image_id in ids),
            question=question.text,
            choices=tuple(Choice(key=key, text=text) for key, text in zip(LETTERS, question.options, strict=False)),
            answer=question.answer,
            group_keys=tuple(sorted(groups)),
            level=question.level, category=question.category,
            attributes={"published_id": question.key, **question.attributes}, explanation=question.explanation,
            root_image_id=first, operation_id=self.operation.operation_id, made_from=first,
        )  # fmt: skip
