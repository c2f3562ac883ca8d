"""Progress of a run: tokens and failures so far, both for display and for the score."""

from __future__ import annotations

from collections import Counter

from benchwright.errors import CheckFailed
from benchwright.models.endpoints.usage import PRICE_SHARE, Prices, Tokens
from benchwright.progress import Progress
from benchwright.texts.normalization import counted

from ..prompting.question import Reply
from .score import Usage

_FIRST = 8
"""Number of first replies, which must not all be empty."""


class TokenUsage:
    """Tokens of the replies behind a score, including both new replies and those read from a log."""

    def __init__(self, prices: Prices | None) -> None:
        self._prices = prices
        self._replies = self._shared = 0
        self._tokens = self._in_batches = Tokens(0, 0)
        self._requests: set[int] = set()

    def add(self, tokens: Tokens, request: str | None = None, *, in_batch: bool = False) -> None:
        """Count a reply; its tokens are counted only for the first reply to a request.

        Args:
            tokens: Tokens used by the reply.
            request: Key of the answered request.
            in_batch: Whether the reply came in a batch, at a lower price.
        """
        self._replies += 1
        if request is not None:
            number = hash(request)  # enough to separate them, and small
            if number in self._requests:
                self._shared += 1
                return
            self._requests.add(number)
        self._tokens = self._tokens.plus(tokens)
        if in_batch:
            self._in_batches = self._in_batches.plus(tokens)

    @property
    def cost(self) -> float | None:
        """Return the cost of the replies, or None if there are no prices or tokens."""
        if self._prices is None or self._replies == 0:
            return None
        return self._prices.cost(self._tokens) - (1 - PRICE_SHARE) * self._prices.cost(self._in_batches)

    def usage(self) -> Usage | None:
        """Return the totals in the form for a score, or None if no reply stated its tokens."""
        if self._replies == 0:
            return None
        prompt, completion, reasoning = self._tokens
        return Usage(
            replies=self._replies,
            requests=self._replies - self._shared,
            prompt_tokens=prompt,
            completion_tokens=completion,
            reasoning_tokens=reasoning,
            cost=self.cost,
        )


class FirstFailures:
    """A guard that ends a run if all of its first replies are empty, since the others would fail in the same way.

    Errors, replies without text, tool calls and replies cut off before their first word are treated as empty, in any
    order.

    Args:
        name: Name of the model being asked.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._causes: Counter[str] = Counter()
        self._is_over = False

    def add(self, reply: Reply) -> None:
        """Record the next reply.

        Raises:
            CheckFailed: This is the last of the first replies, and all of them were empty.
        """
        if self._is_over:
            return
        if reply.silence is None:
            self._is_over = True
            return
        self._causes[reply.silence] += 1
        if self._causes.total() == _FIRST:
            raise self._error("the first ")

    def end(self) -> None:
        """Record that there are no further replies.

        Raises:
            CheckFailed: There were few replies, and all of them were empty.
        """
        if self._causes and not self._is_over:
            raise self._error("all " if self._causes.total() > 1 else "")

    def _error(self, which_questions: str) -> CheckFailed:
        number = self._causes.total()
        failed = (
            f"{which_questions}{counted(number, 'question')} to {self._name} failed"
            if number > 1
            else f"the only question to {self._name} failed"
        )
        ways: dict[str, list[str]] = {}
        for cause in self._causes.elements():
            ways.setdefault(_way_of(cause), []).append(cause)
        alike = " alike" if number > 1 and len(ways) == 1 else ""
        if len(ways) == 1:
            words = next(reversed(self._causes))
        else:
            words = "; ".join(f"{len(causes)}: {causes[0]}" for causes in ways.values())
        return CheckFailed(f"{failed}{alike}, so there is no score: {words}; fix the cause and run it again")


def _way_of(cause: str) -> str:
    """Return the text before the first colon of a cause, such as `HTTP 400`."""
    return cause.partition(":")[0]


class RunProgress:
    """Counter of replies and items that reports counts, costs and errors to a progress display."""

    def __init__(self, progress: Progress, spent: TokenUsage) -> None:
        self._progress, self._spent = progress, spent
        self._seen: Counter[str] = Counter()

    def phase(self, name: str, total: int) -> None:
        """Begin a phase of `total` items."""
        self._progress.phase(name, total, "items")

    def add(self, reply: Reply) -> None:
        """Count one reply."""
        if reply.tokens is not None:
            self._spent.add(reply.tokens, reply.request, in_batch=reply.in_batch)
        if reply.error is not None:
            self._seen["errors"] += 1
        elif reply.silence is not None:
            self._seen["cut off before any text"] += 1

    def tell(self, words: str) -> None:
        """Show the current activity while there are no replies yet."""
        self._progress.beside(words)

    def through(self, items: int = 1) -> None:
        """Count items for which every reply has been received."""
        self._progress.advance(items)
        cost = self._spent.cost
        notes = [] if cost is None else [f"cost {cost:.4f}"]
        notes += [f"{n} {kind}" for kind, n in sorted(self._seen.items())]
        if notes:
            self._progress.beside(", ".join(notes))
