"""The cost of requests: tokens counted by servers, prices stated by users, and budgets that stop a run in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from benchwright.errors import BenchwrightError, CheckFailed
from benchwright.texts.normalization import counted

CHARACTERS_PER_TOKEN = 4
"""Number of characters per token that cost plans assume."""
TOKENS_PER_PICTURE = 765
"""OpenAI's token count in GPT-4o for a picture of 1,024 by 1,024 pixels: 85 and four tiles of 170."""

PRICE_SHARE = 0.5
"""Price of a request in a batch as a proportion of the usual price; equal at OpenAI, Anthropic and Gemini."""


class Tokens(NamedTuple):
    """Tokens of one or more replies, as stated by the server; `reasoning` is the number hidden in `completion`."""

    prompt: int
    completion: int
    reasoning: int = 0

    def plus(self, more: Tokens) -> Tokens:
        """Return the sum of these tokens and the given ones."""
        return Tokens(*map(sum, zip(self, more, strict=True)))

    @property
    def total(self) -> int:
        """Return the number of tokens sent and received."""
        return self.prompt + self.completion


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices, in any currency.

    Args:
        prompt: Price of a million tokens sent.
        completion: Price of a million tokens received.
        reply: Price of each reply, such as a picture, regardless of tokens.
    """

    prompt: float
    completion: float
    reply: float = 0.0

    @classmethod
    def of(cls, prompt: float | None, completion: float | None) -> Self | None:
        """Return the prices; None if neither price is given.

        Raises:
            ValueError: Only one of them is given.
        """
        if (prompt is None) != (completion is None):
            raise ValueError("give both price_in and price_out, 0 for free tokens, or neither")
        return None if prompt is None or completion is None else cls(prompt, completion)

    def cost(self, tokens: Tokens, *, replies: int = 0) -> float:
        """Return the cost of tokens, plus that of replies if replies have a price."""
        return (tokens.prompt * self.prompt + tokens.completion * self.completion) / 1_000_000 + replies * self.reply


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits on the spending of one run; None for no limit.

    Args:
        cost: Limit on cost, in the currency of the prices.
        tokens: Limit on tokens, sent and received together.
        requests: Limit on requests, including retries.
    """

    cost: float | None = None
    tokens: int | None = None
    requests: int | None = None

    @property
    def needs_usage(self) -> bool:
        """Return whether the budget can be enforced only if the server counts tokens."""
        return self.cost is not None or self.tokens is not None


class BudgetSpent(CheckFailed):
    """A run ended because its budget is spent; the log contains everything received."""


class Spending:
    """A run's spending so far, compared with its budget before each request.

    A request is sent only if past spending, requests in progress and the request itself fit in the budget, at the mean
    cost of replies so far. That mean is unknown before the first reply, so if tokens or cost are limited, the first
    request goes alone. Spending therefore exceeds a budget at most by the difference of replies from their mean.
    """

    def __init__(self, budget: Budget, prices: Prices | None) -> None:
        if budget.cost is not None and prices is None:
            raise BenchwrightError(
                "a budget in money needs prices: give --price-in and --price-out, or set --budget-tokens"
            )
        self._budget, self._prices = budget, prices
        self.is_limited = budget != Budget()
        self.requests = self.replies = self.under_way = 0
        self.tokens = Tokens(0, 0)
        self._saved = 0.0
        self._uncounted: BenchwrightError | None = None

    @property
    def cost(self) -> float | None:
        """Return the cost of the replies so far; None if there are no prices."""
        return None if self._prices is None else self._prices.cost(self.tokens, replies=self.replies) - self._saved

    @property
    def goes_alone(self) -> bool:
        """Return whether only one request may be in progress, because the cost of a request is still unknown."""
        return self._budget.needs_usage and self.replies == 0

    def sends(self, price_share: float = 1.0) -> bool:
        """Count a request before it is sent; return False, without counting it, if the budget forbids it.

        Args:
            price_share: Factor on the request's prices, such as 0.5 in a batch.

        Raises:
            BenchwrightError: The error that `ended` raised before.
        """
        if self._uncounted is not None:
            raise self._uncounted
        budget, ahead = self._budget, self.under_way + 1
        share = ahead / self.replies if self.replies else 0.0
        used = self.tokens.total
        if budget.requests is not None and self.requests >= budget.requests:
            return False
        if budget.tokens is not None and (used >= budget.tokens or used * (1 + share) > budget.tokens):
            return False
        if budget.cost is not None:
            cost, full = self.cost or 0.0, (self.cost or 0.0) + self._saved
            if cost >= budget.cost or cost + full * share * price_share > budget.cost:
                return False
        self.requests += 1
        self.under_way += 1
        return True

    def resumes(self, number: int) -> None:
        """Count the requests that an earlier run sent and that are still in progress."""
        self.under_way += number

    def ended(self, tokens: Tokens | None, *, answered: bool, price_share: float = 1.0) -> None:
        """Count a request that has ended, with or without an answer.

        Raises:
            BenchwrightError: Tokens or cost are limited and the server does not count tokens.
        """
        self.under_way -= 1
        if not answered:
            return
        if tokens is None:
            if self._budget.needs_usage:
                self._uncounted = BenchwrightError(
                    "the server does not state a reply's tokens, so a budget of tokens or money cannot be enforced; "
                    "bound --budget-requests instead"
                )
                raise self._uncounted
            return
        self.replies += 1
        self.tokens = self.tokens.plus(tokens)
        if self._prices is not None:
            self._saved += self._prices.cost(tokens) * (1 - price_share)

    def describe(self) -> str:
        """Return a one-line description of the spending."""
        words = (
            f"{counted(self.requests, 'request')}, {counted(self.tokens.prompt, 'token')} sent and "
            f"{self.tokens.completion} received"
        )
        return words if self.cost is None else f"{words}, cost {self.cost:.4f}"


class RequestPlan(NamedTuple):
    """The requests of a step to a model and their maximum cost, before the step sends any.

    Args:
        model: Name of the model at the endpoint.
        purpose: Purpose of the requests, in a few words.
        requests: Largest number of requests with one attempt each, including repairs of replies.
        pictures: Largest number of pictures sent.
        tokens: Estimated number of tokens sent, and largest number received.
        prices: Prices of tokens; None if unstated.
    """

    model: str
    purpose: str
    requests: int
    pictures: int
    tokens: Tokens
    prices: Prices | None = None

    @property
    def cost(self) -> float | None:
        """Return the maximum cost; None if there are no prices."""
        return None if self.prices is None else round(self.prices.cost(self.tokens, replies=self.requests), 6)

    def describe(self) -> str:
        """Return a one-line description of the plan."""
        price = "no prices stated" if self.cost is None else f"at most {self.cost:,.4f}"
        return (
            f"{self.model}, {self.purpose}: at most {counted(self.requests, 'request')} with "
            f"{counted(self.pictures, 'picture')}, about {counted(self.tokens.prompt, 'token')} sent, at most "
            f"{self.tokens.completion:,} received; {price}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        return {
            "model": self.model, "purpose": self.purpose, "requests": self.requests, "pictures": self.pictures,
            "prompt_tokens": self.tokens.prompt, "most_completion_tokens": self.tokens.completion, "cost": self.cost,
        }  # fmt: skip
