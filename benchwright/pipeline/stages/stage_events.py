"""The events of a run's stages in the run's log, for every kind of stage and every engine.

{"event": "start", "stage", "kind"}                     a stage starts
{"event": "job", "of", "worker", "usage", ...}          a worker has finished a job for these stages
{"event": "map", "stage", "what", "records", ...}       a step has mapped a function over records
{"event": "part", "stage", "what", "usage"}             resources of the main process for a part of a final step
{"event": "end", "stage", "state", "counts", ...}       a stage has ended: done, waiting for people, or failed
{"event": "pass", "stages", "usage"}                    resources of the main process for stages that end together
{"event": "run", "usage"}                               resources of the main process for the whole run

Stages that share a pass over the images start and end together. Concurrent parts, such as models behind different
endpoints, each count all work of the main process meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from benchwright.engines.base import Done
from benchwright.engines.usage import Meter
from benchwright.pipeline.stages.runlog import RunLog
from benchwright.workspace.shards import VerdictCounts


@dataclass
class Watched:
    """The state of a pass at its end.

    Args:
        ran: Number of shards or steps that ran; 0 if everything was already up to date.
        state: Final state of the stages.
        counts: Counts of results outside tables, such as the artifacts of a final step.
    """

    ran: int = 0
    state: Literal["done", "waiting", "failed"] = "done"
    counts: Mapping[str, Any] = field(default_factory=dict)


class StageEvents:
    """Writer of the events of stages.

    Args:
        log: Log of the run.
        counts: Function that returns the counts of a stage's table.
        is_profiled: Whether to reset the main process's peak of memory at each stage.
    """

    def __init__(self, log: RunLog, counts: Callable[[str], VerdictCounts], *, is_profiled: bool) -> None:
        self._log, self._counts, self._is_profiled = log, counts, is_profiled

    @contextmanager
    def run(self) -> Iterator[None]:
        """Write the resources that the main process spends on the block, which is the whole run."""
        with Meter(peak_anew=self._is_profiled) as meter:
            try:
                yield
            finally:
                self._log.event("run", usage=meter.usage().to_json())

    @contextmanager
    def stages(self, stages: Sequence[str], kind: str) -> Iterator[Watched]:
        """Write that stages start with the block and end with it, even if the block raises an error."""
        for stage in stages:
            self._log.event("start", stage=stage, kind=kind)
        watched = Watched()
        with Meter(peak_anew=self._is_profiled) as meter:
            try:
                yield watched
            except BaseException:
                watched.state = "failed"
                raise
            finally:
                usage = meter.usage().to_json()
                for stage in stages:
                    counts = dict(watched.counts)
                    if watched.state == "done" and kind != "final":
                        counts |= self._counts(stage).to_json()
                    self._log.event("end", stage=stage, state=watched.state, ran=watched.ran, counts=counts)
                self._log.event("pass", stages=list(stages), usage=usage)

    @contextmanager
    def part(self, stage: str, what: str) -> Iterator[None]:
        """Write the resources that the main process spends on the block, which is a part of a final step."""
        with Meter() as meter:
            try:
                yield
            finally:
                self._log.event("part", stage=stage, what=what, usage=meter.usage().to_json())

    def job(self, done: Done, stages: Sequence[str]) -> None:
        """Write that a worker has finished a job for these stages."""
        result = done.result if isinstance(done.result, dict) else {}
        self._log.event(
            "job",
            name=done.job.name,
            of=list(stages),
            wall=done.seconds,
            attempts=done.attempts,
            worker=done.worker,
            usage=done.usage.to_json(),
            **result,
        )

    def mapped(self, stage: str, what: str, **counts: int) -> None:
        """Write that a step has mapped a function over records."""
        self._log.event("map", stage=stage, what=what, **counts)
