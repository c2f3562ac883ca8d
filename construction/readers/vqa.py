"""VQAv2 (Goyal et al. 2017): questions about pictures of COCO, with ten answers each.

    v2_OpenEnded_mscoco_{train,val}2014_questions.json        {"data_subtype": "val2014", "questions": [...]}
    v2_mscoco_{train,val}2014_annotations.json                {"annotations": [...]}
    {train,val}2014/COCO_val2014_000000262148.jpg

Questions are joined with their answers by `question_id`. Questions of the test parts have no answers, and are not read.
The accepted answer is the most frequent of the ten: `multiple_choice_answer` only decides between equally frequent
ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from benchwright.errors import DataError
from benchwright.files.lists_on_disk import ListsOnDisk
from benchwright.regions.formats.streamed_json import JsonLists
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import REPEATED, RefusedRow
from benchwright.source_files.rows import BadRow, LeftOutByRule, Row, checked, checked_beside, guarded
from benchwright.texts.normalization import normal

from ..ground_truth.truths import GroundTruth, VisualQuestion, Words
from .coco_pictures import coco_path
from .reader import DatasetPicture, DatasetReader, DatasetRecord, NeededFiles, bad_cells, chosen, length

Part = Literal["train2014", "val2014"]
_PARTS: tuple[Part, ...] = ("train2014", "val2014")
_QUESTIONS, _ANSWERS = "v2_OpenEnded_mscoco_{}_questions.json", "v2_mscoco_{}_annotations.json"


class _AskedQuestion(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)

    image_id: int = Field(ge=0, strict=True)
    question: Words
    question_id: int = Field(ge=0, strict=True)


class _GivenAnswer(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)

    answer: Words


class _AnsweredQuestion(BaseModel):
    image_id: int = Field(ge=0, strict=True)
    question_id: int = Field(ge=0, strict=True)
    multiple_choice_answer: str = ""
    answers: list[object] = Field(min_length=1, max_length=1000)
    question_type: str | None = None


_BESIDE = ("multiple_choice_answer", "question_type")
"""Optional fields of the answers to a question: the accepted answer, which is computed anyway, and a kind of
question.
"""
_CONTRADICTED = "contradicted_answer"
"""Reason for replacing a stated answer by the most frequent one."""


class VqaV2(DatasetReader):
    """Questions of VQAv2.

    Args:
        parts: Parts to read; all existing parts by default.
        min_agreement: Smallest proportion of annotators who gave the accepted answer, 0 to 1; questions below it are
            left out.
    """

    name: ClassVar[str] = "vqa"
    version: ClassVar[int] = 2
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
    landmarks: ClassVar[tuple[str, ...]] = ("|".join(_QUESTIONS.format(part) for part in _PARTS),)

    parts: tuple[Part, ...] = ()
    min_agreement: float = Field(0.0, ge=0, le=1)

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the files of questions and of answers.

        Raises:
            DataError: A part has questions but no answers.
        """
        for part in self._parts(files):
            yield from (_QUESTIONS.format(part), _ANSWERS.format(part))

    def _parts(self, files: DatasetFiles) -> list[str]:
        there = [part for part in _PARTS if files.has(_QUESTIONS.format(part))]
        wanted = chosen(there, self.parts, "part")
        for part in wanted:
            if not files.has(_ANSWERS.format(part)):
                raise DataError(
                    f"{files.shown(_ANSWERS.format(part))} is missing; it contains the answers to the questions of "
                    f"{part}"
                )
        return wanted

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield one record for each question, in the order of the questions."""
        for part in self._parts(files):
            with ListsOnDisk[int]() as answered:
                path = _ANSWERS.format(part)
                for row in _entries(files, path, "annotations"):
                    answers = row.document.get("answers") if isinstance(row.document, Mapping) else None
                    with guarded(path, row.entry) as guard:
                        answer, wrong = checked_beside(_AnsweredQuestion, row, _BESIDE)
                        if answer.question_id in answered:
                            raise BadRow(f"question {answer.question_id} already has answers", REPEATED)
                        answered.add(answer.question_id, [row.entry, answer.model_dump()])
                        yield from bad_cells(path, row.entry, wrong)
                    if guard.refusal is not None:
                        yield guard.refusal._replace(rows=length(answers))
                yield from self._questions(files, part, answered, pictures)
                for question_id in answered:
                    for entry, document in answered[question_id]:
                        detail = f"question {question_id} is not in {_QUESTIONS.format(part)}"
                        yield RefusedRow(path, entry, "no_question", detail, len(document["answers"]))

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
                entry, document = documents[0]
                answer = checked(_AnsweredQuestion, Row(entry, document))
                if answer.image_id != question.image_id:
                    raise BadRow(
                        f"question {question.question_id} is about picture {question.image_id}, its answers about "
                        f"{answer.image_id}",
                        rows=1 + len(answer.answers),
                    )
                given, refused = _given(answer, _ANSWERS.format(part), entry)
                yield from refused
                if not given:  # the answers are counted separately
                    raise BadRow(f"none of the answers to question {question.question_id} can be read")
                stated = answer.multiple_choice_answer
                most = _most_given(given, stated)
                if stated and normal(stated) != normal(most):
                    detail = f"fewer people gave {stated[:80]!r} than {most[:80]!r}, which counts"
                    yield RefusedRow(_ANSWERS.format(part), entry, _CONTRADICTED, detail, 0)
                truth = VisualQuestion(
                    question=" ".join(question.question.split()),
                    answer=most,
                    answers=given,
                    question_type=answer.question_type,
                    original={} if normal(stated) == normal(most) else {"multiple_choice_answer": stated},
                )
                if truth.agreement < self.min_agreement:
                    detail = (
                        f"{truth.agreement:.0%} of the people gave {most!r}; `min_agreement` is {self.min_agreement:g}"
                    )
                    raise LeftOutByRule("low_agreement", detail, rows=1 + len(given))
                name = f"{part}/COCO_{part}_{question.image_id:012}.jpg"
                shown = DatasetPicture(
                    coco_path(pictures, name, question.image_id), f"coco:{question.image_id}", attribution="COCO 2014"
                )
                record_id = f"vqa:{part}:{question.question_id}"
                yield DatasetRecord(record_id, path, row.entry, (shown,), (truth,), len(given))
            if guard.refusal is not None:
                yield guard.refusal


def _given(answer: _AnsweredQuestion, file: str, entry: str) -> tuple[tuple[str, ...], list[RefusedRow]]:
    """Return the readable answers to a question, and the unreadable ones."""
    given: list[str] = []
    refused: list[RefusedRow] = []
    for number, document in enumerate(answer.answers, start=1):
        place = f"{entry}, answer {number}"
        with guarded(file, place) as guard:
            given.append(checked(_GivenAnswer, Row(place, document)).answer)
        if guard.refusal is not None:
            refused.append(guard.refusal)
    return tuple(given), refused


def _most_given(answers: Sequence[str], stated: str) -> str:
    """Return the most frequent answer, in its most frequent spelling.

    Args:
        answers: Answer of each annotator; at least one.
        stated: The accepted answer according to the dataset, which decides between equally frequent ones.

    Example:
        >>> most_given(["yes"] * 9 + ["maybe"], "maybe"), most_given(["red", "Red ", "blue"], "")
        ('yes', 'red')
    """
    counts = Counter(map(normal, answers))
    most = max(counts.values())
    winners = [answer for answer, count in counts.items() if count == most]
    winner = normal(stated) if normal(stated) in winners else winners[0]
    return Counter(answer for answer in answers if normal(answer) == winner).most_common(1)[0][0]


def _entries(files: DatasetFiles, path: str, wanted: str) -> Iterator[Row]:
    """Yield the entries of one list of a JSON document.

    Raises:
        DataError: The document is truncated, or has no such list.
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
