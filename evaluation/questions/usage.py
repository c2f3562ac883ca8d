"""Cost of requests: tokens as servers count them, prices as users state them, and budgets that end a run in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from benchwright.errors import BenchwrightError, CheckFailed


class Tokens(NamedTuple):
    """Tokens of one or more replies, as the server states them; `reasoning` are those of `completion` not shown."""

    prompt: int
    completion: int
    reasoning: int = 0

    def plus(self, more: Tokens) -> Tokens:
        """Return the sum of both."""
        return Tokens(*map(sum, zip(self, more, strict=True)))

    @property
    def total(self) -> int:
        """Return tokens sent and received."""
        return self.prompt + self.completion


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a million tokens, in any currency.

    Args:
        prompt: Price of a million tokens sent.
        completion: Price of a million tokens received.
    """

    prompt: float
    completion: float

    def cost(self, tokens: Tokens) -> float:
        """Return what tokens cost."""
        return (tokens.prompt * self.prompt + tokens.completion * self.completion) / 1_000_000


@dataclass(frozen=True, slots=True)
class Budget:
    """What one run may spend; None where it is not bounded.

    Args:
        cost: Bound on money, in the currency of the prices.
        tokens: Bound on tokens, sent and received together.
        requests: Bound on requests, repetitions included.
    """

    cost: float | None = None
    tokens: int | None = None
    requests: int | None = None

    @property
    def needs_usage(self) -> bool:
        """Say whether only a server that counts tokens can be held to it."""
        return self.cost is not None or self.tokens is not None


class BudgetSpent(CheckFailed):
    """A run ended because its budget is spent; everything that came back is in the log."""


class Spending:
    """What a run has spent so far, held against its budget before each request.

    A request is sent only if what is spent, what is under way and it itself fit, at the mean of the replies so far.
    Nothing is known of that mean before the first reply, so where tokens or money are bounded the first request goes
    alone. A budget is therefore exceeded by no more than replies differ from their mean.
    """

    def __init__(self, budget: Budget, prices: Prices | None) -> None:
        if budget.cost is not None and prices is None:
            raise BenchwrightError(
                "a budget in money needs prices: give --price-in and --price-out, or bound --budget-tokens"
            )
        self._budget, self._prices = budget, prices
        self.requests = self.replies = self.under_way = 0
        self.tokens = Tokens(0, 0)
        self._uncounted: BenchwrightError | None = None

    @property
    def cost(self) -> float | None:
        """Return what the replies so far cost; None without prices."""
        return None if self._prices is None else self._prices.cost(self.tokens)

    @property
    def goes_alone(self) -> bool:
        """Say whether no second request may be under way, because the first has yet to show what one takes."""
        return self._budget.needs_usage and self.replies == 0

    def sends(self) -> bool:
        """Count a request that is about to be sent; False, and nothing counted, where the budget forbids it.

        Raises:
            BenchwrightError: As `ended` has before.
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
            cost = self.cost or 0.0
            if cost >= budget.cost or cost * (1 + share) > budget.cost:
                return False
        self.requests += 1
        self.under_way += 1
        return True

    def ended(self, tokens: Tokens | None, *, answered: bool) -> None:
        """Count a request that has come back, or not.

        Raises:
            BenchwrightError: Tokens or money are bounded and the server does not count tokens.
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

    def describe(self) -> str:
        """Return a line about what was spent."""
        words = f"{self.requests} requests, {self.tokens.prompt} tokens sent and {self.tokens.completion} received"
        return words if self.cost is None else f"{words}, cost {self.cost:.4f}"
