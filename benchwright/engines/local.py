"""The local engine: it supervises worker processes on this machine.

Workers (started by `benchwright.engines.starting`) run one job at a time and report which record they are processing. A
worker that dies or hangs is replaced. Its job runs again, record by record, with a journal. A record that was in
process at several deaths in a row is blamed: the job records it as failed and continues. If workers keep dying before
they reach any record, the run ends with an error, since no record is to blame.
"""

from __future__ import annotations

import logging
import os
import signal
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.engines import starting
from benchwright.engines import worker as worker_module
from benchwright.engines.base import Done, Job, Place
from benchwright.engines.cards import Cards, RunningCard
from benchwright.engines.gpus import free_gpu_memory_mb, visible_gpus
from benchwright.engines.progress_slot import ProgressSlot
from benchwright.errors import BenchwrightError, StepError
from benchwright.texts.normalization import counted

if TYPE_CHECKING:
    from benchwright.steps import Resources

logger = logging.getLogger(__name__)

DEATHS_TO_BLAME = 3
"""Number of worker deaths after which a record is blamed: one death may be caused from outside, three may not."""

_DEATHS_BEFORE_ANY_RECORD = 3
KILLS_BEFORE_ANY_RECORD = 20
"""Number of worker ends before any record after which the run ends: 3, or 20 for SIGKILL, which other programs may
send."""

_KILLED_WHILE_STARTING = -signal.SIGKILL

HANG_S = 600.0


def processors() -> int:
    """Return the number of processors that this process can use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def default_workers(memory_mb: int) -> int:
    """Return one worker per processor, limited to the number that fits into available memory at `memory_mb` each."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:  # only Linux reports available memory, including caches
        return processors()
    available_mb = next((int(line.split()[1]) >> 10 for line in lines if line.startswith("MemAvailable:")), None)
    return processors() if available_mb is None else max(1, min(processors(), available_mb // memory_mb))


def _workers_on_gpu(gpu_memory_mb: int, *, beside_mb: int = 0) -> int | None:
    """Return how many workers fit onto the first GPU at `gpu_memory_mb` each, at least 1; None if there is no GPU.

    Args:
        gpu_memory_mb: Memory of a worker, in MiB.
        beside_mb: Memory reserved for other uses, in MiB.
    """
    free_mb = free_gpu_memory_mb()
    return None if free_mb is None else max(1, (free_mb - beside_mb) // gpu_memory_mb)


@dataclass(eq=False)
class _Task:
    job: Any
    deaths: Counter[Place] = field(default_factory=Counter)
    blamed: dict[Place, str] = field(default_factory=dict)
    attempts: int = 0

    @property
    def shard(self) -> str | None:
        """Return the shard whose pictures the job decodes; None for jobs that belong to no shard."""
        shard: str | None = getattr(self.job, "shard", None)
        return shard


@dataclass
class _Worker:
    process: BaseProcess
    conn: Connection
    progress_slot: ProgressSlot
    name: str
    card: RunningCard | None = None
    is_ready: bool = False
    task: _Task | None = None
    seen: bytes = b""
    heard_at: float = 0.0
    """Time of the worker's last message or last move to another record."""

    shards: set[str | None] = field(default_factory=set)
    """Shards of its jobs, some of whose decoded pictures it may still hold."""


class LocalEngine:
    """A pool of workers for one run; use it as a context manager.

    Args:
        worker_context: Picklable context, passed to every worker once and to every job's `run`.
        workers: Number of processes, at least 1.
        log_folder: Folder for the output of each worker.
        hang_s: Seconds spent on one record after which a worker is replaced.
        preload: Modules that the fork server imports before workers are forked from it.
        log_name: Prefix of the logs' names, followed by the number of the worker.
        gpus: GPUs whose models workers may share; None for all that this process may use.
    """

    def __init__(
        self,
        worker_context: Any,
        *,
        workers: int,
        log_folder: Path,
        hang_s: float = HANG_S,
        preload: Sequence[str] = (),
        log_name: str = "worker",
        gpus: Sequence[str] | None = None,
    ) -> None:
        if workers < 1:
            raise BenchwrightError(f"--workers {workers}: give at least 1")
        self._worker_context = worker_context
        self._count = workers
        self._log_folder = log_folder
        self._log_name = log_name
        self._hang_s = hang_s
        self._preload = tuple(preload)
        self._workers: list[_Worker] = []
        self._early_ends: Counter[int] = Counter()
        self._spawned = 0
        self._gpus, self._gpu_needs, self._most = gpus, (0, 0), workers
        self._cards = Cards(worker_context, log_folder=log_folder, log_name=log_name.replace("worker", "card"))

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(self, *exc: object) -> None:
        self._end_all()
        self._cards.stop()

    def run(self, jobs: Iterable[Job], needs: Resources | None = None) -> Iterator[Done]:
        """Run jobs and yield each as it finishes (`Engine.run`); all workers share this machine's resources."""
        waiting = deque(_Task(job) for job in jobs)
        if waiting:
            self._settle((0, 0) if needs is None else (needs.gpu_memory_mb, needs.shared_gpu_memory_mb))
        try:
            yield from self._all(waiting)
        finally:
            self._end_busy()

    def _all(self, waiting: deque[_Task]) -> Iterator[Done]:
        while waiting or any(worker.task for worker in self._workers):
            self._keep_staffed(len(waiting) + sum(worker.task is not None for worker in self._workers))
            for worker in self._workers:
                if not (waiting and worker.is_ready and worker.task is None):
                    continue
                task = self._best_for(worker, waiting)
                if self._may_begin(task) and self._give(worker, task):
                    waiting.remove(task)
            for worker in self._next_to_hear():
                if (event := self._hear(worker)) is None:
                    continue
                kind, payload = event
                if kind == "gone":
                    self._workers.remove(worker)
                    if worker.task is not None:
                        waiting.appendleft(worker.task)
                    self._note_end(worker, payload)
                elif kind == "ready":
                    worker.is_ready = True
                else:
                    yield self._finish(worker, kind, payload)

    def _end_busy(self) -> None:
        """End the workers whose job no caller awaits any longer, because their results belong to no later call."""
        for worker in [worker for worker in self._workers if worker.task is not None]:
            self._end(worker)
            self._workers.remove(worker)

    def _settle(self, gpu_needs: tuple[int, int]) -> None:
        """Limit the workers to those that fit onto the GPU, and start processes for the models that workers share.

        Workers that ran jobs with other needs end, because they still occupy GPU memory with their opened models and
        with CUDA's overhead for every process.

        Args:
            gpu_needs: GPU memory in MiB that each worker needs, and that the shared models need.
        """
        if gpu_needs == self._gpu_needs:
            return
        self._gpu_needs, self._most = gpu_needs, self._count
        own_mb, shared_mb = gpu_needs
        cards = self._cards_with(shared_mb) if shared_mb else []
        if cards or self._cards.running or (own_mb and free_gpu_memory_mb() is not None):
            self._end_all()
            self._cards.stop()
        if cards:
            self.prepare()
            self._cards.start(cards)
        if own_mb:  # in addition to the shared models, which may not be open yet
            self._most = min(self._count, _workers_on_gpu(own_mb, beside_mb=shared_mb) or self._count)

    def _cards_with(self, shared_mb: int) -> Sequence[str]:
        """Return the GPUs with the given amount of free memory; if none has enough, return the first, which will try
        smaller batches.
        """
        if self._gpus is not None:
            return self._gpus
        gpus = visible_gpus()
        return [gpu for gpu in gpus if (free_gpu_memory_mb(gpu) or 0) >= shared_mb] or gpus[:1]

    def _end_all(self) -> None:
        for worker in self._workers:
            self._end(worker)
        self._workers.clear()

    def _finish(self, worker: _Worker, kind: str, payload: Any) -> Done:
        """Return a worker's finished job; raise the exception that the job raised."""
        task = worker.task
        assert task is not None, "only a worker with a job answers"
        worker.task = None
        if kind == "raised":
            _raise(task.job, *payload)
        self._early_ends.clear()
        result, usage = payload
        return Done(task.job, result, usage.wall_s, task.attempts, usage, worker.name)

    def prepare(self) -> None:
        """Begin to start workers in the background (`Engine.prepare`)."""
        starting.prepare(self._preload)

    def drop_caches(self) -> None:
        """Make idle workers drop their caches (`Engine.drop_caches`); a later call notices dead workers."""
        for worker in self._workers:
            if worker.is_ready and worker.task is None:
                with suppress(OSError):
                    worker.conn.send(None)

    def _keep_staffed(self, wanted: int) -> None:
        if self._cards.replace_dead():
            self._end_idle()  # busy workers notice it themselves
        while len(self._workers) < min(self._most, max(wanted, 1)):
            self.prepare()
            ours, theirs = starting.context().Pipe()
            progress_slot = ProgressSlot.make()
            self._spawned += 1
            name = f"{self._log_name}-{self._spawned}"
            log = self._log_folder / f"{name}.log"
            process = starting.context().Process(  # type: ignore[attr-defined]
                target=worker_module.main, args=(theirs, progress_slot.path, str(log), dict(os.environ)), daemon=True
            )
            with starting.uninterrupted(), theirs:
                try:
                    process.start()
                except (EOFError, ConnectionError):  # the fork server was killed; another one will start
                    ours.close()
                    progress_slot.forget()
                    self._note_early_end(_KILLED_WHILE_STARTING, "starting")
                    continue
                card = self._least_used_card()
                worker = _Worker(process, ours, progress_slot, name, card, heard_at=time.monotonic())
                self._workers.append(worker)
            try:
                ours.send(self._worker_context if card is None else self._worker_context.at_card(card.address))
            except OSError:
                continue  # already dead, which `_hear` notices

    def _end_idle(self) -> None:
        for worker in [worker for worker in self._workers if worker.task is None]:
            self._end(worker)
            self._workers.remove(worker)

    def _least_used_card(self) -> RunningCard | None:
        """Return the card with the fewest workers; None if workers share no models."""
        used = Counter(id(worker.card) for worker in self._workers)
        return min(self._cards.running, key=lambda card: used[id(card)], default=None)

    def _best_for(self, worker: _Worker, waiting: Sequence[_Task]) -> _Task:
        """Return the first job over a shard that the worker has processed, else over a new shard, else the first job.

        A job that runs again comes before all others.
        """
        if waiting[0].attempts:
            return waiting[0]
        others = {shard for each in self._workers if each is not worker for shard in each.shards}
        ours = next((task for task in waiting if task.shard in worker.shards), None)
        return ours or next((task for task in waiting if task.shard not in others), waiting[0])

    def _may_begin(self, task: _Task) -> bool:
        """Return whether a job may begin alongside the running ones.

        The end of a card ends all its workers and does not reveal which worker's input caused it. A job that was
        running on it therefore runs alone when it runs again; only an input that ends the card during that time is
        blamed.
        """
        busy = [worker.task for worker in self._workers if worker.task is not None]
        return not self._cards.running or not busy or not (task.deaths or any(each.deaths for each in busy))

    def _give(self, worker: _Worker, task: _Task) -> bool:
        try:
            worker.conn.send((task.job, task.attempts > 0, task.blamed))
        except OSError:
            return False
        task.attempts += 1
        worker.task, worker.heard_at = task, time.monotonic()
        worker.shards.add(task.shard)
        return True

    def _next_to_hear(self) -> list[_Worker]:
        by_handle: dict[Any, _Worker] = {worker.conn: worker for worker in self._workers}
        by_handle |= {worker.process.sentinel: worker for worker in self._workers}
        heard = {id(by_handle[handle]): by_handle[handle] for handle in wait(list(by_handle), timeout=1.0)}
        now = time.monotonic()
        for worker in self._workers:
            if (seen := worker.progress_slot.raw()) != worker.seen:
                worker.seen, worker.heard_at = seen, now
                self._early_ends.clear()
            if (
                id(worker) not in heard
                and now - worker.heard_at > self._hang_s
                and (worker.task or not worker.is_ready)
            ):
                logger.warning("worker %s has not moved for %.0f s; replacing it", worker.process.pid, self._hang_s)
                worker.process.kill()
                worker.process.join()
                heard[id(worker)] = worker
        return list(heard.values())

    def _hear(self, worker: _Worker) -> tuple[str, Any] | None:
        """Return a worker's next message; (`gone`, exit code) if it has ended without sending another."""
        try:
            if worker.conn.poll():
                message: tuple[str, Any] = worker.conn.recv()
                worker.heard_at = time.monotonic()
                return message
        except (EOFError, OSError):
            pass
        except Exception as error:  # noqa: BLE001 - a message torn by a kill can raise anything while unpickled
            logger.warning("a worker's last message is damaged (%s)", type(error).__name__)
            worker.process.kill()
        else:
            if worker.process.is_alive():
                return None
        worker.process.join()
        worker.conn.close()
        return "gone", worker.process.exitcode

    def _note_end(self, worker: _Worker, exit_code: int | None) -> None:
        """Handle the end of a worker, and note the suspect record, if any."""
        task, how, place = worker.task, _how(exit_code), worker.progress_slot.read()
        worker.progress_slot.forget()
        if task is None or place is None:
            self._note_early_end(exit_code, task.job.name if task else "starting")
            return
        logger.warning("a worker died (%s) in %s at %s; running it again", how, task.job.name, place)
        task.deaths[place] += 1
        if task.deaths[place] >= DEATHS_TO_BLAME:
            logger.warning("record %s ended its worker %d times: recorded as failed", place, DEATHS_TO_BLAME)
            task.blamed[place] = how

    def _note_early_end(self, exit_code: int | None, where: str) -> None:
        code = exit_code if exit_code is not None else 0
        self._early_ends[code] += 1
        limit = KILLS_BEFORE_ANY_RECORD if code == -signal.SIGKILL else _DEATHS_BEFORE_ANY_RECORD
        if self._early_ends[code] >= limit:
            raise StepError(
                f"workers end before reaching any record ({_how(exit_code)}, {counted(limit, 'time')} in a row, "
                f"{where}); see {self._log_folder}"
            )

    def _end(self, worker: _Worker) -> None:
        worker.conn.close()
        worker.process.join(timeout=0.2 if worker.task is None else 0)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.progress_slot.forget()


def _how(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return signal.Signals(-exit_code).name
    return f"exit code {exit_code}"


def _raise(job: Job, error: BaseException | None, trace: str) -> None:
    """Raise in this process the exception that a job raised in its worker."""
    if isinstance(error, BenchwrightError):
        raise error
    failure = RuntimeError(f"{job.name} failed in its worker:\n{trace}")
    raise failure from error
