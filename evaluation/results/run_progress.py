"""Progress of a run: tokens and failures so far, for display and for the score."""

from __future__ import annotations

from collections import Counter

from benchwright.errors import CheckFailed
from benchwright.models.endpoints.usage import PRICE_SHARE, Prices, Tokens
from benchwright.progress import Progress
from benchwright.texts.normalization import counted

from ..prompting.question import Reply
from .score import Usage

_FIRST = 8
"""Number of first replies, not all of which may be empty."""


class TokenUsage:
    """Tokens of the replies behind a score, both new replies and those read from a log."""

    def __init__(self, prices: Prices | None) -> None:
        self._prices = prices
        self._replies = self._shared = 0
        self._tokens = self._in_batches = Tokens(0, 0)
        self._requests: set[int] = set()

    def add(self, tokens: Tokens, request: str | None = None, *, in_batch: bool = False) -> None:
        """Count one reply; count its tokens only for the first counted reply to a request.

        Args:
            tokens: Tokens that it took.
            request: Key of the answered request.
            in_batch: Whether it came in a batch, at a lower price.
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
        """Return the cost of the replies; None without prices or tokens."""
        if self._prices is None or self._replies == 0:
            return None
        return self._prices.cost(self._tokens) - (1 - PRICE_SHARE) * self._prices.cost(self._in_batches)

    def usage(self) -> Usage | None:
        """Return the sums in the form for a score; None if no reply stated its tokens."""
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
    """A guard that ends a run whose first replies are all empty, since the others would fail likewise.

    Errors, replies without text, calls of a tool and replies cut off before their first word count as empty, in any
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
            CheckFailed: It is the last of the first replies, and all were empty.
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
        """Record that no further reply comes.

        Raises:
            CheckFailed: There were few replies, and all were empty.
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
    """Return the words before the first colon of a cause, such as `HTTP 400`."""
    return cause.partition(":")[0]


class RunProgress:
    """Counter of replies and items that passes counts, cost and errors to a progress display."""

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
        """Show the current activity before there is a reply."""
        self._progress.beside(words)

    def through(self, items: int = 1) -> None:
        """Count items whose replies are complete."""
        self._progress.advance(items)
        cost = self._spent.cost
        notes = [] if cost is None else [f"cost {cost:.4f}"]
        notes += [f"{n} {kind}" for kind, n in sorted(self._seen.items())]
        if notes:
            self._progress.beside(", ".join(notes))
