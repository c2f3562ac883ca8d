"""The process that serves one GPU card: it opens each model once and computes batches of inputs from all workers.

Every worker has a connection to this process, and a thread that receives from it. `_LANES` other threads compute: while
the card works on one thread's batch, the next thread copies its batch there. A batch takes as many inputs as it can
hold, or all that are available. An incomplete batch waits briefly for workers that are still sending, for any shard,
and is then filled up with copies of its last input. A model therefore sees batches of only one size, and a picture's
result does not depend on the others in its batch.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, Listener
from multiprocessing.process import current_process
from typing import Any, NamedTuple, NoReturn, Protocol

from benchwright.engines import worker as worker_module
from benchwright.models.devices import allow_tf32, is_lost, own_stream, wait_for_device

logger = logging.getLogger(__name__)

_LANES = 2
_PATIENCE_S = 0.2
"""Time in seconds after which an incomplete batch runs, even if workers are still sending."""


class SharedModel(Protocol):
    """A model that computes results for several workers."""

    @property
    def facts(self) -> Any:
        """Return the facts that a worker needs to prepare its inputs; picklable."""

    @property
    def batch_size(self) -> int:
        """Return the number of inputs in a batch."""

    def key(self, thing: Any) -> Hashable:
        """Return a key that all inputs of a batch have in common."""

    def run(self, things: Sequence[Any]) -> Sequence[Any]:
        """Return one result for each input of a batch; called by several threads."""


class ModelHost(Protocol):
    """A worker context that opens models for all workers."""

    def shared_model(self, name: str) -> SharedModel:
        """Return a model, which is opened only once."""

    def keep_only(self, names: Sequence[str]) -> None:
        """Close all models except one."""


def main(conn: Connection, address: str, log_path: str, environment: Mapping[str, str]) -> None:
    """Receive the worker context once, then serve workers until the pipe closes.

    Args:
        conn: Connection to the supervisor.
        address: Address at which workers connect.
        log_path: File for the process's output.
        environment: Environment of the supervisor, in which the card is the only one visible to CUDA.
    """
    worker_module.set_up(log_path, environment)
    try:
        host: ModelHost = conn.recv()
        with Listener(address, authkey=bytes(current_process().authkey), backlog=64) as listener:
            threading.Thread(target=CardServer(host).accept, args=(listener,), daemon=True).start()
            conn.send("ready")
            conn.recv()  # the supervisor sends nothing more and closes
    except (EOFError, OSError):
        pass
    _end(0)


@dataclass(eq=False)
class _Request:
    """Inputs whose results a worker awaits together."""

    results: dict[int, Any] = field(default_factory=dict)
    count: int | None = None
    """Number of inputs; None while the worker is still sending."""
    is_done: threading.Event = field(default_factory=threading.Event)

    def note(self) -> None:
        """Signal completion if all results have arrived."""
        if self.count is not None and len(self.results) == self.count:
            self.is_done.set()


class _Waiting(NamedTuple):
    request: _Request
    place: int
    thing: Any
    since: float


class _Raised(NamedTuple):
    """The exception that a batch raised, in place of a result."""

    error: Exception


class _GoneError(Exception):
    """A worker has ended, or has closed its connection."""


def _received(conn: Connection) -> Any:
    try:
        return conn.recv()
    except (EOFError, OSError) as error:
        raise _GoneError from error


class CardServer:
    """A server that computes workers' inputs in batches and opens each model once.

    Args:
        host: Opener of models.
    """

    def __init__(self, host: ModelHost) -> None:
        self._host = host
        self._models: dict[str, SharedModel] = {}
        self._opening = threading.Lock()
        self._changed = threading.Condition()
        self._queues: dict[tuple[str, Hashable], deque[_Waiting]] = {}
        self._sending = self._computing = 0
        for _ in range(_LANES):
            threading.Thread(target=self._compute, daemon=True).start()

    def accept(self, listener: Listener) -> None:
        """Accept workers until the listener closes."""
        while True:
            try:
                conn = listener.accept()
            except (AuthenticationError, EOFError, ConnectionError):
                continue
            except OSError:
                return
            threading.Thread(target=self._hear, args=(conn,), daemon=True).start()

    def _hear(self, conn: Connection) -> None:
        """Answer the requests of one worker until it ends."""
        with conn, suppress(_GoneError):
            while True:
                kind, argument = _received(conn)
                answer: tuple[str, Any]
                try:
                    answer = "done", self._answer(kind, argument, conn)
                except _GoneError:
                    raise
                except Exception as error:
                    logger.warning("%s %s", kind, argument, exc_info=True)
                    answer = "raised", worker_module.travelling(error)
                with suppress(OSError):  # the next line notices that the worker has gone
                    conn.send(answer)

    def _answer(self, kind: str, argument: Any, conn: Connection) -> Any:
        if kind == "open":
            return self._opened(argument).facts
        if kind == "keep_only":
            return self._keep_only(argument)
        return self._results(argument, conn)

    def _opened(self, name: str) -> SharedModel:
        with self._opening:
            if name not in self._models:
                self._models[name] = self._host.shared_model(name)
                allow_tf32()
                wait_for_device()  # the weights must arrive before another stream reads them
            return self._models[name]

    def _keep_only(self, names: Sequence[str]) -> None:
        with self._opening:
            if others := [name for name in self._models if name not in names]:
                for name in others:
                    del self._models[name]
                self._host.keep_only(names)

    def _results(self, name: str, conn: Connection) -> list[Any]:
        """Queue a worker's inputs, and return the results when all have arrived."""
        request, count = _Request(), 0
        with self._changed:
            self._sending += 1
        try:
            while (message := _received(conn))[0] == "thing":
                self._take(name, _Waiting(request, count, message[1], time.monotonic()))
                count += 1
        finally:
            with self._changed:
                self._sending -= 1
                request.count = count
                request.note()
                self._changed.notify_all()
        request.is_done.wait()
        results = [request.results[place] for place in range(count)]
        for result in results:
            if isinstance(result, _Raised):
                raise result.error
        return results

    def _take(self, name: str, waiting: _Waiting) -> None:
        try:
            key = self._opened(name).key(waiting.thing)
        except Exception as error:  # noqa: BLE001 - the worker raises it when it has sent everything
            waiting.request.results[waiting.place] = _Raised(error)
            return
        with self._changed:
            self._queues.setdefault((name, key), deque()).append(waiting)
            self._changed.notify()

    def _compute(self) -> NoReturn:
        """Compute one batch after another, in this thread's own stream."""
        name, batch = self._next_batch()
        with own_stream():
            while True:
                self._deliver(batch, self._computed(name, batch))
                name, batch = self._next_batch()

    def _next_batch(self) -> tuple[str, list[_Waiting]]:
        with self._changed:
            while True:
                if (chosen := self._chosen()) is not None:
                    queue, (name, _) = self._queues[chosen], chosen
                    batch = [queue.popleft() for _ in range(min(len(queue), self._models[name].batch_size))]
                    if not queue:
                        del self._queues[chosen]
                    self._computing += 1
                    return name, batch
                self._changed.wait(_PATIENCE_S if self._queues else None)

    def _chosen(self) -> tuple[str, Hashable] | None:
        """Return the queue for the next batch: one with a full batch, or the oldest if no more inputs will arrive."""
        oldest = min(self._queues, key=lambda name: self._queues[name][0].since, default=None)
        if oldest is None:
            return None
        for chosen, queue in self._queues.items():
            if len(queue) >= self._models[chosen[0]].batch_size:
                return chosen
        is_all = not self._sending and not self._computing
        return oldest if is_all or time.monotonic() - self._queues[oldest][0].since > _PATIENCE_S else None

    def _computed(self, name: str, batch: Sequence[_Waiting]) -> Sequence[Any]:
        things = [waiting.thing for waiting in batch]
        model = self._models[name]
        try:
            return model.run(things + things[-1:] * (model.batch_size - len(things)))
        except Exception as error:
            if is_lost(error):
                logger.exception("the card is lost; this process ends, and another one replaces it")
                _end(1)
            return [_Raised(error)] * len(things)

    def _deliver(self, batch: Sequence[_Waiting], results: Sequence[Any]) -> None:
        with self._changed:
            for waiting, result in zip(batch, results[: len(batch)], strict=True):
                waiting.request.results[waiting.place] = result
                waiting.request.note()
            self._computing -= 1
            self._changed.notify_all()


def _end(code: int) -> NoReturn:
    """Exit at once, even though threads may be in the middle of a batch that no worker awaits."""
    sys.stderr.flush()
    os._exit(code)
