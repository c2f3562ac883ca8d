"""An engine that runs jobs in the process of the tests, for tests whose point is not worker processes.

Recipes without a number of shards get two here: at the default of sixteen, a table of a dozen pictures is mostly empty
files, and opening these takes a third of the time of a whole run.

A worker imports its steps anew for every run: half a second of processor time, and several with models. Here jobs and
their results are pickled as on their way to and from a worker, the worker's context is a copy, and output goes into the
worker's log. Tests marked `workers` get the real engine.
"""

from __future__ import annotations

import io
import pickle
import traceback
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from benchwright import recipe
from benchwright.engines.base import Attempt, Done, Job
from benchwright.engines.usage import Meter
from benchwright.errors import BenchwrightError
from benchwright.machine.storage_faults import storage_fault


class EngineHere:
    """One worker in this process; it opens its steps and keeps its caches for the duration of the run."""

    def __init__(self, worker_context: Any, *, workers: int, log_folder: Path, **_unused: Any) -> None:
        if workers < 1:
            raise BenchwrightError(f"--workers {workers}: at least one worker is needed")
        self._given, self._log = worker_context, log_folder / "worker-1.log"
        self._context: Any = None

    def __enter__(self) -> EngineHere:
        return self

    def __exit__(self, *exc: object) -> None:
        self._context = None

    def prepare(self) -> None:
        """Do nothing: this process already runs."""

    def drop_caches(self) -> None:
        if (drop_caches := getattr(self._context, "drop_caches", None)) is not None:
            drop_caches()

    def run(self, jobs: Iterable[Job], needs: object = None) -> Iterator[Done]:
        for job in jobs:
            if self._context is None:
                self._context = _sent(self._given)
            with Meter() as meter:
                result = self._result_of(_sent(job))
                usage = meter.usage()
            yield Done(job, result, usage.wall_s, 1, usage, "worker-1")

    def _result_of(self, job: Job) -> Any:
        printed = io.StringIO()
        try:
            with redirect_stdout(printed), redirect_stderr(printed):
                return _sent(job.run(self._context, Attempt(lambda _place: None)))
        except Exception as error:
            reported = _sent(storage_fault(error) or error)
            if not isinstance(reported, BenchwrightError):
                reported = RuntimeError(f"{job.name} failed in its worker:\n{traceback.format_exc()}")
            raise reported from error
        finally:
            if printed.getvalue():
                with self._log.open("a", encoding="utf-8", errors="backslashreplace") as log:
                    log.write(printed.getvalue())


def _sent(value: Any) -> Any:
    """Return the value as another process would receive it."""
    return pickle.loads(pickle.dumps(value))


def without_workers(patch: pytest.MonkeyPatch) -> None:
    """Let all code that opens the local engine run its jobs in this process."""
    for module in ("benchwright.engines", "benchwright.engines.local"):
        patch.setattr(f"{module}.LocalEngine", EngineHere)


def with_few_shards(patch: pytest.MonkeyPatch) -> None:
    """Give recipes without a number of shards two."""
    as_stated = recipe.checked

    def checked(model: Any, document: Any, *place: Any, **more: Any) -> Any:
        is_silent = model is recipe.Header and isinstance(document, dict) and "shards" not in document
        return as_stated(model, {**document, "shards": 2} if is_silent else document, *place, **more)

    patch.setattr(recipe, "checked", checked)
