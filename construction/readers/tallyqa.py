"""TallyQA (Acharya et al. 2019): counting questions about pictures of COCO and Visual Genome.

    tallyqa/{train,test}.json                                 each one JSON list
    VG_100K/2410408.jpg, VG_100K_2/..., train2014/COCO_train2014_000000000009.jpg, val2014/...

Picture ids are not used: those of Visual Genome have a 9 prepended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import ClassVar, Literal

from pydantic import BaseModel, Field

from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, LeftOutByRule, Row, checked, json_list

from ..ground_truth.truths import CountQuestion, GroundTruth
from .coco_pictures import coco_path
from .reader import DatasetPicture, DatasetReader, DatasetRecord, NeededFiles, chosen, records_of_rows

_GENOME = re.compile(r"VG_100K(?:_2)?/(\d+)\.jpg")
_COCO = re.compile(r"(?:train|val)2014/COCO_(?:train|val)2014_(\d{12})\.jpg")


class _CountingQuestion(BaseModel):
    answer: int = Field(ge=0, le=1000, strict=True)
    data_source: str
    image: str
    question: str = Field(min_length=1)
    question_id: int
    issimple: bool | None = None


class TallyQa(DatasetReader):
    """Questions of TallyQA.

    Args:
        parts: Files to read; all existing files by default.
        complex_only: Whether to use only questions that are known not to be simple.
    """

    name: ClassVar[str] = "tallyqa"
    title: ClassVar[str] = "TallyQA (Acharya et al. 2019)"
    home: ClassVar[str] = "https://github.com/manoja328/TallyQA_dataset"
    licence: ClassVar[str] = "Apache-2.0 (repository)"
    pictures_licence: ClassVar[str] = "those of COCO and Visual Genome; this dataset does not state them"
    needs: ClassVar[tuple[NeededFiles, ...]] = (
        NeededFiles("tallyqa/<train|test>.json", "the questions", "tallyqa.zip of the repository"),
        NeededFiles("<train|val>2014/COCO_<...>.jpg", "COCO's pictures", "COCO's train2014.zip and val2014.zip"),
        NeededFiles(
            "VG_100K/<id>.jpg, VG_100K_2/<id>.jpg", "Visual Genome's pictures", "its images.zip and images2.zip"
        ),
    )
    gives: ClassVar[tuple[type[GroundTruth], ...]] = (CountQuestion,)
    landmarks: ClassVar[tuple[str, ...]] = ("tallyqa/train.json|tallyqa/test.json|train.json|test.json",)

    parts: tuple[Literal["train", "test"], ...] = ()
    complex_only: bool = False

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the files of the parts."""
        paths = {part: files.first(f"tallyqa/{part}.json", f"{part}.json") for part in ("train", "test")}
        there = {part: path for part, path in paths.items() if path is not None}
        yield from (there[part] for part in chosen(there, self.parts, "part"))

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield one record for each question."""
        for path in self.annotations(files):
            part = path.rpartition("/")[2].removesuffix(".json")
            rows = json_list(files, path)
            yield from records_of_rows(rows, path, partial(self._record, path, part, pictures))

    def _record(self, path: str, part: str, pictures: DatasetFiles, row: Row) -> DatasetRecord:
        question = checked(_CountingQuestion, row)
        shown = _picture(question.image, pictures)
        if self.complex_only and question.issimple is not False:
            raise LeftOutByRule("simple_question", f"issimple is {question.issimple}, and `complex_only` is set")
        truth = CountQuestion(
            question=question.question,
            count=question.answer,
            is_simple=question.issimple,
            collected=question.data_source,
        )
        record_id = f"tallyqa:{part}:{question.question_id}"
        return DatasetRecord(record_id, path, row.entry, (shown,), (truth,))


def _picture(name: str, pictures: DatasetFiles) -> DatasetPicture:
    if genome := _GENOME.fullmatch(name):
        licence = "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)"
        return DatasetPicture(name, f"vg:{genome[1]}", licence, "Visual Genome")
    if coco := _COCO.fullmatch(name):
        return DatasetPicture(coco_path(pictures, name, int(coco[1])), f"coco:{int(coco[1])}", attribution="COCO 2014")
    raise BadRow(
        f"image is {name!r}; expected a name such as VG_100K_2/2410408.jpg or val2014/COCO_val2014_<12 digits>.jpg"
    )
