"""The cost of a study: requests, tokens and price of each condition, computed from the questions themselves.

Four characters of text are taken as one token, and a picture as a number of tokens that the user may specify, since
servers differ. Both are estimates; the tokens of a reply are bounded by its largest length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.models.endpoints.usage import CHARACTERS_PER_TOKEN, TOKENS_PER_PICTURE, Tokens
from benchwright.texts.normalization import counted

from ..backends.base import Backend, parse_model
from ..backends.options import BackendOptions
from ..prompting.prompts import message_of
from ..prompting.question import Question
from ..prompting.release_files import check_files
from ..protocols.names import parse_protocol
from ..protocols.sampled import sampled

if TYPE_CHECKING:
    from benchwright.release import Release

    from .catalogue import Condition, Study


class ConditionCost(NamedTuple):
    """The cost of a model under a condition.

    Args:
        model: Name of the model.
        condition: Name of the condition.
        protocol: Protocol of the condition.
        items: Number of items asked.
        requests: Number of requests with one try each, including those to a model that describes pictures.
        pictures: Number of pictures sent.
        tokens: Estimated number of tokens sent, and the largest possible number received.
        cost: Largest possible cost of these tokens; None if there are no prices or the model is not on a server.
    """

    model: str
    condition: str
    protocol: str
    items: int
    requests: int
    pictures: int
    tokens: Tokens
    cost: float | None

    def document(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        tokens = {"prompt_tokens": self.tokens.prompt, "most_completion_tokens": self.tokens.completion}
        return {name: value for name, value in self._asdict().items() if name != "tokens"} | tokens


class StudyCost(NamedTuple):
    """The cost of a study: of each model under each condition."""

    conditions: tuple[ConditionCost, ...]

    @property
    def requests(self) -> int:
        """Return the total number of requests."""
        return sum(condition.requests for condition in self.conditions)

    @property
    def tokens(self) -> Tokens:
        """Return the total number of tokens."""
        tokens = Tokens(0, 0)
        for condition in self.conditions:
            tokens = tokens.plus(condition.tokens)
        return tokens

    @property
    def cost(self) -> float | None:
        """Return the largest possible cost of all requests, or None if there are no prices."""
        stated = [condition.cost for condition in self.conditions if condition.cost is not None]
        return sum(stated) if stated else None

    def document(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        return {
            "requests": self.requests,
            "prompt_tokens": self.tokens.prompt,
            "most_completion_tokens": self.tokens.completion,
            "most_cost": self.cost,
            "conditions": [condition.document() for condition in self.conditions],
        }

    def describe(self) -> str:
        """Return all figures as one line of text."""
        words = (
            f"{counted(self.requests, 'request')}; about {counted(self.tokens.prompt, 'token')} sent and at most "
            f"{self.tokens.completion:,} received"
        )
        return words if self.cost is None else f"{words}; at most {self.cost:,.4f} in the currency of the prices"


def cost_of(
    study: Study,
    release: Release,
    models: Sequence[str],
    *,
    options: BackendOptions,
    split: str | None = None,
    tokens_per_picture: int = TOKENS_PER_PICTURE,
) -> StudyCost:
    """Return the cost of a study without querying any model.

    Raises:
        BenchwrightError: A model or its options are invalid.
        DataError: The release is damaged.
    """
    check_files(release, split)
    backends = [parse_model(model, options) for model in models]
    return StudyCost(
        tuple(
            _cost(condition, release, backend, options, split, tokens_per_picture)
            for condition in study.conditions
            for backend in backends
        )
    )


def _cost(
    condition: Condition,
    release: Release,
    backend: Backend,
    options: BackendOptions,
    split: str | None,
    tokens_per_picture: int,
) -> ConditionCost:
    asked_by = parse_protocol(condition.protocol)
    effective = asked_by.decoding(options)
    protocol = sampled(asked_by, effective, backend)
    ask = protocol.outline().begin(release, split)
    items = requests = pictures = characters = 0
    for released in release.items(split, tasks=backend.tasks):
        if not protocol.takes(released.item):
            continue
        items += 1
        # Questions of later rounds depend on earlier replies: each counts as one request of the first questions' words.
        first = [entry.question for entry in ask(released, []) if entry.question is not None]
        requests += len(first) + protocol.rounds - 1
        for question in first:
            sizes = _size_of(question)
            characters, pictures = characters + sizes[0], pictures + sizes[1]
        if protocol.rounds > 1 and first:
            characters += (protocol.rounds - 1) * (_size_of(first[0])[0] + len(released.item.question))
    if not getattr(backend, "takes_fields", False):  # the model is not on a server
        return ConditionCost(backend.name, condition.name, condition.protocol, items, 0, pictures, Tokens(0, 0), None)
    sent = characters // CHARACTERS_PER_TOKEN + pictures * tokens_per_picture
    tokens = Tokens(sent, requests * effective.max_tokens)
    cost = None if options.prices is None else options.prices.cost(tokens)
    return ConditionCost(backend.name, condition.name, condition.protocol, items, requests, pictures, tokens, cost)


def _size_of(question: Question) -> tuple[int, int]:
    """Return the number of characters and the number of pictures in a question's message."""
    parts = message_of(question)
    return sum(len(part) for part in parts if isinstance(part, str)), sum(not isinstance(part, str) for part in parts)
