"""The step `draft_descriptions`: a model, or stated facts, draft each image's labels and meaning for annotators."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from benchwright.models.endpoints.chat import Chat
from benchwright.questions.drafts import TEMPLATE, DraftedDescription, QuestionDrafts
from benchwright.questions.implication import MOST_QUESTIONS, WRONG_OPTIONS
from benchwright.questions.settings import Amount, MaxChars, QuestionSettings
from benchwright.steps import Context

from .descriptions import (
    NOTHING_CONVEYED,
    DescriptionReply,
    description_prompt,
    description_shape,
    stated_description,
    usable_labels,
)
from .drafting_step import NOTHING_STATED, Draftable, DraftingStep
from .prompts import usable_questions
from .templates import templated_questions


class DraftDescriptions(DraftingStep):
    """Draft the labels and meaning of each image, for annotators to accept, edit or discard; drops nothing.

    A model behind an endpoint drafts the answers to the campaign `describe`, with II-Bench's closed sets (appendix
    B.3): image type, difficulty, domain, emotion, rhetoric, an explanation, and questions with one right and five wrong
    options. Without `chat`, the facts of a step `facts` that state an implication are the draft. The campaign
    `describe` (`drafted_by`) shows the draft to the annotator of the image, and items state the author of each text.

    A model that finds no meaning beyond what an image shows drafts nothing. The form states this (`nothing_conveyed`),
    and annotators decide whether to discard the image.

    Requests, repairs, stored replies, costs and attacks on questions work as in `draft_questions`.

    Args:
        prompts: Words to add to the prompt, by name. The seed draws one of them for each image, and the release states
            how many drafts of each were accepted.
        questions: Number of questions to draft with a description; with 0, only labels and an explanation are drafted.
        several_types: Whether an image may be of several types, as in the campaign.
        max_chars: Largest numbers of characters of a draft: 300 for a `question`, 200 for an `option` and 2,000 for an
            `explanation` by default.

    Reasons:
        no_json (ask): The model's replies contain no JSON.
        other_json (ask): The model's replies contain nothing of the requested shape; the evidence names the faults.
        nothing_conveyed (ask): The model finds no meaning beyond what the image shows.
        endpoint_timeout (ask): The model did not reply in time.
        endpoint_connection (ask): The connection to the model broke.
        endpoint_busy (ask): The endpoint stayed busy through all attempts.
        endpoint_refused (ask): The endpoint refused the request.
        endpoint_unusable_reply (ask): The reply was unusable, such as an empty text.
        unreadable (ask): The picture cannot be decoded.
        nothing_stated (ask): No meaning of the image is stated.
        all_broken (ask): The second model broke every draft.
    """

    name: ClassVar[str] = "draft_descriptions"

    questions: int = Field(1, ge=0, le=MOST_QUESTIONS)
    several_types: bool = False
    max_chars: MaxChars = MaxChars()

    @property
    def asked_prompts(self) -> int:
        """Return the number of prompts for one image."""
        return 1

    @property
    def most_questions(self) -> int:
        """Return the largest number of questions to draft for an image."""
        return self.questions

    @property
    def question_settings(self) -> QuestionSettings:
        """Return the shape of the questions."""
        count = max(self.questions, 1)
        return QuestionSettings(
            questions=Amount(at_least=count, at_most=count),
            options=Amount(at_least=WRONG_OPTIONS + 1, at_most=WRONG_OPTIONS + 1),
            explanation="none",
            max_chars=self.max_chars,
        )

    def prompt(self, name: str) -> str:
        """Return the prompt of this name."""
        return description_prompt(
            self.question_settings if self.questions else None,
            sees=self.sees,
            several_types=self.several_types,
            max_explanation=self.max_chars.explanation,
            extra=self.prompts[name],
        )

    def drafted(self, draftable: Draftable, chat: Chat, ctx: Context, evidence: dict[str, Any]) -> QuestionDrafts:
        """Return a model's drafts; from a faulty reply, only the labels or the questions without faults."""
        names = list(self.prompts)
        name = names[int(ctx.rng(draftable.record.image_id, "prompt").integers(len(names)))]
        reply = self.asked(draftable, chat, name, self._shape(with_questions=self.questions > 0))
        if reply.replies:
            evidence["replies"] = {name: list(reply.replies)}
        failed = {} if reply.failed is None else {name: reply.failed}
        labels = reply.value or usable_labels(reply.replies, self._shape(with_questions=False))
        questions = reply.value.questions if reply.value else usable_questions(reply.replies, self.question_settings)
        if labels is not None and not labels.conveys:
            failed[name] = f"{NOTHING_CONVEYED}: the model finds that it conveys no more than it shows"
            questions = []
        implication = None if labels is None else labels.implication(self.author)
        return QuestionDrafts(
            by=self.author,
            questions=tuple(question.drafted(name) for question in (questions or () if self.questions else ())),
            failed=failed,
            description=None if implication is None else DraftedDescription(implication=implication, prompt=name),
        )

    def _shape(self, *, with_questions: bool) -> type[DescriptionReply]:
        return description_shape(
            self.question_settings if with_questions else None,
            several_types=self.several_types,
            max_explanation=self.max_chars.explanation,
        )

    def templated(self, draftable: Draftable, ctx: Context) -> QuestionDrafts:
        """Return the implication in the facts, with its questions."""
        stated = stated_description(draftable.stated)
        if stated is None:
            why = f"{NOTHING_STATED}: the facts state no implication of the picture"
            return QuestionDrafts(by=self.author, failed={TEMPLATE: why})
        record = draftable.record
        size_wh, rng = (record.width, record.height), ctx.rng(record.image_id, "templates")
        only = draftable.stated._replace(facts={"implication": draftable.stated.facts["implication"]}, truths=())
        questions = templated_questions(only, size_wh, self.question_settings, rng) if self.questions else []
        return QuestionDrafts(
            by=self.author,
            questions=tuple(questions),
            description=DraftedDescription(implication=stated, prompt="implication"),
        )
