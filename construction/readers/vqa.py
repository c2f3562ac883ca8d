"""VQAv2 (Goyal et al. 2017): questions about pictures of COCO, with ten answers each.

    v2_OpenEnded_mscoco_{train,val}2014_questions.json        {"data_subtype": "val2014", "questions": [...]}
    v2_mscoco_{train,val}2014_annotations.json                {"annotations": [...]}
    {train,val}2014/COCO_val2014_000000262148.jpg

Questions are joined with their answers by `question_id`. Questions of the test parts have no answers, and are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import BaseModel, Field

from benchwright.errors import DataError
from benchwright.files.lists_on_disk import ListsOnDisk
from benchwright.regions.formats.streamed_json import JsonLists

from ..ground_truth import GroundTruth, VisualQuestion
from ..source_files import BadRow, DatasetFiles, RefusedRow, Row, checked
from .coco_pictures import coco_path
from .reader import DatasetPicture, DatasetReader, DatasetRecord, NeededFiles, chosen, guarded

Part = Literal["train2014", "val2014"]
PARTS: tuple[Part, ...] = ("train2014", "val2014")
_QUESTIONS, _ANSWERS = "v2_OpenEnded_mscoco_{}_questions.json", "v2_mscoco_{}_annotations.json"


class _AskedQuestion(BaseModel):
    image_id: int = Field(ge=0, strict=True)
    question: str = Field(min_length=1)
    question_id: int = Field(ge=0, strict=True)


class _GivenAnswer(BaseModel):
    answer: str


class _AnsweredQuestion(BaseModel):
    image_id: int = Field(ge=0, strict=True)
    question_id: int = Field(ge=0, strict=True)
    multiple_choice_answer: str = Field(min_length=1)
    answers: list[_GivenAnswer] = Field(min_length=1)
    question_type: str | None = None


class VqaV2(DatasetReader):
    """Questions of VQAv2.

    Args:
        parts: Parts to read; all that are there by default.
        min_agreement: Smallest share of the people who gave the answer that counts, 0 to 1; questions below it are
            left out.
    """

    name: ClassVar[str] = "vqa"
    title: ClassVar[str] = "VQAv2 (Goyal et al. 2017)"
    home: ClassVar[str] = "https://visualqa.org"
    licence: ClassVar[str] = "CC BY 4.0, as generally stated"
    pictures_licence: ClassVar[str] = "those of COCO; this dataset does not state them"
    needs: ClassVar[tuple[NeededFiles, ...]] = (
        NeededFiles(_QUESTIONS.format("<part>"), "the questions", "v2_Questions_<Part>_mscoco.zip, unpacked or not"),
        NeededFiles(_ANSWERS.format("<part>"), "the answers", "v2_Annotations_<Part>_mscoco.zip, unpacked or not"),
        NeededFiles("<train|val>2014/COCO_<...>.jpg", "COCO's pictures", "COCO's train2014.zip and val2014.zip"),
    )
    gives: ClassVar[tuple[type[GroundTruth], ...]] = (VisualQuestion,)
    landmarks: ClassVar[tuple[str, ...]] = ("|".join(_QUESTIONS.format(part) for part in PARTS),)

    parts: tuple[Part, ...] = ()
    min_agreement: float = Field(0.0, ge=0, le=1)

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the files of questions and of answers.

        Raises:
            DataError: A part has questions and no answers.
        """
        for part in self._parts(files):
            yield from (_QUESTIONS.format(part), _ANSWERS.format(part))

    def _parts(self, files: DatasetFiles) -> list[str]:
        there = [part for part in PARTS if files.has(_QUESTIONS.format(part))]
        wanted = chosen(there, self.parts, "part")
        for part in wanted:
            if not files.has(_ANSWERS.format(part)):
                raise DataError(
                    f"{files.shown(_ANSWERS.format(part))} is missing: the questions of {part} have their answers there"
                )
        return wanted

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield one record a question, in the order of the questions."""
        for part in self._parts(files):
            with ListsOnDisk[int]() as answered:
                path = _ANSWERS.format(part)
                for row in _entries(files, path, "annotations"):
                    with guarded(path, row.entry) as guard:
                        answer = checked(_AnsweredQuestion, row)
                        if answer.question_id in answered:
                            raise BadRow(f"question {answer.question_id} has answers already", "repeated")
                        answered.add(answer.question_id, row.document)
                    if guard.refusal is not None:
                        yield guard.refusal
                yield from self._questions(files, part, answered, pictures)

    def _questions(
        self, files: DatasetFiles, part: str, answered: ListsOnDisk[int], pictures: DatasetFiles
    ) -> Iterator[DatasetRecord | RefusedRow]:
        path = _QUESTIONS.format(part)
        for row in _entries(files, path, "questions"):
            with guarded(path, row.entry) as guard:
                question = checked(_AskedQuestion, row)
                documents = answered.pop(question.question_id)
                if not documents:
                    raise BadRow(f"question {question.question_id} has no usable answers in {_ANSWERS.format(part)}")
                answer = checked(_AnsweredQuestion, Row(row.entry, documents[0]))
                if answer.image_id != question.image_id:
                    raise BadRow(
                        f"question {question.question_id} is about picture {question.image_id}, its answers about "
                        f"{answer.image_id}"
                    )
                truth = VisualQuestion(
                    question=" ".join(question.question.split()),
                    answer=answer.multiple_choice_answer.strip(),
                    answers=tuple(text for reply in answer.answers if (text := reply.answer.strip())),
                    question_type=answer.question_type,
                )
                if truth.agreement >= self.min_agreement:
                    name = f"{part}/COCO_{part}_{question.image_id:012}.jpg"
                    shown = DatasetPicture(
                        coco_path(pictures, name, question.image_id),
                        f"coco:{question.image_id}",
                        attribution="COCO 2014",
                    )
                    yield DatasetRecord(f"vqa:{part}:{question.question_id}", path, row.entry, (shown,), (truth,))
            if guard.refusal is not None:
                yield guard.refusal


def _entries(files: DatasetFiles, path: str, wanted: str) -> Iterator[Row]:
    """Yield the entries of one list of a JSON document.

    Raises:
        DataError: The document is cut, or has no such list.
    """
    with files.as_path(path) as place:
        source = JsonLists(place)
        number = 0
        try:
            for key, _, _, element in source.elements():
                if key == wanted:
                    number += 1
                    yield Row(f"{wanted.removesuffix('s')} {number}", element)
        except DataError as error:
            raise DataError(re.sub(re.escape(str(place)), lambda _: files.shown(path), str(error))) from None
        if wanted not in source.keys:
            raise DataError(f"{files.shown(path)}: a file of VQAv2 has the list `{wanted}`, which is missing")
