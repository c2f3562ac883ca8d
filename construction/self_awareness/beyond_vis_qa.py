"""BeyondVisQA made with templates (MM-SAP, section 3.2 and appendix A.2): questions that a picture cannot answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, get_args

import numpy as np
from pydantic import Field

from benchwright.records import LETTERS, ImageRecord
from benchwright.seeds import generator_for

from ..ground_truth.truths import GroundTruth, LabelledBoxes, SizeWH
from ..ground_truth.values import RecordTruth
from ..item_parts.options.choices import drawn
from ..item_parts.options.selection import Candidate
from ..truth_tasks.truth_plans import ChosenRecord, ItemPlan, ItemWording, TruthPictures, UnusedTruth
from .annotations import ANNOTATIONS, ANSWERED, NONEXISTENT_OBJECT, PictureAnnotations, annotations_by_picture
from .refusing import OPTIONS, PLACES, RefusingTask
from .unanswerable_templates import TEMPLATES, UnanswerableTemplate, Why

_WHYS: tuple[Why, ...] = get_args(Why)


class UnanswerableQuestion(GroundTruth):
    """A question that no annotation of its picture answers, with tempting options."""

    kind: ClassVar[str] = "unanswerable"

    why: str
    question: str
    options: tuple[str, ...]
    thing: str


class BeyondVisQa(RefusingTask):
    """Make items for which only declining is right, about objects named by boxes; needs a step `dataset` before it.

    Follows MM-SAP's BeyondVisQA: four tempting options and one that declines; no answer key. The category is one of the
    paper's six. Questions are templates in our own words about an object that a box names, or, for the category
    `nonexistent_object`, about one that no annotation of the picture names. A question is left out if an annotation of
    the picture answers it: another question with the same words, a caption that states an option, or, for absent
    objects, annotations that name them. Annotations are incomplete, so have two people confirm the items (`verify`).
    For questions written by people and stated as facts, use the step `beyond_the_image`.

    Args:
        why: Categories to ask about.

    Reasons:
        nothing_to_ask (drop): No template fits an object in the picture.
        answered_by_annotation (drop): An annotation of the picture answers the question.
    """

    name: ClassVar[str] = "beyond_vis_qa"
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = ANNOTATIONS

    why: tuple[Why, ...] = Field(_WHYS, min_length=1)

    def combined(
        self, truths: Sequence[RecordTruth[Any]], sizes_wh: Mapping[str, SizeWH], seed: int
    ) -> Iterator[RecordTruth[UnanswerableQuestion] | UnusedTruth]:
        """Yield, for each picture with boxes, a question of each category, or the reason why there is none."""
        del sizes_wh
        annotations = annotations_by_picture(truths)
        boxed: dict[str, RecordTruth[LabelledBoxes]] = {}
        for truth in truths:
            if isinstance(truth.truth, LabelledBoxes):
                boxed.setdefault(truth.image_ids[0], truth)
        for image_id, truth in boxed.items():
            questions = [
                question for why in self.why for question in self._questions(truth, why, annotations[image_id], seed)
            ]
            if not questions:
                yield UnusedTruth(truth, "nothing_to_ask")
            yield from questions

    def _questions(
        self,
        truth: RecordTruth[LabelledBoxes],
        why: Why,
        annotations: PictureAnnotations,
        seed: int,
    ) -> Iterator[RecordTruth[UnanswerableQuestion] | UnusedTruth]:
        """Try a category's questions in random order, and yield the first one that no annotation answers."""
        pairs = [
            (template, thing)
            for template in TEMPLATES
            if template.why == why
            for thing in sorted(template.things & _things(truth.truth, annotations, why=why))
        ]
        if not pairs:
            return
        rng = generator_for(seed, self.name, truth.record, why)
        for number in rng.permutation(len(pairs)).tolist():
            template, thing = pairs[number]
            question = _worded(template, thing, truth, rng)
            if annotations.answered_by(question.question, question.options, why=why) is None:
                yield RecordTruth(f"{truth.record}:{why}", truth.image_ids[:1], question)
                return
        yield UnusedTruth(truth, ANSWERED)

    def planned(
        self, truth: RecordTruth[UnanswerableQuestion], pictures: TruthPictures, rng: np.random.Generator
    ) -> ItemPlan | str:
        """Plan an item, whose letter is the position of the option that declines."""
        del pictures, rng
        question = truth.truth
        document = {
            "question": question.question,
            "wrong": list(question.options),
            "why": question.why,
            "thing": question.thing,
        }
        return ItemPlan(PLACES, question.why, document)

    def placed_beside(
        self, candidates: Sequence[Candidate], letters: Sequence[int], seed: int
    ) -> Sequence[Mapping[str, Any]]:
        """Return the letter itself, since the only right option of these items is the one that declines."""
        del candidates, seed
        return [{"refusal": letter} for letter in letters]

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Put the option that declines at its position."""
        del shown
        plan = chosen.plan
        return ItemWording(
            plan["question"],
            self.options({**plan, "right": self.refusal}, chosen.letter),
            ((0, "reference", ()),),
            evidence={"why": plan["why"], "thing": plan["thing"], "checked_against": "annotations"},
            refusal=LETTERS[plan["refusal"]],
            is_answerable=False,
            category=plan["why"],
        )


def _things(boxes: LabelledBoxes, annotations: PictureAnnotations, *, why: Why) -> frozenset[str]:
    """Return the objects to ask about: those that occur once and have a box, or those absent from the picture."""
    if why != NONEXISTENT_OBJECT:
        counts = Counter(labelled.label for labelled in boxes.boxes)
        return frozenset(label for label, count in counts.items() if count == 1 and label not in boxes.incomplete)
    every = frozenset[str]().union(*(template.things for template in TEMPLATES if template.why == why))
    if boxes.is_federated:  # objects without a box may be present
        return every & annotations.absent
    return frozenset(thing for thing in every if not annotations.is_true(thing))


def _worded(
    template: UnanswerableTemplate, thing: str, truth: RecordTruth[LabelledBoxes], rng: np.random.Generator
) -> UnanswerableQuestion:
    return UnanswerableQuestion(
        why=template.why,
        question=template.ask.format(thing=thing),
        options=tuple(drawn(template.options, OPTIONS - 1, rng)),
        thing=thing,
        original=truth.truth.original,
    )
