"""The base of protocols: named settings that turn an item into questions and their judged replies into one verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from ..metrics.base import State, chance_of, is_right
from ..prompting.question import Question, Released

if TYPE_CHECKING:
    from pathlib import Path

    from benchwright.records import Item
    from benchwright.release import Release

    from ..backends.options import BackendOptions

AttemptState = Literal["answered", "miss", "refusal", "cut_off", "error", "caption"]


class ProtocolQuestion(NamedTuple):
    """One question that a protocol asks about an item.

    Args:
        variant: Name among the item's questions, in letters and digits; empty for a single one.
        question: Question for backends; None if it cannot be asked, with the reason in `cause`.
        keys: Item's own letter for each letter in the question; empty if the reply is not an answer, such as a caption.
        cause: Reason why the question cannot be asked.
        note: Changes to its pictures, as JSON values.
    """

    variant: str
    question: Question | None
    keys: Mapping[str, str]
    cause: str | None = None
    note: Mapping[str, Any] | None = None


class JudgedReply(NamedTuple):
    """Judged reply to one question. `letter` and `robust` are the item's own letters, whatever the question showed.

    Args:
        variant: Variant of the question.
        round: Number of the round, from 0.
        state: State of the reply.
        letter: Item's own letter of the named option.
        said: Letter as shown in the question.
        right: Whether the letter answers the item.
        read_by: Rule or reader that found the letter.
        reply: Text of the reply.
        cause: Cause of an error.
        robust: Letter that the robust reader finds in the same reply.
        note: Changes to the pictures, as canonical JSON.
        is_cut_off: Whether the reply ends at the limit on its length; it may still contain an answer.
        reply_kind: Kind of the response from a model's server; None if there is no server.
        finish: Reason the reply ended, as given by the server.
    """

    variant: str
    round: int
    state: AttemptState
    letter: str | None = None
    said: str | None = None
    right: bool = False
    read_by: str | None = None
    reply: str | None = None
    cause: str | None = None
    robust: str | None = None
    note: str | None = None
    is_cut_off: bool = False
    reply_kind: str | None = None
    finish: str | None = None


class ItemVerdict(NamedTuple):
    """Verdict of a protocol on an item's attempts."""

    state: State
    letter: str | None
    right: bool


Ask = Callable[[Released, Sequence[JudgedReply]], Sequence[ProtocolQuestion]]
"""Function from an item and its replies of earlier rounds to the questions of this round."""


class Protocol(BaseModel):
    """Base of all protocols: immutable settings, which are stored with every score."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    source: ClassVar[str]
    """Source of the protocol: paper and section."""
    rounds: ClassVar[int] = 1
    """Number of passes over the release; later rounds see the replies of earlier ones."""
    repeats: ClassVar[bool] = False
    """Whether first questions are repetitions that metrics count individually, not parts of one verdict."""
    asks_once: ClassVar[bool] = True
    """Whether an item is asked one question per round, so that several replies to it can be drawn."""

    @property
    def text(self) -> str:
        """Return the protocol in command-line form: its name, and all settings that differ from the defaults."""
        usual = {name: field.get_default() for name, field in type(self).model_fields.items()}
        settings = self.model_dump(mode="json")
        changed = [f"{name}={_spelled(value)}" for name, value in sorted(settings.items()) if value != usual[name]]
        return f"{self.name}:{','.join(changed)}" if changed else self.name

    def settings(self) -> dict[str, Any]:
        """Return the name and all settings as JSON values."""
        return {"name": self.name, **self.model_dump(mode="json")}

    def takes(self, item: Item) -> bool:
        """Return whether an item can be asked under this protocol; other items are not asked."""
        del item
        return True

    def begin(self, release: Release, split: str | None) -> Ask:
        """Return the function that asks the items of a split, or of all splits, after the protocol has read what it
        needs.
        """
        del release, split
        return self.ask

    def outline(self) -> Protocol:
        """Return a protocol for counting, which asks as many questions in the same words without preparing pictures."""
        return self

    def files(self) -> tuple[Path, ...]:
        """Return the files that affect how items are asked, so that stored results reveal a change in them."""
        return ()

    def ask(self, released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
        """Return the questions of a round, or none if no questions are left."""
        raise NotImplementedError

    def model_of_round(self, round_number: int, options: BackendOptions) -> tuple[str, BackendOptions] | None:
        """Return the model to ask in a round, with its options; None for the model being scored."""
        del round_number, options
        return None

    def decoding(self, options: BackendOptions) -> BackendOptions:
        """Return a backend's options with this protocol's changes."""
        return options

    def chance(self, item: Item) -> float:
        """Return the probability, 0 to 1, that uniformly drawn letters answer the item correctly."""
        return chance_of(item)

    def region_iou(self, item: Item, attempts: Sequence[JudgedReply]) -> float | None:
        """Return how well an item's attempts locate the region that justifies its answer, 0 to 1; None if no region was
        requested.
        """
        del item, attempts
        return None

    def verdict(self, item: Item, attempts: Sequence[JudgedReply]) -> ItemVerdict:
        """Return the verdict on an item's attempts; in this base class, the verdict on the only attempt."""
        del item
        last = attempts[-1]
        assert last.state != "caption"
        return ItemVerdict(last.state, last.letter, last.right)


def reread(item: Item, attempts: Sequence[JudgedReply]) -> list[JudgedReply]:
    """Return attempts as read by the robust reader."""
    return [
        attempt._replace(letter=attempt.robust, right=is_right(item, attempt.robust), state=_state_of(attempt))
        for attempt in attempts
    ]


def worst_state(attempts: Sequence[JudgedReply]) -> State:
    """Return the most severe state: an error, a reply cut off, a miss, a refusal, or none of these."""
    states = {attempt.state for attempt in attempts}
    order: tuple[State, ...] = ("error", "cut_off", "miss", "refusal")
    return next((state for state in order if state in states), "answered")


def most_frequent_letter(attempts: Sequence[JudgedReply]) -> str | None:
    """Return the item's letter that is named most often; if letters tie, return the one named first."""
    letters = [attempt.letter for attempt in attempts if attempt.letter is not None]
    return max(dict.fromkeys(letters), key=letters.count, default=None)


def _state_of(attempt: JudgedReply) -> AttemptState:
    if attempt.state in {"error", "caption"}:
        return attempt.state
    if attempt.robust is not None:
        return "answered"
    return attempt.state if attempt.state in {"refusal", "cut_off"} else "miss"


def _spelled(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
