"""Cost of requests: tokens as servers count them, prices that users state, and budgets that end a run in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from benchwright.errors import BenchwrightError, CheckFailed
from benchwright.texts.normalization import counted

CHARACTERS_PER_TOKEN = 4
"""Characters of a text that are counted as a token where cost is planned."""
TOKENS_PER_PICTURE = 765
"""What OpenAI's GPT-4o counts for a picture of 1,024 by 1,024 pixels: 85 and four tiles of 170."""

PRICE_SHARE = 0.5
"""Share of a request's price that it costs in a batch: at OpenAI, Anthropic and Gemini alike."""


class Tokens(NamedTuple):
    """Tokens of one or more replies, as the server states them; `reasoning` counts tokens of `completion` not shown."""

    prompt: int
    completion: int
    reasoning: int = 0

    def plus(self, more: Tokens) -> Tokens:
        """Return the sum of both."""
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
        reply: Price of each reply, such as a picture, whatever tokens it takes.
    """

    prompt: float
    completion: float
    reply: float = 0.0

    @classmethod
    def of(cls, prompt: float | None, completion: float | None) -> Self | None:
        """Return the prices, None where neither is stated.

        Raises:
            ValueError: Only one of them is stated.
        """
        if (prompt is None) != (completion is None):
            raise ValueError("give both price_in and price_out, 0 where tokens cost nothing, or neither")
        return None if prompt is None or completion is None else cls(prompt, completion)

    def cost(self, tokens: Tokens, *, replies: int = 0) -> float:
        """Return the cost of tokens, and of replies where each has a price."""
        return (tokens.prompt * self.prompt + tokens.completion * self.completion) / 1_000_000 + replies * self.reply


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits on what one run may spend; None for no limit.

    Args:
        cost: Limit on cost, in the currency of the prices.
        tokens: Limit on tokens, sent and received together.
        requests: Limit on requests, repetitions included.
    """

    cost: float | None = None
    tokens: int | None = None
    requests: int | None = None

    @property
    def needs_usage(self) -> bool:
        """Return whether the budget can be enforced only if the server counts tokens."""
        return self.cost is not None or self.tokens is not None


class BudgetSpent(CheckFailed):
    """A run ended because its budget is spent; everything that was received is in the log."""


class Spending:
    """Spending of a run so far, compared with its budget before each request.

    A request is sent only if the sum of past spending, requests under way and the request itself fits, at the mean cost
    of the replies so far. That mean is unknown before the first reply, so if tokens or cost are limited, the first
    request goes alone. A budget is therefore exceeded at most by the difference of replies from their mean.
    """

    def __init__(self, budget: Budget, prices: Prices | None) -> None:
        if budget.cost is not None and prices is None:
            raise BenchwrightError(
                "a budget in money needs prices: give --price-in and --price-out, or bound --budget-tokens"
            )
        self._budget, self._prices = budget, prices
        self.is_limited = budget != Budget()
        self.requests = self.replies = self.under_way = 0
        self.tokens = Tokens(0, 0)
        self._saved = 0.0
        self._uncounted: BenchwrightError | None = None

    @property
    def cost(self) -> float | None:
        """Return the cost of the replies so far; None without prices."""
        return None if self._prices is None else self._prices.cost(self.tokens, replies=self.replies) - self._saved

    @property
    def goes_alone(self) -> bool:
        """Return whether no second request may be under way, because the first has yet to show the cost of one."""
        return self._budget.needs_usage and self.replies == 0

    def sends(self, price_share: float = 1.0) -> bool:
        """Count a request that is about to be sent; return False, and count nothing, if the budget forbids it.

        Args:
            price_share: Share of the prices that it costs, such as 0.5 in a batch.

        Raises:
            BenchwrightError: `ended` has raised it before.
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
        """Count requests under way that an earlier run has sent."""
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
                    "the server does not say how many tokens a reply took, so no budget of tokens or money can be "
                    "kept; bound --budget-requests instead"
                )
                raise self._uncounted
            return
        self.replies += 1
        self.tokens = self.tokens.plus(tokens)
        if self._prices is not None:
            self._saved += self._prices.cost(tokens) * (1 - price_share)

    def describe(self) -> str:
        """Return a line about the spending."""
        words = (
            f"{counted(self.requests, 'request')}, {counted(self.tokens.prompt, 'token')} sent and "
            f"{self.tokens.completion} received"
        )
        return words if self.cost is None else f"{words}, cost {self.cost:.4f}"


class RequestPlan(NamedTuple):
    """What a step would ask a model, and cost at most, before it is asked.

    Args:
        model: Model, as the endpoint calls it.
        purpose: What it is asked for, in a few words.
        requests: Most requests at one try each, repairs of replies included.
        pictures: Most pictures that are sent.
        tokens: Estimate of the tokens sent, and the most that are received.
        prices: Prices of tokens; None where none are stated.
    """

    model: str
    purpose: str
    requests: int
    pictures: int
    tokens: Tokens
    prices: Prices | None = None

    @property
    def cost(self) -> float | None:
        """Return the most that it costs; None without prices."""
        return None if self.prices is None else round(self.prices.cost(self.tokens, replies=self.requests), 6)

    def describe(self) -> str:
        """Return the plan as a line."""
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
