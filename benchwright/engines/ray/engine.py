"""The Ray engine: runs jobs on a cluster, with one supervised worker process per actor.

Supervision has two levels. On its node, an actor supervises its process as the local engine does: it blames a record
that ends the process repeatedly, and replaces a process that hangs. This module supervises the actors. If an actor is
lost with its node, no record is at fault, and the job runs again elsewhere. If an actor ends although its node lives
(Ray ends actors when a node's memory runs short), its job is suspect. It then runs again record by record, each noted
in a file before it starts, so that a record that ends three actors is blamed as well.
"""

from __future__ import annotations

import logging
import os
import pickle
import sys
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from benchwright.engines.base import Done, Job, Place
from benchwright.engines.local import DEATHS_TO_BLAME, HANG_S, KILLS_BEFORE_ANY_RECORD
from benchwright.engines.ray.cluster import check_nodes, import_ray, joined, living_nodes, room_for
from benchwright.engines.ray.host import Host, options_of
from benchwright.engines.ray.serialized_jobs import SerializedJob, noted_place
from benchwright.engines.ray.shared_folders import SharedFolders, Token, token_in
from benchwright.errors import BenchwrightError, StepError
from benchwright.steps import Resources
from benchwright.texts.normalization import counted

logger = logging.getLogger(__name__)

_NO_WORKER_S = 900.0
"""Seconds without a worker after which the run ends: the cluster is full, or no longer has the required resources."""

_PATIENCE_S = 30.0
"""Seconds without a worker after which a warning names what the run is waiting for."""

_STOP_S = 10.0


@dataclass
class _ActorTask:
    job: Any
    data: bytes
    deaths: Counter[Place] = field(default_factory=Counter)
    blamed: dict[Place, str] = field(default_factory=dict)
    ends: int = 0
    attempts: int = 0
    suspect: bool = False


@dataclass
class _ActorWorker:
    number: int
    actor: Any
    answer: Any
    node: str = ""
    name: str = "a node"
    is_ready: bool = False
    task: _ActorTask | None = None
    note: Path | None = None


class RayEngine:
    """Actors on a Ray cluster for one run; use it as a context manager.

    Args:
        worker_context: Picklable context, passed to every worker once and to every job's `run`.
        workers: Largest number of actors; None for as many as fit on the cluster.
        log_folder: Folder for the output of workers, visible to all nodes.
        address: Address of the cluster; see `cluster.joined`.
        shared: Folders that every node must share; checked before anything runs, and by every actor.
        hang_s: Seconds spent on one record after which a worker process is replaced.
    """

    def __init__(
        self,
        worker_context: Any,
        *,
        workers: int | None,
        log_folder: Path,
        address: str | None = None,
        shared: SharedFolders | None = None,
        hang_s: float = HANG_S,
    ) -> None:
        if workers is not None and workers < 1:
            raise BenchwrightError(f"--workers {workers}: at least one worker is needed")
        self._ray = import_ray()
        self._worker_context = pickle.dumps(worker_context)
        self._limit = workers
        self._log_folder = log_folder.absolute()
        self._address = address
        self._shared = shared
        self._hang_s = hang_s
        self._open = ExitStack()
        self._token: Token | None = None
        self._needs = Resources()
        self._workers: list[_ActorWorker] = []
        self._started = 0
        self._failed_starts = 0
        self._heard_at = 0.0
        self._has_complained = False

    def __enter__(self) -> Self:
        with ExitStack() as opening:
            opening.enter_context(joined(self._address, self._limit))
            if self._shared is not None:
                self._token = opening.enter_context(token_in(self._shared))
                check_nodes(self._token)
            self._packed = self._ray.put(self._worker_context)
            self._open = opening.pop_all()
        return self

    def __exit__(self, *exc: object) -> None:
        try:
            self._end(self._workers)
        finally:
            self._open.close()

    def prepare(self) -> None:
        """Do nothing: actors can start only when the needs of their jobs are known (`Engine.prepare`)."""

    def drop_caches(self) -> None:
        """Do nothing: each actor has reserved the memory that its jobs need (`Engine.drop_caches`)."""

    def run(self, jobs: Iterable[Job], needs: Resources | None = None) -> Iterator[Done]:
        """Run jobs and yield each as it finishes (`Engine.run`)."""
        waiting = deque(_ActorTask(job, pickle.dumps(job)) for job in jobs)
        if not waiting:
            return
        # Ray allocates whole GPUs and shares of them, without regard to their memory.
        room = self._settle((needs or Resources())._replace(gpu_memory_mb=0, shared_gpu_memory_mb=0))
        self._heard_at = time.monotonic()
        try:
            yield from self._all(waiting, room)
        finally:  # answers to a call not read to its end belong to no later call
            busy = [worker for worker in self._workers if worker.task is not None]
            self._workers = [worker for worker in self._workers if worker.task is None]
            self._end(busy)

    def _all(self, waiting: deque[_ActorTask], room: int) -> Iterator[Done]:
        while waiting or any(worker.task for worker in self._workers):
            busy = sum(worker.task is not None for worker in self._workers)
            self._keep_staffed(min(room, len(waiting) + busy))
            for worker in self._workers:
                if worker.is_ready and worker.task is None and waiting:
                    self._give(worker, waiting.popleft())
            for worker in self._next_to_hear():
                done = self._hear(worker)
                if done is not None:
                    yield done
                elif worker not in self._workers and worker.task is not None:
                    waiting.appendleft(worker.task)
            if not any(worker.is_ready for worker in self._workers):
                self._wait_for_workers()

    def _settle(self, needs: Resources) -> int:
        """End workers whose resources differ from those needed; return the largest number of workers for these jobs.

        Raises:
            StepError: No node has the resources.
        """
        if needs.gpus > 1 and needs.gpus != int(needs.gpus):
            raise StepError(f"a step requests {needs.gpus} GPUs; request a whole number, or a share below 1")
        room = room_for(needs)
        if room < 1:
            raise StepError(
                f"no node of the cluster has {_words(needs)} for a worker, which a step requests; it has "
                f"{'; '.join(_what_has(node) for node in living_nodes())}; start such a node and run again"
            )
        if needs != self._needs:
            self._end(self._workers)
            self._needs = needs
        return min(room, self._limit or room)

    def _keep_staffed(self, wanted: int) -> None:
        while len(self._workers) < wanted:
            self._started += 1
            host = self._ray.remote(Host).options(**options_of(self._needs.gpus, self._needs.memory_mb))
            actor = host.remote(
                self._packed,
                number=self._started,
                log_folder=self._log_folder,
                hang_s=self._hang_s,
                paths=[path for path in sys.path if path],
                folder=os.getcwd(),
            )
            self._workers.append(_ActorWorker(self._started, actor, actor.ready.remote(self._token)))

    def _wait_for_workers(self) -> None:
        """Report once which resources the run is waiting for; raise an error after `_NO_WORKER_S` seconds."""
        waited = time.monotonic() - self._heard_at
        if waited > _NO_WORKER_S:
            raise StepError(f"the cluster has started no worker with {_words(self._needs)} for {_NO_WORKER_S:.0f} s")
        if waited > _PATIENCE_S and not self._has_complained:
            self._has_complained = True
            logger.warning("waiting for the cluster to have %s free", _words(self._needs))

    def _give(self, worker: _ActorWorker, task: _ActorTask) -> None:
        task.attempts += 1
        worker.note = self._log_folder / f"worker-{worker.number}.at-{task.attempts}" if task.suspect else None
        serialized_job = SerializedJob(
            task.job.name, task.job.size, task.data, task.suspect, dict(task.blamed), worker.note
        )
        worker.task, worker.answer = task, worker.actor.run.remote(serialized_job)

    def _next_to_hear(self) -> list[_ActorWorker]:
        by_answer = {
            worker.answer: worker for worker in self._workers if worker.task is not None or not worker.is_ready
        }
        ready, _ = self._ray.wait(list(by_answer), num_returns=1, timeout=1.0)
        if ready:
            self._heard_at = time.monotonic()
        return [by_answer[answer] for answer in ready]

    def _hear(self, worker: _ActorWorker) -> Done | None:
        """Return the job that a worker has finished; None if the worker has only just started, or has ended."""
        errors = self._ray.exceptions
        try:
            answer = self._ray.get(worker.answer)
        except errors.RayTaskError as error:
            worker.task = None
            raise error.cause if isinstance(error.cause, Exception) else error from None
        except errors.RayError as error:
            self._workers.remove(worker)
            self._note_end(worker, error)
            return None
        if not worker.is_ready:
            worker.node, worker.name, sight = answer
            if self._token is not None:
                self._token.check(worker.name, sight)
            worker.is_ready, self._failed_starts = True, 0
            return None
        task, worker.task = worker.task, None
        assert task is not None, "only a worker with a job answers"
        if worker.note is not None:
            worker.note.unlink(missing_ok=True)
        data, usage, attempts, name = answer
        result = pickle.loads(data)  # noqa: S301 - from a worker of this run
        return Done(task.job, result, usage.wall_s, task.attempts - 1 + attempts, usage, name)

    def _note_end(self, worker: _ActorWorker, error: Exception) -> None:
        """Handle an actor's end: the node was lost, the job is suspect, or a record is to blame."""
        if worker.task is None:
            self._note_failed_start(error)
            return
        task = worker.task
        task.ends += 1
        if task.ends >= KILLS_BEFORE_ANY_RECORD:
            raise StepError(
                f"{task.job.name} lost its worker {counted(task.ends, 'time')}; see {self._log_folder}"
            ) from error
        if not self._is_fault(worker, error):
            logger.warning("worker %d was lost with %s; %s runs elsewhere", worker.number, worker.name, task.job.name)
            return
        place = noted_place(worker.note) if worker.note is not None else None
        logger.warning(
            "worker %d ended on %s in %s at %s", worker.number, worker.name, task.job.name, place or "a record"
        )
        task.suspect = True
        if place is not None:
            task.deaths[place] += 1
            if task.deaths[place] >= DEATHS_TO_BLAME:
                logger.warning("record %s ended its worker %d times: recorded as failed", place, DEATHS_TO_BLAME)
                task.blamed[place] = "SIGKILL"

    def _is_fault(self, worker: _ActorWorker, error: Exception) -> bool:
        """Return whether an actor ended by itself: only if Ray reports this and its node is still alive."""
        died = isinstance(error, self._ray.exceptions.ActorDiedError)
        return died and any(node.id == worker.node for node in living_nodes())

    def _note_failed_start(self, error: Exception) -> None:
        self._failed_starts += 1
        # A node may be lost while all its workers start, so the limit is multiplied by their number.
        limit = KILLS_BEFORE_ANY_RECORD * max(1, len(self._workers))
        if getattr(error, "actor_init_failed", False) or self._failed_starts >= limit:
            raise StepError(f"the cluster cannot start workers: {error}; see {self._log_folder}") from error

    def _end(self, workers: list[_ActorWorker]) -> None:
        """Stop processes and actors, waiting only a limited time for them to end."""
        stops = [worker.actor.stop.remote() for worker in workers if worker.is_ready]
        if stops:
            self._ray.wait(stops, num_returns=len(stops), timeout=_STOP_S)
        for worker in workers:
            self._ray.kill(worker.actor)
        workers.clear()


def _words(needs: Resources) -> str:
    gpus = f"{needs.gpus:g} GPU, " if needs.gpus else ""
    return f"{gpus}1 processor and {needs.memory_mb} MB of memory"


def _what_has(node: Any) -> str:
    return f"{node.name}: {node.gpus:g} GPU, {node.cpus:g} processors, {node.memory / 2**20:.0f} MB"
