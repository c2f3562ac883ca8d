"""MVP-Bench's tables 2, 3 and 5, counted again from the repository's files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..answers import read_answer
from ..paper_metrics.mvp_bench import Answer, a_acc, circular, i_acc, m_acc, q_acc
from ..paper_metrics.shares import Share
from ..readers import mvp_bench as paper
from .cells import Recount
from .mvp_layout import (
    SINGLE_IMAGE,
    YES_NO,
    Outputs,
    Question,
    Said,
    models,
    read_outputs,
    read_questions,
    read_rotations,
)
from .mvp_readings import CATEGORIES, Reading, category_of

_OPTION = re.compile(r"^([A-Z])\. (.*)$", re.M)
_NOTHING = Said("")
Judged = list[tuple[Question, bool]]

__all__ = ["models", "options_of", "recount"]


def recount(data: Path, model: str, reading: Reading) -> Recount:
    """Return the cells that a model's files give; those of a table whose file is not there are left out.

    A question that a file does not answer counts as wrong, and a note says how many there are.
    """
    questions, rotations = read_questions(data), read_rotations(data)
    outputs = read_outputs(data, model, questions, rotations)
    notes = [f"{outputs.repeats} records stand in the files more than once"] if outputs.repeats else []
    cells: dict[str, Share] = {}
    yes_no = outputs.evaluated if outputs.evaluated is not None else outputs.one_pass
    if yes_no is not None:
        asked = [one for one in questions.values() if one.kind in YES_NO]
        notes += _missing(asked, yes_no, "yes/no questions")
        cells |= yes_no_cells(asked, yes_no, reading)
    if outputs.rotated is not None:
        notes += _missing(rotations.values(), outputs.rotated, "rotations")
        judged = _judged_letters(rotations.values(), outputs.rotated, reading)
        cells |= _by_image("circular", judged)
    cells |= _by_image("vanilla", _vanilla(questions, rotations, outputs, reading))
    return Recount(model, cells, tuple(notes))


def yes_no_cells(asked: Iterable[Question], said: Mapping[str, Said], reading: Reading) -> dict[str, Share]:
    """Return the cells of yes/no questions: tables 2 and 3, and table 5 by category."""
    judged = [(one, _right(one, said.get(one.key, _NOTHING), reading)) for one in asked]
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
    if reading.substring:
        judged = [(one, paper.holds(said.get(one.key, _NOTHING).output, one.answer)) for one, _ in judged]
    for category in CATEGORIES:
        within = [row for row in judged if category_of(row[0].pair) == category]
        cells[f"pAcc_{category}"] = q_acc(_answers(within))
    return cells


def options_of(question: str) -> list[tuple[str, str | None]]:
    """Return the options that a question's text lists in lines such as "A. a dog", by letter."""
    return [(letter, text) for letter, text in _OPTION.findall(question)]


def _right(question: Question, said: Said, reading: Reading) -> bool:
    if question.key in reading.by_hand:
        return reading.by_hand[question.key] == question.answer.lower()
    if reading.robust:
        letter = read_answer(said.output, [("A", "Yes"), ("B", "No")]).letter
        return {"A": "yes", "B": "no"}.get(letter or "") == question.answer.lower()
    verdict = (said.verdict or "").lower() if reading.judged else ""
    return (paper.yes_or_no(said.output) or verdict) == question.answer.lower()


def _judged_letters(asked: Iterable[Question], said: Mapping[str, Said], reading: Reading) -> Judged:
    judged = []
    for one in asked:
        output = said.get(one.key, _NOTHING).output
        letter = read_answer(output, options_of(one.text)).letter if reading.robust else paper.first_clause(output)
        judged.append((one, letter == one.answer))
    return judged


def _vanilla(
    questions: Mapping[str, Question], rotations: Mapping[str, Question], outputs: Outputs, reading: Reading
) -> Judged:
    """Return the judged answers of VanillaEval; the other file steps in where the reading's own is not there."""
    one_pass = outputs.one_pass if outputs.one_pass is not None else outputs.evaluated
    if one_pass is not None and (reading.vanilla == "one-pass" or outputs.rotated is None):
        asked = [one for one in questions.values() if one.kind not in YES_NO]
        return _judged_letters(asked, one_pass, reading)
    first = [one for one in rotations.values() if one.rotation == 0]
    return _judged_letters(first, outputs.rotated or {}, reading)


def _by_image(name: str, judged: Judged) -> dict[str, Share]:
    """Return the cells of cross-image questions by level, and of single-image questions."""
    single = [row for row in judged if row[0].image.startswith(SINGLE_IMAGE)]
    cross = [row for row in judged if not row[0].image.startswith(SINGLE_IMAGE)]
    groups = {
        f"CI_{name}_Ll": _of_level(cross, "low"), f"CI_{name}_Lh": _of_level(cross, "high"), f"SI_{name}": single,
    }  # fmt: skip
    return {cell: circular((one.number, right) for one, right in rows) for cell, rows in groups.items()}


def _of_level(judged: Judged, level: str) -> Judged:
    return [row for row in judged if row[0].level == level]


def _answers(judged: Judged) -> list[Answer]:
    return [Answer(one.pair, one.text, one.image, right) for one, right in judged]


def _missing(asked: Iterable[Question], said: Mapping[str, Said], what: str) -> list[str]:
    missing = [one.key for one in asked if one.key not in said]
    return [f"{len(missing)} {what} have no output and count as wrong, such as {missing[0]}"] if missing else []
