"""MVP-Bench's tables 2, 3 and 5, recomputed from the repository's files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from benchwright.replies.answers import read_answer
from benchwright.replies.readers import mvp_bench as paper
from benchwright.texts.normalization import counted

from ..metrics.papers.mvp_bench import YesNoAnswer, a_acc, circular, i_acc, m_acc, q_acc
from ..metrics.papers.shares import Share, share
from .cells import Recount
from .mvp_layout import (
    SINGLE_IMAGE,
    YES_NO,
    ModelOutput,
    MVPBenchQuestion,
    Outputs,
    models,
    read_outputs,
    read_questions,
    read_rotations,
)
from .mvp_readings import (
    CATEGORIES,
    CATEGORY_READINGS,
    VANILLA_READINGS,
    YES_NO_READINGS,
    AnswerReading,
    Vanilla,
    category_of,
)
from .search import Family, Printed, choose

_OPTION = re.compile(r"^([A-Z])\. (.*)$", re.M)
_NOTHING = ModelOutput("")
_Judged = list[tuple[MVPBenchQuestion, bool]]

__all__ = ["models", "options_of", "recount"]


class Files(NamedTuple):
    """The contents of a folder for one model."""

    questions: Mapping[str, MVPBenchQuestion]
    rotations: Mapping[str, MVPBenchQuestion]
    outputs: Outputs


def recount(
    data: Path,
    model: str,
    reading: AnswerReading | None = None,
    *,
    vanilla: Vanilla | None = None,
    by_hand: Mapping[str, str] | None = None,
    printed: Mapping[str, Sequence[Printed]],
) -> Recount:
    """Return the cells that a model's files provide, leaving out tables whose file is missing.

    A question without an answer in a file is counted as wrong, and a note states the number of such questions.

    Args:
        data: Folder in the layout of the repository.
        model: Name of the model in its files.
        reading: One reading for all cells; None to choose among those of `mvp_readings` for each family of cells.
        vanilla: Pass for VanillaEval; None for that of the reading or the printed values.
        by_hand: Yes/no answers read by a person.
        printed: Printed values, by cell.
    """
    questions, rotations = read_questions(data), read_rotations(data)
    outputs = read_outputs(data, model, questions, rotations)
    notes = (
        [f"{counted(outputs.repeats, 'record occurs', 'records occur')} in the files more than once"]
        if outputs.repeats
        else []
    )
    yes_no = _yes_no_outputs(outputs)
    if yes_no is not None:
        notes += _missing(
            [question for question in questions.values() if question.kind in YES_NO], yes_no, "yes/no questions"
        )
    if outputs.rotated is not None:
        notes += _missing(rotations.values(), outputs.rotated, "rotations")
    files = Files(questions, rotations, outputs)
    families = list(_families(files, reading, vanilla, by_hand or {}))
    readings, chosen = choose(families, printed)
    cells = {name: cell.shares[cell.chosen] for name, cell in readings.items()}
    return Recount(model, cells, tuple(notes), readings, chosen)


def _families(
    files: Files, reading: AnswerReading | None, vanilla: Vanilla | None, by_hand: Mapping[str, str]
) -> Iterator[Family]:
    def all_of(published: Mapping[str, AnswerReading]) -> Mapping[str, AnswerReading]:
        allowed = published if reading is None else {"as asked for": reading}
        return {name: replace(way, by_hand=by_hand) for name, way in allowed.items()}

    if _yes_no_outputs(files.outputs) is not None:
        counted = {name: _yes_no_cells(files, way) for name, way in all_of(YES_NO_READINGS).items()}
        yield Family("tables 2 and 3, yes/no", counted)
        counted = {name: _category_cells(files, way) for name, way in all_of(CATEGORY_READINGS).items()}
        yield Family("table 5", counted)
    if files.outputs.rotated is not None:
        yield Family("CircularEval", {"every rotation": _circular(files, reading or AnswerReading())})
    passes = all_of(VANILLA_READINGS)
    if vanilla is not None:
        first = {name: way for name, way in passes.items() if way.vanilla == vanilla} if reading is None else {}
        passes = first or {"as asked for": replace(reading or AnswerReading(), vanilla=vanilla)}
    yield Family("VanillaEval", {name: _by_image("vanilla", _vanilla(files, way)) for name, way in passes.items()})


def _yes_no_outputs(outputs: Outputs) -> Mapping[str, ModelOutput] | None:
    return outputs.evaluated if outputs.evaluated is not None else outputs.one_pass


def _yes_no_cells(files: Files, reading: AnswerReading) -> dict[str, Share]:
    """Return the cells for yes/no questions in tables 2 and 3."""
    judged = _judged_yes_no(files, reading)
    sides = {side: [row for row in judged if row[0].kind == kind] for side, kind in zip("NM", YES_NO, strict=True)}
    levels = {"Ll": _of_level(judged, "low"), "Lh": _of_level(judged, "high"), "Lm": judged}
    cells = {f"qAcc_{name}": q_acc(_answers(rows)) for name, rows in levels.items()}
    cells |= {f"aAcc_{name}": a_acc(_answers(rows)) for name, rows in levels.items()}
    cells["mAcc"] = m_acc(_answers(judged))
    cells |= {f"iAcc_{name}": i_acc(_answers(rows)) for name, rows in {**sides, "NM": judged}.items()}
    cells |= {f"aAcc_{name}": a_acc(_answers(rows)) for name, rows in sides.items()}
    for level in ("low", "high"):
        for letter, side in (("S", "N"), ("E", "M")):
            cells[f"aAcc_{letter}_{level}"] = a_acc(_answers(_of_level(sides[side], level)))
    return cells


def _category_cells(files: Files, reading: AnswerReading) -> dict[str, Share]:
    """Return the cells in table 5, by category."""
    judged = _judged_yes_no(files, reading)
    if not reading.in_order:
        within = {name: [row for row in judged if category_of(row[0].pair) == name] for name in CATEGORIES}
        return {f"pAcc_{name}": q_acc(_answers(rows)) for name, rows in within.items()}
    by_key = {question.key: (question, right) for question, right in judged}
    outputs = _yes_no_outputs(files.outputs) or {}
    ordered = [by_key[key] for key in dict.fromkeys([*outputs, *by_key]) if key in by_key]
    pairs = list(zip(ordered[::2], ordered[1::2], strict=False))
    return {
        f"pAcc_{name}": share(first[1] and two[1] for first, two in pairs if category_of(first[0].pair) == name)
        for name in CATEGORIES
    }


def _judged_yes_no(files: Files, reading: AnswerReading) -> _Judged:
    outputs = _yes_no_outputs(files.outputs) or {}
    questions = [question for question in files.questions.values() if question.kind in YES_NO]
    return [(question, _right(question, outputs.get(question.key, _NOTHING), reading)) for question in questions]


def _circular(files: Files, reading: AnswerReading) -> dict[str, Share]:
    return _by_image("circular", _judged_letters(files.rotations.values(), files.outputs.rotated or {}, reading))


def options_of(question: str) -> list[tuple[str, str | None]]:
    """Return the options given in lines of a question's text, such as "A. a dog", by letter."""
    return [(letter, text) for letter, text in _OPTION.findall(question)]


def _right(question: MVPBenchQuestion, output: ModelOutput, reading: AnswerReading) -> bool:
    if reading.substring:
        return paper.holds(output.output, question.answer)
    if question.key in reading.by_hand:
        return reading.by_hand[question.key] == question.answer.lower()
    if reading.robust:
        letter = read_answer(output.output, [("A", "Yes"), ("B", "No")]).letter
        return {"A": "yes", "B": "no"}.get(letter or "") == question.answer.lower()
    verdict = (output.verdict or "").lower() if reading.judged else ""
    read = paper.yes_or_no(output.output) or verdict
    if reading.unread_is_no and output is not _NOTHING and read not in {"yes", "no"}:
        read = "no"
    return read == question.answer.lower()


def _judged_letters(
    questions: Iterable[MVPBenchQuestion], outputs: Mapping[str, ModelOutput], reading: AnswerReading
) -> _Judged:
    judged = []
    for question in questions:
        output = outputs.get(question.key, _NOTHING).output
        letter = read_answer(output, options_of(question.text)).letter if reading.robust else paper.first_clause(output)
        if reading.bare_letters and letter is not None:
            letter = letter.partition(")")[0].strip("() ").upper()
        judged.append((question, letter == question.answer))
    return judged


def _vanilla(files: Files, reading: AnswerReading) -> _Judged:
    """Return the judged answers for VanillaEval, from the other file if the reading's own file is missing."""
    outputs = files.outputs
    one_pass = outputs.one_pass if outputs.one_pass is not None else outputs.evaluated
    if one_pass is not None and (reading.vanilla == "one-pass" or outputs.rotated is None):
        questions = [question for question in files.questions.values() if question.kind not in YES_NO]
        return _judged_letters(questions, one_pass, reading)
    rotated = outputs.rotated or {}
    first = {question.number: question for question in files.rotations.values() if question.rotation == 0}
    if reading.vanilla == "first-in-file":
        in_file = [files.rotations[key] for key in rotated]
        first |= {question.number: question for question in reversed(in_file)}
    return _judged_letters(first.values(), rotated, reading)


def _by_image(name: str, judged: _Judged) -> dict[str, Share]:
    """Return the cells for cross-image questions by level, and for single-image questions."""
    single = [row for row in judged if row[0].image.startswith(SINGLE_IMAGE)]
    cross = [row for row in judged if not row[0].image.startswith(SINGLE_IMAGE)]
    groups = {
        f"CI_{name}_Ll": _of_level(cross, "low"),
        f"CI_{name}_Lh": _of_level(cross, "high"),
        f"SI_{name}": single,
    }
    return {cell: circular((question.number, right) for question, right in rows) for cell, rows in groups.items()}


def _of_level(judged: _Judged, level: str) -> _Judged:
    return [row for row in judged if row[0].level == level]


def _answers(judged: _Judged) -> list[YesNoAnswer]:
    return [YesNoAnswer(question.pair, question.text, question.image, right) for question, right in judged]


def _missing(questions: Iterable[MVPBenchQuestion], outputs: Mapping[str, ModelOutput], kind: str) -> list[str]:
    missing = [question.key for question in questions if question.key not in outputs]
    return [f"{len(missing)} {kind} without an output count as wrong, such as {missing[0]}"] if missing else []
