"""BasicVisQA (MM-SAP, section 3.2): questions on visible information, from VQAv2, Visual Genome and COCO."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field, field_validator

from benchwright.questions.self_awareness import BASIC

from ..ground_truth.truths import GroundTruth, LabelledBoxes, SizeWH, VisualQuestion
from ..ground_truth.values import RecordTruth
from ..truth_tasks.truth_plans import UnusedTruth
from .annotations import ANNOTATIONS, annotations_by_picture
from .box_questions import LISTED, box_questions
from .exchanged import AnsweredQuestion, OfferedQuestion, with_options
from .offering import OfferingTask
from .visual_information import KINDS, VisualInformation, kind_of


class BasicVisQa(OfferingTask):
    """Make items on basic visual information, with an option that declines; needs a step `dataset` before it.

    Follows MM-SAP's BasicVisQA: five options, one right and one that declines; the item's level is `basic`, its
    category the kind of visual information. The kind of a question from VQAv2 or Visual Genome is determined by its
    words. Boxes yield further questions: how many objects with a name there are, which object is visible, and on which
    side of another object it is. The paper shows the kinds action, color, counting, objects, position and OCR; shape
    and scene are our own.

    Wrong options are answers to other questions of the same kind. In `hardened` mode, four questions offer each other's
    answers, so that the options alone reveal nothing; this requires four questions of a kind with answers of the same
    form, and leaves out questions without partners. No wrong option is offered that an annotation states to be true of
    the picture.

    Args:
        mode: `hardened`, or `paper`: each question gets its own wrong options, and all questions are used.
        chat: Model that writes the wrong options, in `paper` mode; null takes answers to other questions. The model's
            input includes people's other answers, and its options must pass the same checks.
        information: Kinds of visual information to ask about.
        min_agreement: Smallest proportion of people who gave the accepted answer, 0 to 1.
        max_words: Largest number of words of an answer.

    Reasons:
        other_question (drop): The question asks for none of these kinds, or its words leave the kind open.
        no_question (drop): The text does not end with a question mark.
        no_agreement (drop): A smaller proportion of people than `min_agreement` gave the accepted answer.
        long_answer (drop): The answer has more words than `max_words`.
        no_partners (drop): In `hardened` mode: too few other questions of the kind have an answer that could be offered
            with this one, or there are enough items, or the picture has already been used.
        too_few_distractors (drop): In `paper` mode: fewer than three wrong options were found.
        writer_no_json (drop): The reply of the model that writes options contains no JSON.
        writer_other_json (drop): The reply does not contain three options that can be offered with the right one.
    """

    name: ClassVar[str] = "basic_vis_qa"
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = ANNOTATIONS
    item_level: ClassVar[str | None] = BASIC

    information: tuple[VisualInformation, ...] = Field(KINDS, min_length=1)
    min_agreement: float = Field(0.6, ge=0, le=1)
    max_words: int = Field(5, ge=1, le=20)

    @field_validator("information")
    @classmethod
    def _each_kind_once(cls, kinds: tuple[VisualInformation, ...]) -> tuple[VisualInformation, ...]:
        if len(set(kinds)) != len(kinds):
            raise ValueError("list each kind of visual information only once")
        return kinds

    def combined(
        self, truths: Sequence[RecordTruth[Any]], sizes_wh: Mapping[str, SizeWH], seed: int
    ) -> Iterator[RecordTruth[OfferedQuestion] | UnusedTruth]:
        """Yield the usable questions with their options, and the other questions with the reasons why they are
        unusable.
        """
        annotations = annotations_by_picture(truths)
        questions: list[AnsweredQuestion] = []
        for truth in truths:
            if isinstance(truth.truth, VisualQuestion):
                question = self._question(truth)
                if isinstance(question, AnsweredQuestion):
                    questions.append(question)
                else:
                    yield UnusedTruth(truth, question)
            elif isinstance(truth.truth, LabelledBoxes):
                questions += self._of_boxes(truth, sizes_wh[truth.image_ids[0]])
        yield from with_options(
            questions,
            mode=self.mode,
            seed=seed,
            task=self.name,
            uses=self.uses,
            items=self.items,
            is_true=lambda picture, text: annotations[picture].is_true(text),
            is_written=self.chat is not None,
        )

    def _question(self, truth: RecordTruth[VisualQuestion]) -> AnsweredQuestion | str:
        """Return a dataset's question, or the reason why the question is unusable."""
        question = truth.truth
        kind = kind_of(question.question, question.answer)
        if kind is None or kind not in self.information:
            return "other_question"
        if not question.question.endswith("?"):
            return "no_question"
        if question.agreement < self.min_agreement:
            return "no_agreement"
        if len(question.answer.split()) > self.max_words:
            return "long_answer"
        evidence = (
            {"answers": list(question.answers), "agreement": round(question.agreement, 4)} if question.answers else {}
        )
        return AnsweredQuestion(
            truth,
            truth.record,
            kind,
            kind,
            question.question,
            question.answer,
            also_right=tuple(dict.fromkeys(other for other in question.answers if other != question.answer)),
            evidence={**evidence, "made_of": "question"},
        )

    def _of_boxes(self, truth: RecordTruth[LabelledBoxes], size_wh: SizeWH) -> Iterator[AnsweredQuestion]:
        for question in box_questions(truth.truth, size_wh):
            if question.kind in self.information:
                # Questions about visible objects have the same words for all pictures: their answers stay among
                # themselves.
                pool = f"{question.kind} listed" if question.question == LISTED else question.kind
                yield AnsweredQuestion(
                    truth,
                    f"{truth.record}:{question.name}",
                    question.kind,
                    pool,
                    question.question,
                    question.right,
                    question.wrong,
                    evidence={"made_of": "boxes"},
                    written_by="template",
                )
