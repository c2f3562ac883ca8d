"""Yes/no questions to a vision-language model behind an endpoint, several at a time; what fails is an answer too.

Steps that ask a model behind an endpoint about items have their questions and answers in common.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from pydantic import Field

from benchwright.errors import RequestFailed, UnreadableImage
from benchwright.models.chat import Chat, ChatSettings
from benchwright.records import ImageRecord, Item
from benchwright.steps import Context, MapStep, OpenContext, Outcome, Step, Stream

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


SaidYesNo = Literal["yes", "no", "unclear", "failed"]
_WORD = re.compile(r"\b(yes|no)\b", re.I)
_WAITING = 4
"""Questions whose pictures are decoded ahead, by thread."""
_KEPT_CHARACTERS = 2000


class ImageQuestion(NamedTuple):
    """A question about a picture."""

    image_id: str
    question: str


class ModelAnswer(NamedTuple):
    """What came back.

    Args:
        said: `unclear` where the reply is neither, `failed` where there is none.
        reply: In so many words; where it failed, why.
    """

    said: SaidYesNo
    reply: str

    def to_json(self) -> dict[str, str]:
        """Return the answer as JSON values."""
        return self._asdict()


def read_yes_no(reply: str) -> SaidYesNo:
    """Return what a reply says: its first word, else the only one of `yes` and `no` that stands in it.

    Example:
        >>> read_yes_no("**Yes**, no doubt"), read_yes_no("The answer is no."), read_yes_no("Yes or no?")
        ('yes', 'no', 'yes')
    """
    words = [word.lower() for word in _WORD.findall(reply)]
    first = re.match(r"\W*(yes|no)\b", reply, re.I)
    if first is None and len(set(words)) != 1:
        return "unclear"
    return "yes" if (first[1].lower() if first else words[0]) == "yes" else "no"


class Asker:
    """A model that answers yes/no questions about pictures, none of them twice."""

    def __init__(self, settings: ChatSettings, *, concurrency: int) -> None:
        self._chat = Chat(settings)
        self._concurrency = concurrency
        self._known: dict[ImageQuestion, ModelAnswer] = {}

    def answers(self, asked: Sequence[ImageQuestion], ctx: Context) -> dict[ImageQuestion, ModelAnswer]:
        """Return the answers to these questions; a request that fails is an answer `failed`.

        Raises:
            PrerequisiteError: No request can succeed.
        """
        new = iter([one for one in dict.fromkeys(asked) if one not in self._known])
        with ThreadPoolExecutor(self._concurrency) as threads:
            while some := list(islice(new, _WAITING * self._concurrency)):
                pictures = dict(_decoded(some, ctx))
                found = threads.map(lambda one, seen=pictures: self._one(one, seen[one.image_id]), some)
                self._known |= dict(zip(some, found, strict=True))
        return {one: self._known[one] for one in asked}

    def close(self) -> None:
        """Close all connections."""
        self._chat.close()

    def _one(self, asked: ImageQuestion, picture: NDArray[np.uint8] | str) -> ModelAnswer:
        if isinstance(picture, str):
            return ModelAnswer("failed", picture)
        try:
            reply = self._chat.ask(picture, asked.question)
        except RequestFailed as error:
            return ModelAnswer("failed", f"{error.reason}: {error.detail}")
        return ModelAnswer(read_yes_no(reply), reply[:_KEPT_CHARACTERS])


def _decoded(asked: Sequence[ImageQuestion], ctx: Context) -> Iterator[tuple[str, Any]]:
    """Yield each picture, or why it cannot be decoded; one after the other, since readers are not for threads."""
    for image_id in dict.fromkeys(one.image_id for one in asked):
        record: ImageRecord = ctx.image(image_id)
        try:
            yield image_id, ctx.images.rgb(record)
        except UnreadableImage as error:
            yield image_id, f"{error.reason}: {error.detail}"


NO_ANSWER = "no_answer"


class AsksModel(Step):
    """A step that asks a model behind an endpoint."""

    chat: ChatSettings
    concurrency: int = Field(4, ge=1, le=64)

    def parameters(self) -> dict[str, Any]:
        """Return what decides the answers; how patiently and how many at a time does not."""
        settings = {name: value for name, value in super().parameters().items() if name != "concurrency"}
        return {**settings, "chat": self.chat.deciding()}


class AsksEachItem(AsksModel, MapStep):
    """Ask the model about items, several questions at a time; each kind of question is a step of its own."""

    consumes: ClassVar[Stream] = "items"
    costly: ClassVar[bool] = True

    def open(self, ctx: OpenContext) -> Asker:
        """Connect to the model."""
        del ctx
        return Asker(self.chat, concurrency=self.concurrency)

    def one(self, record: Item, ctx: Context) -> Outcome:
        """Ask about one item."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[Item], ctx: Context) -> Sequence[Outcome]:
        """Ask about items; questions that several share are asked once."""
        wanted = [self.questions(item) for item in records]
        asker: Asker = ctx.opened
        answers = asker.answers([one for asked in wanted for one in asked.values()], ctx)
        return [
            self.outcome(item, {name: answers[one] for name, one in asked.items()}) if asked else Outcome()
            for item, asked in zip(records, wanted, strict=True)
        ]

    def questions(self, item: Item) -> Mapping[str, ImageQuestion]:
        """Return what is asked about an item, by name; nothing of items that this is not about."""
        raise NotImplementedError

    def outcome(self, item: Item, answers: Mapping[str, ModelAnswer]) -> Outcome:
        """Return what the answers say, as values and evidence."""
        raise NotImplementedError
