"""A question as a model sees it: pictures, marks, words and options, never the answer or how the item was made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from benchwright.records import Choice, VisualPrompt

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from benchwright.models.endpoints.completions import Completion
    from benchwright.models.endpoints.usage import Tokens
    from benchwright.models.endpoints.vendors.reply_kinds import ReplyKind
    from benchwright.records import Item
    from benchwright.release.format.later_pictures import LaterItem


class Released(Protocol):
    """An item in the form in which a release yields it, together with its files."""

    @property
    def item(self) -> Item:
        """The item's record, including the answer."""

    @property
    def split(self) -> str:
        """Name of the split."""

    @property
    def images(self) -> Mapping[str, bytes]:
        """Bytes of the files, by image id."""


@dataclass(frozen=True, slots=True)
class QuestionImage:
    """A picture in a question.

    Args:
        image_id: SHA-256 of `data`.
        prompts: Marks to draw, in the coordinates of the upright image.
        data: Bytes of the file, without the marks.
        drawn: Bytes of the release's file with these marks drawn; None if there is none.
        is_scaled: Whether a protocol has scaled the picture, so that `scaled_pictures` draws its marks.
    """

    image_id: str
    prompts: tuple[VisualPrompt, ...]
    data: bytes = field(repr=False)
    drawn: bytes | None = field(default=None, repr=False, compare=False)
    is_scaled: bool = field(default=False, compare=False)

    def content(self) -> dict[str, Any]:
        """Return the content as JSON values: the hash of the file, and the marks."""
        return {"image_id": self.image_id, "prompts": [prompt.model_dump(mode="json") for prompt in self.prompts]}


class LaterImage(QuestionImage):
    """A picture in a question whose files are read on each access; a picture sent to a worker carries them along.

    Args:
        image_id: SHA-256 of the file.
        prompts: Marks to draw, in the coordinates of the upright image.
        place: Index of the picture among the item's pictures.
        released: Item that shows the picture.
    """

    __slots__ = ("_place", "_released")
    _place: int
    _released: LaterItem

    def __init__(self, image_id: str, prompts: tuple[VisualPrompt, ...], place: int, released: LaterItem) -> None:
        for name, value in (("image_id", image_id), ("prompts", prompts), ("is_scaled", False)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_place", place)
        object.__setattr__(self, "_released", released)

    @property
    def data(self) -> bytes:
        """Bytes of the file, without the marks."""
        return self._released.images[self.image_id]

    @property
    def drawn(self) -> bytes | None:
        """Bytes of the release's file in which these marks are drawn; None if there is no such file."""
        drawn = self._released.drawn
        return drawn[self._place] if drawn else None

    def __reduce__(self) -> tuple[type[QuestionImage], tuple[Any, ...]]:
        return QuestionImage, (self.image_id, self.prompts, self.data, self.drawn)


Part = str | QuestionImage
"""A part of a message: words, or a picture to be sent with its marks drawn."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, in the form that every backend receives.

    Args:
        item_id: Id that the reply carries: the item's id; if a protocol asks an item more than once, the item's id with
            the variant after a full stop, such as `<item>.r2`.
        task: Task of the item.
        text: Text of the question, which may place pictures.
        pictures: Pictures in display order.
        choices: Options, with keys A, B, C, ... as in this question.
        message: Parts of the message if the protocol words it; None for the plain wording (`prompts.message_of`).
        draw: Number of the sample, from 1, if several replies to one question are sampled.
    """

    item_id: str
    task: str
    text: str
    pictures: tuple[QuestionImage, ...]
    choices: tuple[Choice, ...]
    message: tuple[Part, ...] | None = None
    draw: int = 1

    def content(self) -> dict[str, Any]:
        """Return the whole question except for the item's id, as JSON values, with hashes in place of pictures."""
        return {
            "task": self.task,
            "text": self.text,
            "pictures": [picture.content() for picture in self.pictures],
            "choices": [choice.model_dump(mode="json") for choice in self.choices],
            "message": None
            if self.message is None
            else [part if isinstance(part, str) else part.content() for part in self.message],
        }

    def picture_of(self, choice: Choice) -> QuestionImage | None:
        """Return the picture that an option shows, or None for an option in words."""
        return next((p for p in self.pictures if choice.image_id == p.image_id), None)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply to a question: a text, or an error with its cause.

    Args:
        item_id: Id of the question.
        text: Text of the reply.
        error: Reason there is no text.
        letter: Letter, if the reply consists of one; the text is then not read.
        tokens: Tokens of the reply, if the backend counts them.
        request: Key of the answered request, if equal questions share one.
        is_cut_off: Whether the text was cut off at the limit on a reply's length.
        kind: Kind of the response if a model's server sent it; None for replies from programs and files.
        finish: Reason the reply ended, as given by the server.
        cause: Reason the response is not an answer, as text.
        in_batch: Whether the reply came in a batch, at half the price.
    """

    item_id: str
    text: str | None = None
    error: str | None = None
    letter: str | None = None
    tokens: Tokens | None = None
    is_cut_off: bool = False
    request: str | None = None
    kind: ReplyKind | None = None
    finish: str | None = None
    cause: str | None = None
    in_batch: bool = False

    def __post_init__(self) -> None:
        if (self.text is None) == (self.error is None):
            raise ValueError(f"reply to {self.item_id} needs either a text or an error")

    @classmethod
    def of(cls, item_id: str, completion: Completion, request: str | None = None) -> Reply:
        """Return a completion as the reply to a question; `request` is the key of the answered request.

        An empty completion is not a reply: its cause becomes the error.
        """
        silent = completion.is_silent
        return cls(
            item_id,
            text=None if silent else completion.text,
            error=(completion.cause or "the reply has no text") if silent else None,
            tokens=completion.tokens,
            is_cut_off=completion.kind == "cut_off",
            request=request,
            kind=completion.kind,
            finish=completion.finish,
            cause=completion.cause,
            in_batch=completion.in_batch,
        )

    @property
    def silence(self) -> str | None:
        """The reason why the model gave no words: an error, or a reply that was cut off before its first word."""
        if self.error is not None:
            return self.error
        return self.cause if self.kind == "cut_off" else None


def item_of(asked_id: str) -> str:
    """Return the id of the item to which a question id belongs."""
    return asked_id.partition(".")[0]


def question_of(released: Released) -> Question:
    """Return the parts of a released item that a model is allowed to see."""
    # Loaded with the first question: a run without changes asks none.
    from benchwright.release.format.later_pictures import LaterItem

    item = released.item
    if isinstance(released, LaterItem):
        return _with_pictures(
            item, (LaterImage(image.image_id, image.prompts, i, released) for i, image in enumerate(item.images))
        )
    drawn = getattr(released, "drawn", ()) or (None,) * len(item.images)  # none in releases of version 1
    return _with_pictures(
        item,
        (
            QuestionImage(image.image_id, image.prompts, released.images[image.image_id], seen)
            for image, seen in zip(item.images, drawn, strict=True)
        ),
    )


def _with_pictures(item: Item, pictures: Iterable[QuestionImage]) -> Question:
    return Question(item.item_id, item.task, item.question, tuple(pictures), item.choices)
