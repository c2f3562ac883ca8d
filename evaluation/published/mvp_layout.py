"""Reader of MVP-Bench's repository: `data/` with the questions, `model_prediction/` with models' replies.

| file | what |
|---|---|
| `data/all_questions.json` | yes/no and multiple-choice questions, JSON Lines |
| `data/mcq_questions.json` | the multiple-choice questions under every rotation of their options, JSON Lines |
| `model_prediction/MODEL.jsonl` | one pass over all questions |
| `model_prediction/MODEL_evaluated.jsonl` | the same with a judge's verdicts on yes/no answers that the rule leaves |
| `model_prediction/mcq_MODEL.jsonl` | answers to the rotations |
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import DataError
from benchwright.texts.normalization import counted

from .files import SourceRow, json_lines, names_in, needed, plain_or_gzipped

YES_NO = ("y/n-s", "y/n-e")
SINGLE_IMAGE = "Single_Images/"
TYPES = (*YES_NO, "mcq-e", "mcq-cross")
_PREDICTIONS = "model_prediction"


class MVPBenchQuestion(NamedTuple):
    """A question or one rotation of it; all rotations share `number`, and `rotation` is counted from 0."""

    key: str
    pair: int
    image: str
    text: str
    answer: str
    kind: str
    level: str
    number: int
    rotation: int


class ModelOutput(NamedTuple):
    """A model's raw output, and the judge's verdict on the output if one is stored."""

    output: str
    verdict: str | None = None


class Outputs(NamedTuple):
    """A model's replies by question; None for a file that is missing from the folder.

    Attributes:
        one_pass: Outputs of the pass over all questions.
        evaluated: The same outputs with verdicts.
        rotated: Outputs for the rotations.
        repeats: Number of records that repeat an earlier one with an equal output.
    """

    one_pass: Mapping[str, ModelOutput] | None
    evaluated: Mapping[str, ModelOutput] | None
    rotated: Mapping[str, ModelOutput] | None
    repeats: int


def read_questions(data: Path) -> dict[str, MVPBenchQuestion]:
    """Return the questions of the single pass, by their numbers as strings."""
    questions: dict[str, MVPBenchQuestion] = {}
    for row in json_lines(needed(data / "data", "all_questions.json")):
        number = row.whole("question_id")
        _add(questions, _question(row, str(number), number=number, rotation=0), row)
    return questions


def read_rotations(data: Path) -> dict[str, MVPBenchQuestion]:
    """Return every rotation of the multiple-choice questions by its id."""
    rotations: dict[str, MVPBenchQuestion] = {}
    for row in json_lines(needed(data / "data", "mcq_questions.json")):
        key = row.text("question_id")
        rotation = key.rpartition("__")[2]
        if not rotation.isdecimal():
            raise DataError(f"{row.where}: question_id is {ascii(key)[:80]}, not NUMBER__NUMBER__ROTATION")
        _add(rotations, _question(row, key, number=row.whole("mcq_id"), rotation=int(rotation)), row)
    return rotations


def models(data: Path) -> tuple[str, ...]:
    """Return the names of the models with files in this folder, sorted."""
    names = names_in(data / _PREDICTIONS, ".jsonl")
    return tuple(sorted({name.removeprefix("mcq_").removesuffix("_evaluated") for name in names}))


def read_outputs(
    data: Path, model: str, questions: Mapping[str, MVPBenchQuestion], rotations: Mapping[str, MVPBenchQuestion]
) -> Outputs:
    """Return a model's replies.

    Raises:
        DataError: A file is damaged, answers an unknown question, or has two different answers to one question.
    """
    folder = data / _PREDICTIONS
    one_pass, again = _read(plain_or_gzipped(folder, f"{model}.jsonl"), "output", questions)
    evaluated, once_more = _read(plain_or_gzipped(folder, f"{model}_evaluated.jsonl"), "prediction", questions)
    rotated, repeats = _read(plain_or_gzipped(folder, f"mcq_{model}.jsonl"), "output", rotations)
    return Outputs(one_pass, evaluated, rotated, again + once_more + repeats)


def _read(
    path: Path | None, field: str, known: Mapping[str, MVPBenchQuestion]
) -> tuple[dict[str, ModelOutput] | None, int]:
    """Return a file's outputs by question, and the number of repeated records."""
    if path is None:
        return None, 0
    outputs: dict[str, ModelOutput] = {}
    repeats = sum(_take(outputs, row, field, known) for row in json_lines(path))
    return outputs, repeats


def _take(outputs: dict[str, ModelOutput], row: SourceRow, field: str, known: Mapping[str, MVPBenchQuestion]) -> bool:
    """Add the output in a row, and return whether it was already present."""
    key = str(row.values.get("question_id"))
    if key not in known:
        raise DataError(
            f"{row.where}: question_id {ascii(key)[:80]} is not among the {counted(len(known), 'question')} of data/"
        )
    # The repository's own reader takes `text` if there is no `output`.
    output = row.said("text" if field not in row.values and "text" in row.values else field)
    verdict = row.values.get("extracted (GPT)")
    if verdict is not None and not isinstance(verdict, str):
        raise DataError(f"{row.where}: extracted (GPT) is {ascii(verdict)[:80]}, neither a text nor null")
    model_output = ModelOutput(output, verdict)
    if outputs.setdefault(key, model_output) != model_output:
        raise DataError(f"{row.where}: question_id {key} has a different answer in an earlier line; keep one of them")
    return outputs[key] is not model_output


def _question(row: SourceRow, key: str, *, number: int, rotation: int) -> MVPBenchQuestion:
    return MVPBenchQuestion(
        key,
        row.whole("id"),
        row.text("image"),
        row.text("question"),
        row.text("answer"),
        row.one_of("type", TYPES),
        row.one_of("level", ("low", "high")),
        number,
        rotation,
    )


def _add(questions: dict[str, MVPBenchQuestion], question: MVPBenchQuestion, row: SourceRow) -> None:
    if question.key in questions:
        raise DataError(f"{row.where}: question_id {question.key!a} occurs twice; keep one of them")
    questions[question.key] = question
