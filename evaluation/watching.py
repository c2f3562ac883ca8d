"""What a run of questions has come to so far, for whoever looks on and for the score."""

from __future__ import annotations

from collections import Counter

from benchwright.progress import Progress

from .accounting import Prices, Tokens
from .questions import Reply
from .score import Usage


class Spent:
    """Tokens of the replies that a score stands on, whether they came now or lay in a log."""

    def __init__(self, prices: Prices | None) -> None:
        self._prices = prices
        self._replies = 0
        self._tokens = Tokens(0, 0)

    def add(self, tokens: Tokens) -> None:
        """Count one reply."""
        self._replies += 1
        self._tokens = Tokens(self._tokens.prompt + tokens.prompt, self._tokens.completion + tokens.completion)

    @property
    def cost(self) -> float | None:
        """Return what the replies cost; None without prices or tokens."""
        return None if self._prices is None or self._replies == 0 else self._prices.cost(self._tokens)

    def usage(self) -> Usage | None:
        """Return the sums as a score holds them; None where no reply said what it took."""
        if self._replies == 0:
            return None
        prompt, completion = self._tokens
        return Usage(replies=self._replies, prompt_tokens=prompt, completion_tokens=completion, cost=self.cost)


class Watched:
    """Counts replies and items, and tells a progress about them: how far, at what cost, how many errors."""

    def __init__(self, progress: Progress, spent: Spent) -> None:
        self._progress, self._spent = progress, spent
        self._seen: Counter[str] = Counter()

    def phase(self, name: str, total: int) -> None:
        """Say that so many items are asked about."""
        self._progress.phase(name, total, "items")

    def add(self, reply: Reply) -> None:
        """Count one reply."""
        if reply.tokens is not None:
            self._spent.add(reply.tokens)
        if reply.error is not None:
            self._seen["errors"] += 1

    def through(self) -> None:
        """Count one item whose replies are all there."""
        self._progress.advance(1)
        cost = self._spent.cost
        said = [] if cost is None else [f"cost {cost:.4f}"]
        said += [f"{n} {what}" for what, n in sorted(self._seen.items())]
        if said:
            self._progress.beside(", ".join(said))
