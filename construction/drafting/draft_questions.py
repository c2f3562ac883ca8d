"""The step `draft_questions`: a model, or templates, draft questions about each image for annotators to check."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from pydantic import model_validator

from benchwright.models.endpoints.chat import Chat
from benchwright.questions.drafts import TEMPLATE, DraftedQuestion, QuestionDrafts
from benchwright.questions.settings import QuestionSettings
from benchwright.steps import Context

from .drafting_step import NOTHING_STATED, Draftable, DraftingStep
from .prompts import drafting_prompt, reply_shape, usable_questions
from .templates import templated_questions


class DraftQuestions(QuestionSettings, DraftingStep):
    """Draft questions about each image for annotators to accept, edit or discard; drops nothing.

    A model behind an endpoint drafts questions with options, an explanation and labels, from the picture, from
    statements about it, or both. Without `chat`, templates draft them from stated facts and annotations. The campaign
    `write` (`drafted_by`) shows the drafts to the annotator of the image, and items state the author of each text. Give
    the settings of the questions as in that campaign.

    A second model can try to break each draft (`attack`). Broken drafts are not shown; the others are shown with the
    results of these attempts.

    A reply of another shape is sent back once with its faults; the usable parts of the second reply are used. Replies
    are stored in the workspace, so that none is paid for twice. `benchwright run --dry-run` estimates the cost.

    Args:
        prompts: Words to add to the prompt, by name. `questions.at_most` questions are drafted for each name, and the
            release states how many of each were accepted.

    Reasons:
        no_json (ask): The model's replies contain no JSON.
        other_json (ask): The model's replies contain no question of the requested shape; the evidence names the faults.
        endpoint_timeout (ask): The model did not reply in time.
        endpoint_connection (ask): The connection to the model broke.
        endpoint_busy (ask): The endpoint stayed busy through all attempts.
        endpoint_refused (ask): The endpoint refused the request.
        endpoint_unusable_reply (ask): The reply was unusable, such as an empty text.
        unreadable (ask): The picture cannot be decoded.
        nothing_stated (ask): There are no statements from which to draft a question.
        all_broken (ask): The second model broke every draft.
    """

    name: ClassVar[str] = "draft_questions"

    @model_validator(mode="after")
    def _has_written_options(self) -> Self:
        if self.drawn_options:
            raise ValueError("options that are drawn in the picture are not drafted: leave out drawn_options")
        return self

    @property
    def most_questions(self) -> int:
        """Return the largest number of questions that one prompt drafts for an image."""
        return self.questions.at_most

    @property
    def declining_option(self) -> str | None:
        """Return the text of the option that declines; None if none is offered."""
        return None if self.refusal == "none" else self.refusal_text

    def prompt(self, name: str) -> str:
        """Return the prompt of this name."""
        return drafting_prompt(self, sees=self.sees, extra=self.prompts[name])

    def templated(self, draftable: Draftable, ctx: Context) -> QuestionDrafts:
        """Return the questions that templates draft."""
        record = draftable.record
        size_wh = (record.width, record.height)
        questions = templated_questions(draftable.stated, size_wh, self, ctx.rng(record.image_id, "templates"))
        failed = {} if questions else {TEMPLATE: f"{NOTHING_STATED}: no template fits what is stated of the picture"}
        return QuestionDrafts(by=self.author, questions=tuple(questions), failed=failed)

    def drafted(self, draftable: Draftable, chat: Chat, ctx: Context, evidence: dict[str, Any]) -> QuestionDrafts:
        """Return the questions that a model drafts, taking the prompts in turn and leaving out repeated questions."""
        del ctx
        questions: list[DraftedQuestion] = []
        failed: dict[str, str] = {}
        known: set[str] = set()
        for name in self.prompts:
            reply = self.asked(draftable, chat, name, reply_shape(self))
            if reply.failed is not None:
                failed[name] = reply.failed
            if reply.replies:
                evidence.setdefault("replies", {})[name] = list(reply.replies)
            usable = usable_questions(reply.replies, self) if reply.value is None else reply.value.questions
            drafts = [question.drafted(name) for question in usable]
            questions += [draft for draft in drafts if draft.ask.casefold() not in known]
            known |= {draft.ask.casefold() for draft in drafts}
        return QuestionDrafts(by=self.author, questions=tuple(questions), failed=failed)
