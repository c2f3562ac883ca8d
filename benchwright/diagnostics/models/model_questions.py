"""Questions to a model at an endpoint, with or without a picture, several at a time; failures are answers too.

Steps that query a model at an endpoint about items share this code for questions and answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from pydantic import Field

from benchwright.errors import RequestFailed, UnreadableImage
from benchwright.models.endpoints.chat import Chat, ChatSettings
from benchwright.records import Item
from benchwright.replies.answers import read_answer
from benchwright.steps import Context, MapStep, OpenContext, Outcome, Step, Stream

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchwright.models.endpoints.reply_store import ReplyStore


FAILED, UNCLEAR = "failed", "unclear"
PixelsOf = Callable[[str], "NDArray[np.uint8]"]
"""Function from a picture's id to its pixels, (height, width, 3) RGB; raises `UnreadableImage` if decoding fails."""
YES_NO = (("Y", "yes"), ("N", "no"))
"""Choices of a yes-or-no question, in the form of the reply reader."""
_WAITING = 4
"""Number of questions per thread whose pictures are decoded in advance."""
_KEPT_CHARACTERS = 2000


class ImageQuestion(NamedTuple):
    """A question about a picture.

    Args:
        image_id: Id of the picture; None for a question without one.
        question: Text of the question.
        choices: Letter and text of each option offered; empty for a free or yes-or-no answer.
    """

    image_id: str | None
    question: str
    choices: tuple[tuple[str, str | None], ...] = ()


class ModelAnswer(NamedTuple):
    """The reply to a question.

    Args:
        said: The parsed reply, such as `yes`; `unclear` if it cannot be parsed, `failed` if there is none.
        reply: The text of the reply, or the reason for the failure.
    """

    said: str
    reply: str

    def to_json(self) -> dict[str, str]:
        """Return the answer as JSON values."""
        return self._asdict()


def read_yes_no(reply: str) -> Literal["yes", "no", "unclear"]:
    """Return `yes` or `no` as a reply states it, by the common reply reader; `unclear` if it states neither or both.

    Example:
        >>> read_yes_no("**Yes**, no doubt"), read_yes_no("The answer is no."), read_yes_no("Yes or no?")
        ('yes', 'no', 'unclear')
    """
    letter = read_answer(reply, YES_NO).letter
    return "unclear" if letter is None else "yes" if letter == "Y" else "no"


def read_choice(reply: str, choices: Sequence[tuple[str, str | None]]) -> str:
    """Return the letter of the option that a reply picks; `unclear` if it picks none or several.

    Example:
        >>> read_choice("I pick the owl.", [("A", "a dog"), ("B", "an owl")])
        'B'
    """
    return read_answer(reply, choices).letter or UNCLEAR


class QuestionAsker:
    """A model that answers questions; each question is sent once.

    Args:
        settings: Endpoint and settings of the model.
        concurrency: Number of simultaneous requests.
        replies: Store of replies; None if they are not kept.
        read: Function that parses the reply to a question without choices; by default, as yes or no.
    """

    def __init__(
        self,
        settings: ChatSettings,
        *,
        concurrency: int,
        replies: ReplyStore | None = None,
        read: Callable[[str], str] = read_yes_no,
    ) -> None:
        self._chat = Chat(settings, concurrency=concurrency, replies=replies)
        self._concurrency = concurrency
        self._read = read
        self._known: dict[ImageQuestion, ModelAnswer] = {}

    def answers(self, questions: Sequence[ImageQuestion], pixels_of: PixelsOf) -> dict[ImageQuestion, ModelAnswer]:
        """Return the answers to questions; a request that fails yields an answer `failed`.

        Args:
            questions: The questions, in any number; some of them may be equal.
            pixels_of: Decoder of their pictures, called in one thread.

        Raises:
            PrerequisiteError: No request can succeed.
        """
        new = iter([question for question in dict.fromkeys(questions) if question not in self._known])
        with ThreadPoolExecutor(self._concurrency) as threads:
            while some := list(islice(new, _WAITING * self._concurrency)):
                pictures = dict(_decoded(some, pixels_of))
                answers = threads.map(
                    lambda question, seen=pictures: self._one(question, seen.get(question.image_id)), some
                )
                self._known |= dict(zip(some, answers, strict=True))
        return {question: self._known[question] for question in questions}

    def close(self) -> None:
        """Close all connections."""
        self._chat.close()

    def _one(self, question: ImageQuestion, picture: NDArray[np.uint8] | str | None) -> ModelAnswer:
        if isinstance(picture, str):
            return ModelAnswer(FAILED, picture)
        try:
            reply = self._chat.ask(*([] if picture is None else [picture]), question.question)
        except RequestFailed as error:
            return ModelAnswer(FAILED, f"{error.reason}: {error.detail}")
        said = read_choice(reply, question.choices) if question.choices else self._read(reply)
        return ModelAnswer(said, reply[:_KEPT_CHARACTERS])


def _decoded(questions: Sequence[ImageQuestion], pixels_of: PixelsOf) -> Iterator[tuple[str, Any]]:
    """Yield each picture, or the reason why decoding fails; in one thread, since readers are not thread-safe."""
    for image_id in dict.fromkeys(question.image_id for question in questions if question.image_id is not None):
        try:
            yield image_id, pixels_of(image_id)
        except UnreadableImage as error:
            yield image_id, f"{error.reason}: {error.detail}"


NO_ANSWER = "no_answer"


class AsksModel(Step):
    """A step that asks a model at an endpoint."""

    chat: ChatSettings
    concurrency: int = Field(4, ge=1, le=64)

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the answers, which excludes timeouts, retries and concurrency."""
        settings = {name: value for name, value in super().parameters().items() if name != "concurrency"}
        return {**settings, "chat": self.chat.deciding()}


class AsksEachItem(AsksModel, MapStep):
    """Ask the model about items, several questions at a time; a subclass supplies the questions."""

    consumes: ClassVar[Stream] = "items"
    costly: ClassVar[bool] = True

    def open(self, ctx: OpenContext) -> QuestionAsker:
        """Connect to the model."""
        return QuestionAsker(self.chat, concurrency=self.concurrency, replies=ctx.replies)

    def one(self, record: Item, ctx: Context) -> Outcome:
        """Ask the model about one item."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[Item], ctx: Context) -> Sequence[Outcome]:
        """Ask the model about items; a question that several items share is asked once."""
        wanted = [self.questions(item) for item in records]
        asker: QuestionAsker = ctx.opened
        answers = asker.answers(
            [question for questions in wanted for question in questions.values()],
            lambda image_id: ctx.images.rgb(ctx.image(image_id)),
        )
        return [
            self.outcome(item, {name: answers[question] for name, question in questions.items()})
            if questions
            else Outcome()
            for item, questions in zip(records, wanted, strict=True)
        ]

    def questions(self, item: Item) -> Mapping[str, ImageQuestion]:
        """Return the questions about an item, by name; empty if the step does not apply to the item."""
        raise NotImplementedError

    def outcome(self, item: Item, answers: Mapping[str, ModelAnswer]) -> Outcome:
        """Return the outcome that follows from the answers: values and evidence."""
        raise NotImplementedError
