"""Tasks in which every item has an option that declines, as in MM-SAP: five options, one of which declines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from benchwright.questions.written import REFUSAL

from ..item_parts.options.selection import Candidate, balanced_letters
from ..truth_tasks.truth_tasks import TruthTask

OPTIONS = 5
"""Number of options of an item, including the one that declines (MM-SAP, section 3.2)."""
DISTRACTORS = OPTIONS - 2
PLACES = tuple(range(OPTIONS))


class RefusingTask(TruthTask):
    """A ground-truth task whose items each have an option that declines.

    The right option and the one that declines are each spread evenly over the positions, as far as the number of items
    allows (MM-SAP's table 6).

    Args:
        refusal: Text of the option that declines.
    """

    has_wordings: ClassVar[bool] = False

    refusal: str = Field(REFUSAL, min_length=1, max_length=200)

    def placed_beside(
        self, candidates: Sequence[Candidate], letters: Sequence[int], seed: int
    ) -> Sequence[Mapping[str, Any]]:
        """Return positions for the option that declines, spread evenly over the positions that the right option does
        not occupy.
        """
        beside = [
            candidate._replace(letters=tuple(place for place in candidate.letters if place != letter))
            for candidate, letter in zip(candidates, letters, strict=True)
        ]
        return [{"refusal": place} for place in balanced_letters(beside, seed=seed, task=f"{self.name}.refusal")]

    def options(self, plan: Mapping[str, Any], letter: int) -> tuple[str, ...]:
        """Return the options in order.

        Args:
            plan: A plan with the right option under `right`, the wrong ones under `wrong`, and the position of the one
                that declines under `refusal`.
            letter: Position of the right option.
        """
        wrong = iter(plan["wrong"])
        placed = {letter: plan["right"], plan["refusal"]: self.refusal}
        return tuple(placed[place] if place in placed else next(wrong) for place in PLACES)
