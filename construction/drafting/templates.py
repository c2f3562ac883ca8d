"""Drafts made without a model: templates filled with people's statements about a picture and with its source's
annotations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from benchwright.questions.drafts import DraftedQuestion
from benchwright.questions.settings import QuestionSettings
from benchwright.questions.written import question_mistakes

from ..distractors.checks import faults_among
from ..distractors.sources import other_numbers
from ..ground_truth.truths import LabelledBoxes, NamedEntity, SizeWH, VisualQuestion
from ..item_parts.options.choices import capital
from ..self_awareness.box_questions import box_questions, plural
from .picture_statements import PictureStatements

_COLORS = ("Black", "White", "Gray", "Red", "Orange", "Yellow", "Green", "Blue", "Purple", "Pink", "Brown")
_NUMBER_REACH = 5


class _Candidate(NamedTuple):
    """A question made by a template, with all the wrong options that the template knows."""

    template: str
    ask: str
    right: str | None
    wrong: Sequence[str]
    explanation: str


def templated_questions(
    stated: PictureStatements, size_wh: SizeWH, settings: QuestionSettings, rng: np.random.Generator
) -> list[DraftedQuestion]:
    """Return the questions that templates make from the statements about a picture, up to the requested number.

    Stated questions come first, then those of the other templates in turn. Labels are left to annotators, and so is an
    explanation if no statement gives one.

    Args:
        stated: The statements.
        size_wh: Upright width and height of the picture, in pixels.
        settings: Shape of the questions.
        rng: Random generator for wrong options and for the choice of annotations.
    """
    by_template: dict[str, list[DraftedQuestion]] = {}
    for candidate in [*_of_facts(stated), *_of_annotations(stated, size_wh, rng)]:
        if (drafted := _drafted(candidate, settings, rng)) is not None:
            by_template.setdefault(candidate.template, []).append(drafted)
    queues = [list(questions) for questions in by_template.values()]
    chosen: list[DraftedQuestion] = []
    asked: set[str] = set()
    while any(queues) and len(chosen) < settings.questions.at_most:
        for queue in [queue for queue in queues if queue]:
            question = queue.pop(0)
            if question.ask.casefold() not in asked and len(chosen) < settings.questions.at_most:
                asked.add(question.ask.casefold())
                chosen.append(question)
    return chosen


def _of_facts(stated: PictureStatements) -> Iterator[_Candidate]:
    for question in stated.facts.get("answerable", ()):
        explanation = f"It is stated of the picture: {question['right']}"
        yield _Candidate("answerable", question["ask"], question["right"], question["wrong"], explanation)
    implication: dict[str, Any] = stated.facts.get("implication") or {}
    for question in implication.get("questions") or ():
        explanation = question.get("explanation") or implication.get("explanation") or ""
        yield _Candidate("implication", question["ask"], question["right"], question["wrong"], explanation)
    for question in stated.facts.get("unanswerable", ()):
        why = str(question["why"]).replace("_", " ")
        yield _Candidate("unanswerable", question["ask"], None, question["wrong"], f"Nothing shows it: {why}.")


def _of_annotations(stated: PictureStatements, size_wh: SizeWH, rng: np.random.Generator) -> Iterator[_Candidate]:
    for truth in stated.truths:
        if isinstance(truth, LabelledBoxes):
            yield from _of_boxes(truth, size_wh, rng)
        elif isinstance(truth, NamedEntity):
            kind = truth.entity_kind
            ask = truth.ask or f"What is the name of the {kind} in the picture?"
            others = [truth.others[place] for place in rng.permutation(len(truth.others)).tolist()]
            yield _Candidate("entity", ask, truth.entity, others, f"The {kind} is {truth.entity}.")
        elif isinstance(truth, VisualQuestion) and truth.question.endswith("?"):
            wrong = _closed_answers(truth.answer, rng)
            yield _Candidate("answered_question", truth.question, capital(truth.answer), wrong, "")


def _of_boxes(boxes: LabelledBoxes, size_wh: SizeWH, rng: np.random.Generator) -> Iterator[_Candidate]:
    questions = [question for question in box_questions(boxes, size_wh) if question.kind in {"counting", "position"}]
    for place in rng.permutation(len(questions)).tolist():
        question = questions[place]
        if question.kind == "position":
            yield _Candidate("box_side", question.question, question.right, question.wrong, "")
            continue
        label, count = question.name.removeprefix("count of "), int(question.right)
        explanation = f"The annotations mark {count} {label if count == 1 else plural(label)}."
        yield _Candidate("box_count", question.question, question.right, _numbers(count, rng), explanation)


def _closed_answers(answer: str, rng: np.random.Generator) -> list[str]:
    """Return alternative answers if the answer is a number or a color, otherwise none."""
    if answer.isdigit() and len(answer) <= 3:
        return _numbers(int(answer), rng)
    colors = {color.casefold(): color for color in _COLORS}
    if (word := answer.casefold().replace("grey", "gray")) in colors:
        others = [color for known, color in colors.items() if known != word]
        return [others[place] for place in rng.permutation(len(others)).tolist()]
    return []


def _numbers(count: int, rng: np.random.Generator) -> list[str]:
    """Return other numbers in the order in which the question uses them; the rank of the right number among them is
    random.
    """
    return [str(other) for other in rng.permutation(other_numbers(count, _NUMBER_REACH, rng, number=_NUMBER_REACH))]


def _drafted(candidate: _Candidate, settings: QuestionSettings, rng: np.random.Generator) -> DraftedQuestion | None:
    """Return a candidate as a draft of the requested shape, or None if the candidate has too few options or a fault."""
    is_refused = candidate.right is None
    if is_refused and settings.refusal == "none":
        return None
    amount = settings.options
    least, most = (amount.at_least, amount.at_most) if is_refused else (amount.at_least - 1, amount.at_most - 1)
    wrong = [candidate.wrong[place] for place in sorted(rng.permutation(len(candidate.wrong))[:most].tolist())]
    if candidate.right is not None:
        faults = faults_among(candidate.right, wrong, is_form_free=True)
        wrong = [text for text in wrong if text not in faults]
    if len(wrong) < max(least, 1):
        return None
    options = {
        str(number): text for number, text in enumerate([*([candidate.right] if candidate.right else []), *wrong])
    }
    refusal = None if settings.refusal == "none" else settings.refusal_text
    too_long = len(candidate.ask) > settings.max_chars.question or any(
        len(text) > settings.max_chars.option for text in options.values()
    )
    if too_long or question_mistakes(candidate.ask, options, refusal=refusal):
        return None
    explanation = candidate.explanation[: settings.max_chars.explanation]
    return DraftedQuestion(
        ask=candidate.ask,
        right=candidate.right,
        wrong=tuple(wrong),
        explanation=explanation if explanation and settings.explanation != "none" else None,
        prompt=candidate.template,
    )
