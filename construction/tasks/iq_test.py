"""IQ test, as in BLINK (section 3.2): puzzles of graphics, each with four options and an explanation.

BLINK's authors collected them from public tests. Here they come from a table beside a folder of pictures (reader
`folder`, truths of kind `puzzles`), or from the generator `pattern_puzzles`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from benchwright.records import ImageRecord

from ..ground_truth import GroundTruth, Puzzle, RecordTruth
from ..sources.truth_plans import ChosenRecord, Plan, TruthPictures, Wording
from ..sources.truth_tasks import TruthTask


class IqTest(TruthTask):
    """Make items of puzzles that people collected or a program made; each carries its explanation.

    BLINK's IQ test. Options that are pictures are shuffled and their letters balanced. Labels that stand in the picture
    keep their order; so that right letters are balanced there, collect as many puzzles of each, or choose with `items`.
    The attribute `origin` says `collected` or `generated`; texts of generated puzzles are written by `template`.

    Args:
        options: Number of options; BLINK has four.
        mode: Puzzles are shown as people collected them. Those that a program made are hardened by `pattern_puzzles`.

    Reasons:
        other_number_of_options (drop): A puzzle has more or fewer options.
        no_puzzle_picture (drop): All pictures of the record are options.
        same_picture (drop): Two of the pictures are the same.
    """

    name: ClassVar[str] = "iq_test"
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (Puzzle,)

    options: int = Field(4, ge=2, le=8)

    def planned(self, truth: RecordTruth[Puzzle], pictures: TruthPictures, rng: np.random.Generator) -> Plan | str:
        """Check pictures and options; put wrong pictures into an order by chance."""
        del pictures
        puzzle, count = truth.truth, len(truth.image_ids)
        if len(puzzle.labels or puzzle.option_pictures) != self.options:
            return "other_number_of_options"
        if len(set(truth.image_ids)) < count:
            return "same_picture"
        shown = [number for number in range(count) if number not in puzzle.option_pictures]
        if not shown:
            return "no_puzzle_picture"
        stated = puzzle.model_dump(mode="json", include={"question", "explanation", "is_generated"})
        if puzzle.labels:
            place = puzzle.labels.index(str(puzzle.answer))
            return Plan((place,), puzzle.labels[place], {**stated, "shown": shown, "labels": list(puzzle.labels)})
        wrong = [number for number in puzzle.option_pictures if number != puzzle.answer]
        order = [wrong[place] for place in rng.permutation(len(wrong))]
        document = {**stated, "shown": shown, "right": puzzle.answer, "wrong": order}
        return Plan(tuple(range(self.options)), "picture", document)

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> Wording:
        """Put the right picture in its place, or name the labels."""
        del shown
        plan = chosen.plan
        images = [(number, "puzzle", ()) for number in plan["shown"]]
        options: list[str | int] = list(plan.get("labels") or plan["wrong"])
        if "right" in plan:
            options.insert(chosen.letter, plan["right"])
            images += [(int(number), "choice", ()) for number in options]
        author = "template" if plan["is_generated"] else "person"
        return Wording(
            plan["question"],
            tuple(options),
            tuple(images),
            attributes={"origin": "generated" if plan["is_generated"] else "collected"},
            written_by=author,
            choices_by=author,
            explanation=plan["explanation"],
        )
