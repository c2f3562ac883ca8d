"""The shared base of steps that draft: the model, its input, the number of requests, and unusable replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from pydantic import BaseModel, Field, PrivateAttr, field_validator, model_validator

from benchwright.canonical import canonical_json
from benchwright.errors import RequestFailed, UnreadableImage
from benchwright.models.endpoints.chat import Chat, ChatSettings
from benchwright.models.endpoints.chat_request import ChatMessage
from benchwright.models.endpoints.structured_replies import NotOfThatShape, ask_structured
from benchwright.models.endpoints.usage import CHARACTERS_PER_TOKEN, RequestPlan
from benchwright.questions.drafts import DRAFTS, TEMPLATE, QuestionDrafts
from benchwright.records import ImageRecord
from benchwright.steps import Context, MapStep, OpenContext, Outcome, Step, Stream

from .attacks import AttackSettings, DraftBreaker
from .picture_statements import PictureStatements, columns_of, statements_about
from .prompts import Sees

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")
R = TypeVar("R")
NOTHING_STATED, _ALL_BROKEN = "nothing_stated", "all_broken"
_DOCUMENT_TOKENS = 800
"""Estimated number of tokens of the statements about a picture, for planning the cost."""
_KEPT_CHARS = 500


class DraftAttempt(NamedTuple, Generic[M]):
    """The outcome of one request to a model.

    Args:
        value: The reply in the requested shape; None if neither the reply nor its repair has it.
        failed: The reason why the value is missing, as a code and a message; None if there is a value.
        replies: The model's replies that did not have the shape; empty if a request failed.
    """

    value: M | None
    failed: str | None = None
    replies: tuple[str, ...] = ()


def ask_for_draft(chat: Chat, parts: Sequence[Any], shape: type[M]) -> DraftAttempt[M]:
    """Return a model's reply; a reply of another shape is sent back once, and a failure becomes a recorded reason.

    Args:
        chat: The model.
        parts: Texts and pictures, (height, width, 3) RGB, of the one message.
        shape: Shape of the reply.

    Raises:
        PrerequisiteError: No request to the model can succeed.
        BudgetSpent: Its budget is spent.
    """
    try:
        return DraftAttempt(ask_structured(chat, [ChatMessage("user", list(parts))], shape).value)
    except RequestFailed as error:
        return DraftAttempt(None, f"endpoint_{error.reason}: {error.detail}"[:_KEPT_CHARS])
    except NotOfThatShape as error:
        return DraftAttempt(None, str(error)[:_KEPT_CHARS], error.replies)


def reason_of(failed: str) -> str:
    """Return the reason code of a failure that is given as a code and a message."""
    return failed.partition(":")[0]


def in_threads(concurrency: int, work: Callable[[T], R], inputs: Iterable[T]) -> list[R]:
    """Return, in order, the results of jobs that wait for models, running the given number of jobs at a time."""
    with ThreadPoolExecutor(concurrency, thread_name_prefix="draft") as threads:
        return list(threads.map(work, inputs))


class _DraftTools(NamedTuple):
    """A worker's connections for drafting; None if no model is queried."""

    chat: Chat | None
    breaker: DraftBreaker | None


class Draftable(NamedTuple):
    """An image with everything needed for drafting, read by a single thread."""

    record: ImageRecord
    stated: PictureStatements
    pixels: NDArray[np.uint8] | None
    problem: str | None


class DraftingStep(MapStep):
    """A step that drafts texts about each image for annotators to accept, edit or discard; drops nothing.

    Attributes:
        chat: Model that drafts; null uses templates.
        sees: Input of the model: the `picture`, `annotations` (the statements about it, without the picture), or
            `both`.
        stated_by: Entry of a step `facts` whose facts are used; null uses none.
        annotations_of: Entry of a step `dataset` whose annotations are used; null uses none.
        prompts: Words to add to the prompt, by name; the release states how many drafts of each were accepted.
        attack: Second model that tries to break the drafted questions; null for none.
        concurrency: Number of images that a worker processes at a time.
    """

    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {DRAFTS: "string"}
    """As in `benchwright.questions.drafts.QuestionDrafts`."""

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
                raise ValueError(
                    f"{name[:60]!r}: a prompt has a name of 1 to 60 characters and a text of at most 4,000"
                )
        return value

    @model_validator(mode="after")
    def _can_draft(self) -> Self:
        is_stated = self.stated_by is not None or self.annotations_of is not None
        if self.chat is None and not is_stated:
            raise ValueError("say who drafts: a model under `chat`, or templates of `stated_by` or `annotations_of`")
        if self.chat is not None and self.sees != "picture" and not is_stated:
            raise ValueError(f"sees: {self.sees} needs `stated_by` or `annotations_of`, or both")
        return self

    @property
    def costly(self) -> bool:  # type: ignore[override]
        """Return whether the step asks a model."""
        return self.chat is not None or self.attack is not None

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the values that hold facts and annotations."""
        return self._columns

    def placed(self, given: Mapping[str, Mapping[str, str]]) -> Step:
        """Return the step, connected to the values of the entries that its settings name.

        Raises:
            RecipeError: An entry does not precede the step, or states nothing usable.
        """
        placed = self.model_copy()
        placed._columns = columns_of(
            given, step=self.name, stated_by=self.stated_by, annotations_of=self.annotations_of
        )
        return placed

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the drafts, without keys, budgets and concurrency."""
        decided = {name: value for name, value in super().parameters().items() if name != "concurrency"}
        chat = None if self.chat is None else self.chat.deciding()
        attack = None if self.attack is None else self.attack.deciding()
        return decided | {"chat": chat, "attack": attack}

    @property
    def asked_prompts(self) -> int:
        """Return the number of prompts for one image."""
        return len(self.prompts)

    @property
    def most_questions(self) -> int:
        """Return the largest number of questions that one prompt drafts for an image."""
        raise NotImplementedError

    @property
    def declining_option(self) -> str | None:
        """Return the text of the option that declines; None if none is offered."""
        return None

    def prompt(self, name: str) -> str:
        """Return the prompt of this name."""
        raise NotImplementedError

    def drafted(self, draftable: Draftable, chat: Chat, ctx: Context, evidence: dict[str, Any]) -> QuestionDrafts:
        """Return a model's drafts, and add unusable replies to `evidence`."""
        raise NotImplementedError

    def templated(self, draftable: Draftable, ctx: Context) -> QuestionDrafts:
        """Return the drafts made by templates."""
        raise NotImplementedError

    def planned_requests(self, images: int) -> list[RequestPlan]:
        """Return the requests to models for this number of images, with their maximum cost.

        Assumes one repair of every reply, an attack on every draft, and the longest prompts.
        """
        plans, asked = [], self.asked_prompts
        if self.chat is not None:
            lengths = sorted((len(self.prompt(name)) // CHARACTERS_PER_TOKEN for name in self.prompts), reverse=True)
            words = sum(lengths[:asked]) + asked * (0 if self.sees == "picture" else _DOCUMENT_TOKENS)
            pictures = asked * (self.sees != "annotations")
            plans.append(self.chat.plan("drafts", images, requests=2 * asked, pictures=2 * pictures, words=2 * words))
        if self.attack is not None:
            drafts = self.most_questions * (1 if self.chat is None else asked)
            blind, seeing = self.attack.requests
            requests = 2 * drafts * (blind + seeing)
            words = requests * 300
            plans.append(
                self.attack.chat.plan("attacks", images, requests=requests, pictures=2 * drafts * seeing, words=words)
            )
        return plans

    def together(self) -> int | None:
        """Return the number of images in progress at a time, if models are asked."""
        return self.concurrency if self.costly else None

    def open(self, ctx: OpenContext) -> _DraftTools:
        """Connect to the models.

        Raises:
            PrerequisiteError: A key is missing.
        """
        chat = None if self.chat is None else Chat(self.chat, concurrency=self.concurrency, replies=ctx.replies)
        if self.attack is None:
            return _DraftTools(chat, None)
        second = Chat(self.attack.chat, concurrency=self.concurrency, replies=ctx.replies)
        return _DraftTools(chat, DraftBreaker(self.attack, second, refusal=self.declining_option))

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Draft texts about one image."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[ImageRecord], ctx: Context) -> Sequence[Outcome]:
        """Draft texts about images, several at a time; one thread decodes the pictures."""
        draftable = [self._draftable(record, ctx) for record in records]
        if not self.costly:
            return [self._outcome(each, ctx) for each in draftable]
        return in_threads(self.concurrency, lambda each: self._outcome(each, ctx), draftable)

    @property
    def author(self) -> str:
        """Return the author of drafts, as in `Item.written_by`."""
        return TEMPLATE if self.chat is None else f"model:{self.chat.model}"

    def asked(self, draftable: Draftable, chat: Chat, name: str, shape: type[M]) -> DraftAttempt[M]:
        """Return the model's reply to the prompt of this name, with the picture, the statements about it, or both."""
        document = {} if self.sees == "picture" else draftable.stated.document()
        if self.sees == "annotations" and not document:
            return DraftAttempt(None, f"{NOTHING_STATED}: neither facts nor annotations")
        parts: list[Any] = [self.prompt(name)]
        parts += [canonical_json(document)] if document else []
        if draftable.pixels is not None and self.sees != "annotations":
            parts.append(draftable.pixels)
        return ask_for_draft(chat, parts, shape)

    def _draftable(self, record: ImageRecord, ctx: Context) -> Draftable:
        stated = statements_about(record, ctx, self._columns)
        if not (self.attack is not None or (self.chat is not None and self.sees != "annotations")):
            return Draftable(record, stated, None, None)
        try:
            return Draftable(record, stated, ctx.images.rgb(record), None)
        except UnreadableImage as error:
            return Draftable(record, stated, None, f"unreadable: {error}")

    def _outcome(self, draftable: Draftable, ctx: Context) -> Outcome:
        opened: _DraftTools = ctx.opened
        evidence: dict[str, Any] = {}
        if draftable.problem is not None:
            drafts = QuestionDrafts(by=self.author, failed={"picture": draftable.problem})
        elif opened.chat is None:
            drafts = self.templated(draftable, ctx)
        else:
            drafts = self.drafted(draftable, opened.chat, ctx, evidence)
        if opened.breaker is not None and drafts.questions:
            drafts = _attacked(drafts, draftable, opened.breaker, ctx)
        values = {DRAFTS: canonical_json(drafts.model_dump(mode="json"))}
        evidence |= {"drafted": len(drafts.questions), "broken": len(drafts.broken)}
        if drafts.failed:
            evidence["failed"] = dict(drafts.failed)
        if drafts.questions or drafts.description is not None:
            return Outcome(values=values, evidence=evidence)
        return Outcome("ask", reason_of(next(iter(drafts.failed.values()), _ALL_BROKEN)), values, evidence)


def _attacked(drafts: QuestionDrafts, draftable: Draftable, breaker: DraftBreaker, ctx: Context) -> QuestionDrafts:
    assert draftable.pixels is not None, "a picture under attack was decoded"
    attacked = [
        breaker.attacked(draft, draftable.pixels, ctx.rng(draftable.record.image_id, draft.prompt, number))
        for number, draft in enumerate(drafts.questions)
    ]
    held = tuple(draft for draft in attacked if not breaker.takes_out(draft))
    broken = tuple(draft for draft in attacked if breaker.takes_out(draft))
    return drafts.model_copy(update={"questions": held, "broken": broken})
