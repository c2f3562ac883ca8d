"""The step `draft_questions`: a model, or templates, draft questions about each image for people to check."""

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
    """Draft questions about each image for people to accept, edit or discard; drops nothing.

    A model behind an endpoint drafts questions with options, an explanation and labels, from the picture, from what is
    stated about it, or both. Without `chat`, templates draft them of stated facts and annotations. The campaign `write`
    (`drafted_by`) shows the drafts to whoever writes about the image, and items say whose each text is. Give the
    settings of the questions as that campaign has them.

    A second model can try to break each draft (`attack`). Drafts that it breaks are not shown; what it tried on the
    others stands beside them.

    A reply that is of another shape is sent back once with its faults; what can be used of the second one is used.
    Replies are kept in the workspace, so none is paid for twice. `benchwright run --dry-run` says beforehand what it
    costs.

    Args:
        prompts: Words that are added to the prompt, by name; each name drafts `questions.at_most` questions by itself,
            and the release says how many of each were accepted.

    Reasons:
        no_json (ask): The model's replies hold no JSON.
        other_json (ask): The model's replies hold no question of the wanted shape; the evidence says what is wrong.
        endpoint_timeout (ask): The model did not reply in time.
        endpoint_connection (ask): The connection to the model broke.
        endpoint_busy (ask): The endpoint had no room for the request, however often it was sent.
        endpoint_refused (ask): The endpoint refused the request.
        endpoint_unusable_reply (ask): The reply was none, such as an empty text.
        unreadable (ask): The picture cannot be decoded.
        nothing_stated (ask): Nothing is stated of which a question could be drafted.
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
        """Return the most questions that one prompt drafts about an image."""
        return self.questions.at_most

    @property
    def declining_option(self) -> str | None:
        """Return the text of the option that declines; None where none is offered."""
        return None if self.refusal == "none" else self.refusal_text

    def prompt(self, name: str) -> str:
        """Return the words with which a model is asked by the prompt of this name."""
        return drafting_prompt(self, sees=self.sees, extra=self.prompts[name])

    def templated(self, draftable: Draftable, ctx: Context) -> QuestionDrafts:
        """Return the questions that templates draft."""
        record = draftable.record
        size_wh = (record.width, record.height)
        questions = templated_questions(draftable.stated, size_wh, self, ctx.rng(record.image_id, "templates"))
        failed = {} if questions else {TEMPLATE: f"{NOTHING_STATED}: no template fits what is stated of the picture"}
        return QuestionDrafts(by=self.author, questions=tuple(questions), failed=failed)

    def drafted(self, draftable: Draftable, chat: Chat, ctx: Context, evidence: dict[str, Any]) -> QuestionDrafts:
        """Return the questions that a model drafts, those of each prompt in turn, each question once."""
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
