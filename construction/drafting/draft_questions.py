"""The step `draft_questions`: a model, or templates, draft questions about each image for people to check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from pydantic import Field, PrivateAttr, field_validator, model_validator

from benchwright.canonical import canonical_json
from benchwright.errors import RequestFailed, UnreadableImage
from benchwright.models.chat import Chat, ChatSettings
from benchwright.models.chat_request import ChatMessage
from benchwright.models.structured_replies import NotOfThatShape, ask_structured
from benchwright.models.usage import CHARACTERS_PER_TOKEN, TOKENS_PER_PICTURE, Prices, RequestPlan, Tokens
from benchwright.questions.drafts import DRAFTS, TEMPLATE, DraftedQuestion, QuestionDrafts
from benchwright.questions.settings import QuestionSettings
from benchwright.records import ImageRecord
from benchwright.steps import Context, MapStep, OpenContext, Outcome, Step, Stream

from .attacks import AttackSettings, DraftBreaker
from .picture_statements import PictureStatements, columns_of, statements_about
from .prompts import Sees, drafting_prompt, reply_shape, usable_questions
from .templates import templated_questions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NOTHING_STATED, ALL_BROKEN = "nothing_stated", "all_broken"
_DOCUMENT_TOKENS = 800
"""Tokens that what is stated about a picture is taken to have, where cost is planned."""


class _Opened(NamedTuple):
    """What a worker drafts with; None where nobody is asked."""

    chat: Chat | None
    breaker: DraftBreaker | None


class _Draftable(NamedTuple):
    """An image with all that drafting it takes, read in one thread."""

    record: ImageRecord
    stated: PictureStatements
    pixels: NDArray[np.uint8] | None
    problem: str | None


class DraftQuestions(QuestionSettings, MapStep):
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
        chat: Model that drafts; null lets templates do it.
        sees: What the model is given: the `picture`, `annotations` (what is stated about it, without the picture), or
            `both`.
        stated_by: Entry of a step `facts` whose facts are used; null uses none.
        annotations_of: Entry of a step `dataset` whose annotations are used; null uses none.
        prompts: Words that are added to the prompt, by name; each name drafts `questions.at_most` questions by itself,
            and the release says how many of each were accepted.
        attack: Which second model tries to break the drafts; null lets none.
        concurrency: Images that a worker has under way at a time.

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
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {DRAFTS: "string"}
    """As `benchwright.questions.drafts.QuestionDrafts` has it."""

    chat: ChatSettings | None = None
    sees: Sees = "picture"
    stated_by: str | None = Field(None, pattern=r"^[a-z0-9_.]+$")
    annotations_of: str | None = Field(None, pattern=r"^[a-z0-9_.]+$")
    prompts: dict[str, str] = Field({"plain": ""}, min_length=1, max_length=8)
    attack: AttackSettings | None = None
    concurrency: int = Field(8, ge=1, le=64)
    _columns: tuple[str, ...] = PrivateAttr(())

    @field_validator("prompts")
    @classmethod
    def _named_in_words(cls, value: dict[str, str]) -> dict[str, str]:
        for name, words in value.items():
            if not name.strip() or len(name) > 60 or len(words) > 4000:
                raise ValueError(f"{name[:60]!r}: a prompt has a name of 1 to 60 characters and at most 4,000 in words")
        return value

    @model_validator(mode="after")
    def _can_draft(self) -> Self:
        if self.drawn_options:
            raise ValueError("options that are drawn in the picture are not drafted: leave out drawn_options")
        is_stated = self.stated_by is not None or self.annotations_of is not None
        if self.chat is None and not is_stated:
            raise ValueError("say who drafts: a model under `chat`, or templates of `stated_by` or `annotations_of`")
        if self.chat is not None and self.sees != "picture" and not is_stated:
            raise ValueError(f"sees: {self.sees} needs `stated_by` or `annotations_of`, or both")
        return self

    @property
    def costly(self) -> bool:  # type: ignore[override]
        """Return whether a model is asked."""
        return self.chat is not None or self.attack is not None

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the values with facts and annotations."""
        return self._columns

    def placed(self, given: Mapping[str, Mapping[str, str]]) -> Step:
        """Return the step with the values of the entries that its settings name.

        Raises:
            RecipeError: One of them is not before it, or states nothing that it could use.
        """
        placed = self.model_copy()
        placed._columns = columns_of(given, stated_by=self.stated_by, annotations_of=self.annotations_of)
        return placed

    def parameters(self) -> dict[str, Any]:
        """Return the settings that decide the drafts: no keys and budgets, and not how many are asked at a time."""
        decided = {name: value for name, value in super().parameters().items() if name != "concurrency"}
        chat = None if self.chat is None else self.chat.deciding()
        attack = None if self.attack is None else self.attack.deciding()
        return decided | {"chat": chat, "attack": attack}

    def planned_requests(self, images: int) -> list[RequestPlan]:
        """Return what models would be asked about so many images, and would cost at most.

        Every reply is taken to be repaired once, and every draft to be attacked.
        """
        plans = []
        if self.chat is not None:
            words = sum(len(self._prompt(name)) // CHARACTERS_PER_TOKEN for name in self.prompts)
            words += len(self.prompts) * (0 if self.sees == "picture" else _DOCUMENT_TOKENS)
            pictures = len(self.prompts) * (self.sees != "annotations")
            plans.append(_plan(self.chat, "drafts", images, 2 * len(self.prompts), 2 * pictures, 2 * words))
        if self.attack is not None:
            drafts = self.questions.at_most * (1 if self.chat is None else len(self.prompts))
            blind, seeing = self.attack.requests
            words = (blind + seeing) * 300
            requests = 2 * drafts * (blind + seeing)
            plans.append(_plan(self.attack.chat, "attacks", images, requests, 2 * drafts * seeing, 2 * drafts * words))
        return plans

    def together(self) -> int | None:
        """Return the number of images that are under way at a time, where models are asked."""
        return self.concurrency if self.costly else None

    def open(self, ctx: OpenContext) -> _Opened:
        """Connect to the models.

        Raises:
            PrerequisiteError: A key is missing.
        """
        chat = None if self.chat is None else Chat(self.chat, concurrency=self.concurrency, replies=ctx.replies)
        if self.attack is None:
            return _Opened(chat, None)
        second = Chat(self.attack.chat, concurrency=self.concurrency, replies=ctx.replies)
        refusal = None if self.refusal == "none" else self.refusal_text
        return _Opened(chat, DraftBreaker(self.attack, second, refusal=refusal))

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Draft questions about one image."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[ImageRecord], ctx: Context) -> Sequence[Outcome]:
        """Draft questions about images, several at a time; pictures are decoded in one thread."""
        draftable = [self._draftable(record, ctx) for record in records]
        if not self.costly:
            return [self._outcome(each, ctx) for each in draftable]
        with ThreadPoolExecutor(self.concurrency, thread_name_prefix="draft") as threads:
            return list(threads.map(lambda each: self._outcome(each, ctx), draftable))

    def _draftable(self, record: ImageRecord, ctx: Context) -> _Draftable:
        stated = statements_about(record, ctx, self._columns)
        if not (self.attack is not None or (self.chat is not None and self.sees != "annotations")):
            return _Draftable(record, stated, None, None)
        try:
            return _Draftable(record, stated, ctx.images.rgb(record), None)
        except UnreadableImage as error:
            return _Draftable(record, stated, None, f"unreadable: {error}")

    def _outcome(self, draftable: _Draftable, ctx: Context) -> Outcome:
        opened: _Opened = ctx.opened
        evidence: dict[str, Any] = {}
        if draftable.problem is not None:
            drafts = QuestionDrafts(by=self._author, failed={"picture": draftable.problem})
        elif opened.chat is None:
            drafts = self._templated(draftable, ctx)
        else:
            drafts = self._drafted(draftable, opened.chat, evidence)
        if opened.breaker is not None and drafts.questions:
            drafts = self._attacked(drafts, draftable, opened.breaker, ctx)
        values = {DRAFTS: canonical_json(drafts.model_dump(mode="json"))}
        evidence |= {"drafted": len(drafts.questions), "broken": len(drafts.broken)}
        if drafts.failed:
            evidence["failed"] = dict(drafts.failed)
        if drafts.questions:
            return Outcome(values=values, evidence=evidence)
        first = next(iter(drafts.failed.values()), ALL_BROKEN)
        return Outcome("ask", first.partition(":")[0], values=values, evidence=evidence)

    @property
    def _author(self) -> str:
        return TEMPLATE if self.chat is None else f"model:{self.chat.model}"

    def _templated(self, draftable: _Draftable, ctx: Context) -> QuestionDrafts:
        record = draftable.record
        size_wh = (record.width, record.height)
        questions = templated_questions(draftable.stated, size_wh, self, ctx.rng(record.image_id, "templates"))
        failed = {} if questions else {TEMPLATE: f"{NOTHING_STATED}: no template fits what is stated of the picture"}
        return QuestionDrafts(by=self._author, questions=tuple(questions), failed=failed)

    def _drafted(self, draftable: _Draftable, chat: Chat, evidence: dict[str, Any]) -> QuestionDrafts:
        document = {} if self.sees == "picture" else draftable.stated.document()
        if self.sees == "annotations" and not document:
            why = f"{NOTHING_STATED}: neither facts nor annotations"
            return QuestionDrafts(by=self._author, failed=dict.fromkeys(self.prompts, why))
        questions: list[DraftedQuestion] = []
        failed: dict[str, str] = {}
        asked: set[str] = set()
        for name in self.prompts:
            parts: list[Any] = [self._prompt(name)]
            parts += [canonical_json(document)] if document else []
            if draftable.pixels is not None and self.sees != "annotations":
                parts.append(draftable.pixels)
            try:
                replied = ask_structured(chat, [ChatMessage("user", parts)], reply_shape(self)).value.questions
            except RequestFailed as error:
                failed[name] = f"endpoint_{error.reason}: {error.detail}"[:500]
                continue
            except NotOfThatShape as error:
                failed[name] = str(error)[:500]
                evidence.setdefault("replies", {})[name] = list(error.replies)
                replied = usable_questions(error.replies, self)
            drafts = [question.drafted(name) for question in replied]
            questions += [draft for draft in drafts if draft.ask.casefold() not in asked]
            asked |= {draft.ask.casefold() for draft in drafts}
        return QuestionDrafts(by=self._author, questions=tuple(questions), failed=failed)

    def _attacked(
        self, drafts: QuestionDrafts, draftable: _Draftable, breaker: DraftBreaker, ctx: Context
    ) -> QuestionDrafts:
        assert draftable.pixels is not None, "a picture that is attacked was decoded"
        attacked = [
            breaker.attacked(draft, draftable.pixels, ctx.rng(draftable.record.image_id, draft.prompt, number))
            for number, draft in enumerate(drafts.questions)
        ]
        held = tuple(draft for draft in attacked if not breaker.takes_out(draft))
        broken = tuple(draft for draft in attacked if breaker.takes_out(draft))
        return drafts.model_copy(update={"questions": held, "broken": broken})

    def _prompt(self, name: str) -> str:
        return drafting_prompt(self, sees=self.sees, extra=self.prompts[name])


def _plan(chat: ChatSettings, purpose: str, images: int, requests: int, pictures: int, words: int) -> RequestPlan:
    """Return the plan for so many images, with what is sent and received for one of them."""
    sent = images * (words + pictures * TOKENS_PER_PICTURE)
    tokens = Tokens(sent, images * requests * chat.max_tokens)
    prices = Prices.of(chat.price_in, chat.price_out)
    return RequestPlan(chat.model, purpose, images * requests, images * pictures, tokens, prices)
