"""Visual similarity, as in BLINK (section 3.2): which of two pictures looks more like a third?

BLINK uses the triplets of DreamSim's dataset, NIGHTS, on which people voted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from benchwright.records import ImageRecord
from benchwright.steps import CueFamily

from ..ground_truth.truths import OTHER_REFERENCE, GroundTruth, SimilarityTriplet
from ..ground_truth.values import RecordTruth
from ..item_parts.marks.rings import SizeWH
from ..item_parts.wording.wordings import Wordings
from ..truth_tasks.equal_squares import WholePicturesTask
from ..truth_tasks.truth_plans import ChosenRecord, ItemPlan, ItemWording, TruthPictures

QUESTIONS = Wordings(
    "The first image is the reference. Which of the other two images looks more like it overall: in its objects, their "
    "poses and places, its colors and its style?",
    "Compare each of the last two images with the first one. All things considered, which of them is more similar to "
    "it?",
    "Which of the two images after the first one resembles it more? Take objects, layout, colors and style together.",
)


class VisualSimilarity(WholePicturesTask):
    """Make items that ask which of two pictures looks more like a third; needs NIGHTS before it, or `similar_pictures`.

    Follows BLINK's visual similarity. The picture that most people chose as closer is the right one.

    Args:
        mode: `hardened` shows the middle of all three pictures as squares of the same size and encoding, all of them
            reduced, so that sizes, proportions and sharpness reveal nothing. The picture that people chose comes from
            the dataset, and so does anything that it reveals without the reference. `paper` shows the pictures whole,
            as the paper does.
        min_votes: Smallest number of people who chose the right picture; the dataset's authors keep triplets with at
            least 6, and a model's estimate has 1.

    Reasons:
        too_few_votes (drop): Fewer people than `min_votes` chose the right picture.
        same_picture (drop): Two of the three pictures are the same.
    """

    name: ClassVar[str] = "visual_similarity"
    task_cues: ClassVar[frozenset[CueFamily]] = frozenset({"reference_pixels"})
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (SimilarityTriplet,)

    min_votes: int = Field(6, ge=1)

    def combined(
        self, truths: Sequence[RecordTruth[Any]], sizes_wh: Mapping[str, SizeWH], seed: int
    ) -> Iterator[RecordTruth[Any]]:
        """Yield the triplets; if the reference was drawn at random, the other possible reference is a fourth
        picture.
        """
        del seed
        for truth in truths:
            other = truth.truth.original.get(OTHER_REFERENCE)
            yield truth._replace(image_ids=(*truth.image_ids, other)) if other in sizes_wh else truth

    def planned(
        self, truth: RecordTruth[SimilarityTriplet], pictures: TruthPictures, rng: np.random.Generator
    ) -> ItemPlan | str:
        """Check the votes."""
        del rng
        triplet = truth.truth
        if triplet.votes < self.min_votes:
            return "too_few_votes"
        if len(set(truth.image_ids[:3])) < 3:
            return "same_picture"
        right, wrong = (1, 2) if triplet.closer == "left" else (2, 1)
        document = {"right": right, "wrong": wrong, "votes": triplet.votes, **self.side(pictures)}
        return ItemPlan((0, 1), "picture", document, pictures=(0, 1, 2))

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Put the closer picture at its position."""
        del shown
        options = [chosen.plan["wrong"]]
        options.insert(chosen.letter, chosen.plan["right"])
        images = ((0, "reference", ()), *((number, "choice", ()) for number in options))
        return ItemWording(QUESTIONS, tuple(options), images, evidence={"votes": chosen.plan["votes"]})
