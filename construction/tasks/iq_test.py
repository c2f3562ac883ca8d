"""IQ test, as in BLINK (section 3.2): graphical puzzles, each with four options and an explanation.

BLINK's authors collected them from public tests. Here they come from a table in a folder of pictures (reader `folder`,
truths of kind `puzzles`), from questions that annotators write in a campaign `write`, or from the generator
`pattern_puzzles`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from benchwright.questions.written import QUESTIONS, WrittenQuestion, WrittenQuestions
from benchwright.records import ImageRecord
from benchwright.steps import CueFamily, PictureFidelity

from ..ground_truth.truths import GroundTruth, Puzzle
from ..ground_truth.values import RecordTruth
from ..truth_tasks.pattern_puzzles import QUESTIONS as GENERATED_QUESTIONS
from ..truth_tasks.truth_plans import ChosenRecord, ItemPlan, ItemWording, TruthPictures
from ..truth_tasks.truth_tasks import TruthTask

_WRITTEN_IN, _AUTHOR, _LABELS = "written_in", "author", "labels"
"""Keys of `original` that hold the campaign and the author of a written puzzle, and its labels."""


class WrittenPuzzle(Puzzle):
    """A puzzle written in a campaign, which may lack parts of a puzzle."""

    explanation: str = ""
    declines: bool = False
    """Whether one of the puzzle's options declines to answer."""


class IqTest(TruthTask):
    """Make items from puzzles that people collected or wrote, or that a program generated; each item has an
    explanation.

    Follows BLINK's IQ test. Options that are pictures or texts are shuffled and their letters balanced. Labels drawn in
    the picture keep their order; to balance the right letters of such puzzles, collect equally many for each letter, or
    limit them with `items`. The attribute `origin` is `collected`, `written` (with the labels of their writers) or
    `generated`; the author of the texts of generated puzzles is `template`.

    Args:
        written_by: Entry of an earlier campaign `write` whose questions it takes, in addition to a dataset that
            `dataset` names. The campaign should ask for explanations.
        options: Number of options; BLINK has four.
        mode: Puzzles are shown as they were collected. Generated puzzles are hardened by `pattern_puzzles`.

    Reasons:
        other_number_of_options (drop): A puzzle has more or fewer options.
        no_puzzle_picture (drop): All pictures of the record are options.
        same_picture (drop): Two of the pictures are the same.
        no_explanation (drop): The author of the puzzle did not explain it.
        declining_option (drop): An option of a written puzzle declines to answer.
    """

    name: ClassVar[str] = "iq_test"
    picture_fidelity: ClassVar[PictureFidelity] = "exact"
    task_cues: ClassVar[frozenset[CueFamily]] = frozenset({"reference_pixels"})
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (Puzzle,)

    written_by: str | None = Field(None, pattern=r"^[a-z0-9_]+$")
    options: int = Field(4, ge=2, le=8)

    @property
    def truth_columns(self) -> tuple[str, ...]:
        """Return the puzzles of a dataset, the questions of a campaign, or both."""
        if self.written_by is None:
            return super().truth_columns
        stated = () if self.dataset is None else (f"{self.dataset}.{Puzzle.kind}",)
        return (*stated, f"{self.written_by}.{QUESTIONS}")

    def truths_in(self, column: str, image_id: str, text: str) -> Iterable[RecordTruth[Any]]:
        """Yield the puzzles that people wrote about a picture."""
        written = WrittenQuestions.model_validate_json(text)
        for number, question in enumerate(written.questions, 1):
            record = f"{column.rpartition('.')[0]}:{image_id[:16]}#{number}"
            yield RecordTruth(record, (image_id,), _written_puzzle(question, written.drawn_options))

    def planned(self, truth: RecordTruth[Puzzle], pictures: TruthPictures, rng: np.random.Generator) -> ItemPlan | str:
        """Check the pictures and options, and put the wrong pictures into random order."""
        del pictures
        puzzle, count = truth.truth, len(truth.image_ids)
        if (lack := self._lack(puzzle)) is not None:
            return lack
        if len(set(truth.image_ids)) < count:
            return "same_picture"
        shown = [number for number in range(count) if number not in puzzle.option_pictures]
        if not shown:
            return "no_puzzle_picture"
        stated = puzzle.model_dump(mode="json", include={"question", "explanation", "is_generated"})
        if puzzle.labels:
            place = puzzle.labels.index(str(puzzle.answer))
            return ItemPlan((place,), puzzle.labels[place], {**stated, "shown": shown, "labels": list(puzzle.labels)})
        options: Sequence[str | int] = puzzle.option_pictures or puzzle.option_texts
        wrong = [option for option in options if option != puzzle.answer]
        order = [wrong[place] for place in rng.permutation(len(wrong))]
        document = {**stated, "shown": shown, "right": puzzle.answer, "wrong": order}
        return ItemPlan(tuple(range(self.options)), "text" if puzzle.option_texts else "picture", document)

    def _lack(self, puzzle: Puzzle) -> str | None:
        """Return the reason why no item can be made from a puzzle's texts, or None if one can be made."""
        if isinstance(puzzle, WrittenPuzzle) and puzzle.declines:
            return "declining_option"
        if not puzzle.explanation:
            return "no_explanation"
        is_full = len(puzzle.labels or puzzle.option_pictures or puzzle.option_texts) == self.options
        return None if is_full else "other_number_of_options"

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Put the right picture at its position, or name the labels."""
        del shown
        plan = chosen.plan
        images = [(number, "puzzle", ()) for number in plan["shown"]]
        options: list[str | int] = list(plan.get("labels") or plan["wrong"])
        if "right" in plan:
            options.insert(chosen.letter, plan["right"])
            images += [(number, "choice", ()) for number in options if isinstance(number, int)]
        author = "template" if plan["is_generated"] else chosen.original.get(_AUTHOR, "person")
        written_in = chosen.original.get(_WRITTEN_IN)
        origin = "generated" if plan["is_generated"] else "collected" if written_in is None else "written"
        is_ours = plan["is_generated"] and plan["question"] == GENERATED_QUESTIONS.of_number(1)
        return ItemWording(
            GENERATED_QUESTIONS if is_ours else plan["question"],
            tuple(options),
            tuple(images),
            evidence={} if written_in is None else {_WRITTEN_IN: written_in},
            attributes={**chosen.original.get(_LABELS, {}), "origin": origin},
            written_by=author,
            choices_by=author,
            explanation=plan["explanation"],
        )


def _written_puzzle(question: WrittenQuestion, drawn_options: tuple[str, ...]) -> WrittenPuzzle:
    """Return a written question as a puzzle; if it has no right option, declining is the right answer."""
    answer = question.right or question.refusal
    assert answer is not None, "a question that nothing answers must have an option that declines"
    written_in = question.written_in.model_dump(mode="json")
    return WrittenPuzzle(
        question=question.ask,
        labels=drawn_options,
        option_texts=() if drawn_options else tuple(dict.fromkeys((answer, *question.wrong))),
        answer=answer,
        explanation=question.explanation or "",
        declines=question.refusal is not None,
        original={_WRITTEN_IN: written_in, _AUTHOR: question.author, _LABELS: question.labels},
    )
