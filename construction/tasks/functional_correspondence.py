"""Functional correspondence, as in BLINK (section 3.2): which of four points serves an action like the marked one?

BLINK uses FunKPoint, in which each picture has five points for an action; points at the same index correspond.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from benchwright.records import ImageRecord
from benchwright.seeds import seed_for

from ..ground_truth.truths import FunctionalPoints, GroundTruth
from ..ground_truth.values import RecordTruth
from ..item_parts.marks.rings import SizeWH
from ..item_parts.wording.wordings import Wordings
from ..truth_tasks.correspondences import CorrespondenceTask
from ..truth_tasks.truth_plans import ChosenRecord, ItemPlan, ItemWording, JoinedTruths, TruthPictures

_PARTNERS = 12
"""Number of other pictures of the same action for which items are planned; the selection takes one that is free."""
QUESTIONS = Wordings(
    'Imagine using each of the two objects for this action: "{action}". The ring labeled REF marks a point of the '
    "first object. Which ring marks the point of the second object that plays the same part in the action: A, B, C or "
    "D?",
    'Both objects can be used for this action: "{action}". Which of the points A, B, C and D on the second object '
    "serves the same purpose as the point REF on the first?",
    'For the action "{action}", which point of the object in the second image, A, B, C or D, corresponds to the point '
    "REF of the object in the first image?",
)
Difficulty = Literal["easy", "medium", "hard"]


class FunctionalCorrespondence(CorrespondenceTask):
    """Make items that ask which of four points of another object serves an action as the marked one does; needs
    FunKPoint before it.

    Follows BLINK's functional correspondence. The seed pairs pictures with points for the same action, preferring
    pictures of different kinds of object. In `hardened` mode, the first picture is cropped so that the counterpart of
    each of the four points could be at the reference's position; if that is impossible, the second picture is shown
    first.

    Args:
        same_category: Whether both objects may be of one kind.
        difficulties: Difficulties of the pictures to use, as stated by the dataset; null for any difficulty, even if it
            is not stated.

    Reasons:
        other_difficulty (drop): One of the pictures has a difficulty that is not in `difficulties`.
        same_category (drop): Both objects are of one kind, and `same_category` is false.
        no_partner (drop): No other picture has points for the same action.
    """

    name: ClassVar[str] = "functional_correspondence"
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (FunctionalPoints,)

    same_category: bool = True
    difficulties: tuple[Difficulty, ...] | None = Field(None, min_length=1)

    def combined(
        self, truths: Sequence[RecordTruth[Any]], sizes_wh: Mapping[str, SizeWH], seed: int
    ) -> Iterator[RecordTruth[Any]]:
        """Yield pairs of pictures for each action, as records of two pictures; yield a picture without a
        partner alone.
        """
        del sizes_wh
        actions: dict[str, list[RecordTruth[Any]]] = defaultdict(list)
        for truth in truths:
            actions[truth.truth.action].append(truth)
        for action in sorted(actions):
            order = sorted(actions[action], key=lambda truth: seed_for(seed, self.name, truth.record, "partner"))
            for number, first in enumerate(order):
                others = [other for other in order[number + 1 :] if other.image_ids != first.image_ids]
                others.sort(key=lambda other: other.truth.category == first.truth.category)
                if len(order) == 1:
                    yield first
                for other in others[:_PARTNERS]:
                    yield JoinedTruths.of((first, other))

    def planned(self, truth: RecordTruth[Any], pictures: TruthPictures, rng: np.random.Generator) -> ItemPlan | str:
        """Choose the reference and the wrong points."""
        if not isinstance(truth.truth, JoinedTruths):
            return "no_partner"
        first, second = truth.truth.parts
        if self.difficulties is not None and not {first.difficulty, second.difficulty} <= set(self.difficulties):
            return "other_difficulty"
        if first.category == second.category and not self.same_category:
            return "same_category"
        if len(first.points) != len(second.points):
            return "too_few_points"
        more = {"action": first.action, "categories": [first.category, second.category]}
        plan = self.planned_points(first.points, second.points, pictures, rng, more)
        if plan != "too_spread":
            return plan
        more = {"action": first.action, "categories": [second.category, first.category]}
        turned = self.planned_points(second.points, first.points, pictures.only((1, 0)), rng, more)
        return turned if isinstance(turned, str) else turned._replace(pictures=(1, 0))

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Ask for the point with the same function."""
        del shown
        action = " ".join(chosen.plan["action"].replace("/", " / ").split()).lower()
        return self.worded_points(chosen, QUESTIONS.filled(action=action), {"action": chosen.plan["action"]})
