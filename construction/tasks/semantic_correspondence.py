"""Semantic correspondence, as in BLINK (section 3.2): which of four points of another animal or object corresponds?

BLINK uses the key points of SPair-71k; people can also join points of two pictures in a `mark` campaign over pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from benchwright.records import ImageRecord

from ..ground_truth.truths import GroundTruth, KeypointPair
from ..ground_truth.values import RecordTruth
from ..item_parts.wording.english_words import with_article
from ..item_parts.wording.wordings import Wordings
from ..truth_tasks.correspondences import CorrespondenceTask
from ..truth_tasks.truth_plans import ChosenRecord, ItemPlan, ItemWording, TruthPictures

_CALLED = {"tvmonitor": "TV or monitor", "pottedplant": "potted plant"}
"""Categories of SPair-71k that need a different wording."""
QUESTIONS = Wordings(
    "Each of the two images shows {thing}. The ring labeled REF marks a part of it in the first image. Which ring "
    "marks the same part in the second image: A, B, C or D?",
    "Both images show {thing}. Which of the points A, B, C and D in the second image corresponds to the point REF in "
    "the first?",
    "Look at the point REF in the first image, which shows {thing}. The second image shows another one. Which of the "
    "points A, B, C and D lies on its counterpart there?",
)


class SemanticCorrespondence(CorrespondenceTask):
    """Make items that ask which of four points in another picture corresponds to a marked one; needs SPair-71k before
    it, or marks on pairs.

    Follows BLINK's semantic correspondence. The reference is a key point of both pictures; the other three options are
    other key points of the second picture, which therefore have a different meaning. In `hardened` mode, the first
    picture has all four of them, and is cropped so that each could be at the reference's position.
    """

    name: ClassVar[str] = "semantic_correspondence"
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (KeypointPair,)
    is_marked: ClassVar[bool] = True

    def planned(
        self, truth: RecordTruth[KeypointPair], pictures: TruthPictures, rng: np.random.Generator
    ) -> ItemPlan | str:
        """Choose the reference and the wrong points."""
        pair = truth.truth
        more = {"category": pair.category, "names": list(pair.names)}
        return self.planned_points(pair.first, pair.second, pictures, rng, more)

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Ask for the corresponding point."""
        del shown
        category = chosen.plan["category"]
        thing = _CALLED.get(category, category.replace("_", " "))
        return self.worded_points(chosen, QUESTIONS.filled(thing=with_article(thing)), {"object": thing})
