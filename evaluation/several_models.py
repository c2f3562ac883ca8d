"""Several evaluations of a release, where those that use different endpoints run at the same time.

Asking consists mostly of waiting. Evaluations that share a resource run one after another. Such a resource is a server
of your own, which may serve only one model at a time; a model at its vendor, where rate limits apply per model; or this
process, which computes everything that needs no endpoint. Scores do not depend on what else is asked meanwhile.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from benchwright.models.endpoints.vendors.apis import APIS, api_of
from benchwright.progress import Progress, Silent

from .backends.options import BackendOptions
from .backends.result_names import slug
from .judging.judge import Judge
from .protocols.names import parse_protocol
from .results.score import Score

logger = logging.getLogger(__name__)

_MOST_AT_ONCE = 8
"""Largest number of endpoints to ask at the same time; for each, questions with pictures are held in memory."""
_STOP_S = 5.0
"""Seconds that an interrupted run waits for evaluations to close their logs; slower ones lose nothing."""
_HERE = "this process"


class Evaluation(NamedTuple):
    """One of several evaluations.

    Attributes:
        name: Name of the model, for messages.
        uses: Names of resources that serve one evaluation at a time, as returned by `uses_of`.
        score: Function that runs the evaluation and reports progress to its argument.
    """

    name: str
    uses: frozenset[str]
    score: Callable[[Progress], Score]


class _Stopped(Exception):
    """An interruption of a run that ends an evaluation after its most recent reply."""


def uses_of(model: str, options: BackendOptions, *, protocol: str, judge: Judge | None = None) -> frozenset[str]:
    """Return the names of resources that serve one evaluation at a time: servers, models at vendors, logs of replies.

    Args:
        model: Name of the model, as on the command line of `evaluate run`.
        options: Options of the model.
        protocol: Protocol, which may name another model for a round.
        judge: Judge, if there is one.
    """
    options = options.model_copy(update={"scored": model})
    setting = parse_protocol(protocol)
    asked = [(model, options)]
    asked += [other for number in range(setting.rounds) if (other := setting.model_of_round(number, options))]
    if judge is not None:
        asked.append((judge.model if isinstance(judge.model, str) else judge.model.name, judge.options(options)))
    return frozenset(use for name, how in asked for use in _served_by(name, how.base_url))


def _served_by(model: str, base_url: str | None) -> Iterator[str]:
    api = api_of(model)
    if api is None:
        yield _HERE
        return
    vendor = APIS[api].base_url
    address = (base_url or vendor).rstrip("/")
    yield f"{address} {model}" if address == vendor else address
    yield f"replies of {slug(model)}"  # one log has one writer


def evaluate_all(evaluations: Sequence[Evaluation], progress: Progress | None = None) -> list[Score]:
    """Return the scores of several evaluations, in the same order.

    If one ends in an error, those that share no resource with it finish first, so that a spent budget or a wrong key
    does not affect the other models.

    Args:
        evaluations: The evaluations; those that share a resource run in their order.
        progress: Receiver of progress reports.

    Raises:
        Exception: The exception of the first evaluation without a score.
    """
    return _ParallelModels(evaluations, progress or Silent()).scores()


class _ParallelModels:
    """Evaluations in progress, by index."""

    def __init__(self, evaluations: Sequence[Evaluation], progress: Progress) -> None:
        self._evaluations, self._progress = evaluations, progress
        self._ended: dict[int, Score | Exception] = {}
        self._stop, self._lock = threading.Event(), threading.Lock()

    def scores(self) -> list[Score]:
        queues = _queues([each.uses for each in self._evaluations])
        here = [queue for queue in queues if _HERE in self._evaluations[queue[0]].uses or len(queues) == 1]
        elsewhere = iter([queue for queue in queues if queue not in here])
        count = min(_MOST_AT_ONCE, len(queues) - len(here))
        # Daemon threads, so that one that waits for an endpoint does not keep an interrupted program from ending.
        threads = [threading.Thread(target=self._work, args=(elsewhere,), daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()
        try:
            for queue in here:  # mapping functions over questions is bound to this thread
                self._evaluate(queue, self._progress)
            for thread in threads:
                thread.join()
        except BaseException:
            self._stop.set()
            for thread in threads:
                thread.join(_STOP_S / len(threads))
            raise
        scores = []
        for number in range(len(self._evaluations)):
            if isinstance(ended := self._ended[number], Exception):
                raise ended
            scores.append(ended)
        return scores

    def _work(self, queues: Iterator[Sequence[int]]) -> None:
        """Evaluate the queues until they are empty."""
        while True:
            with self._lock:
                queue = next(queues, None)
            if queue is None or self._stop.is_set():
                return
            self._evaluate(queue, _SharedProgress(self._progress, self._stop, self._lock))

    def _evaluate(self, queue: Sequence[int], progress: Progress) -> None:
        """Run evaluations one after another until the first error."""
        for number in queue:
            try:
                self._ended[number] = self._evaluations[number].score(progress)
            except Exception as error:  # noqa: BLE001 - raised once the others have ended
                self._ended[number] = error
                if len(self._evaluations) > len(queue) and not self._stop.is_set():
                    logger.warning(
                        "%s: %s; the run continues with the other models", self._evaluations[number].name, error
                    )
                return


class _SharedProgress:
    """A progress receiver for one of several evaluations, which ends the evaluation if the run was interrupted."""

    def __init__(self, progress: Progress, stop: threading.Event, lock: threading.Lock) -> None:
        self._own, self._stop, self._lock = progress.another(), stop, lock

    def phase(self, name: str, total: int, unit: str = "images") -> None:
        self._tell(lambda: self._own.phase(name, total, unit))

    def advance(self, records: int) -> None:
        self._tell(lambda: self._own.advance(records))

    def beside(self, text: str) -> None:
        self._tell(lambda: self._own.beside(text))

    def warn(self, message: str) -> None:
        self._tell(lambda: self._own.warn(message))

    def another(self) -> Progress:
        return _SharedProgress(self._own, self._stop, self._lock)

    def _tell(self, tell: Callable[[], None]) -> None:
        if self._stop.is_set():
            raise _Stopped
        with self._lock:
            tell()


def _queues(uses: Iterable[frozenset[str]]) -> list[list[int]]:
    """Return lists, in order, of the indices of evaluations that share resources, directly or through other
    evaluations.
    """
    queues: list[tuple[frozenset[str], list[int]]] = []
    for number, used in enumerate(uses):
        joined = [queue for queue in queues if queue[0] & used]
        queues = [queue for queue in queues if queue not in joined]
        numbers = sorted([number, *(other for _, others in joined for other in others)])
        queues.append((used.union(*(names for names, _ in joined)), numbers))
    return sorted(numbers for _, numbers in queues)
