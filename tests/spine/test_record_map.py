"""Functions mapped over records: in order, with failures recorded, the same on workers and in this process, and
cached.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from record_functions import WorkerThere, halved, process_of, told

from benchwright.engines import LocalEngine
from benchwright.engines.record_jobs import EngineMap, map_on_this_machine
from benchwright.engines.usage import Meter
from benchwright.errors import PrerequisiteError, StepError
from benchwright.pipeline.stages.runlog import RunLog, logged
from benchwright.pipeline.stages.stage_events import StageEvents
from benchwright.record_map import Kept, LostRecord, RecordMap, map_here, unless_lost
from benchwright.workspace.item_cache import ItemCache
from benchwright.workspace.shards import VerdictCounts
from benchwright.workspace.workspace import Workspace


@pytest.fixture
def log(tmp_path: Path) -> Iterator[RunLog]:
    with logged(Workspace.create(tmp_path / "w"), {}) as log:
        yield log


@pytest.fixture
def on_workers(tmp_path: Path, log: RunLog) -> Iterator[RecordMap]:
    events = StageEvents(log, lambda _stage: VerdictCounts.total([]), is_profiled=False)
    with LocalEngine(WorkerThere(), workers=2, log_folder=tmp_path) as engine:
        yield EngineMap("final", lambda jobs: _noted(engine, jobs, events), workers=2, events=events)


def _noted(engine: LocalEngine, jobs: Any, events: StageEvents) -> Iterator[Any]:
    for done in engine.run(jobs):
        events.job(done, ["final"])
        yield done


def _events(log: RunLog, kind: str) -> list[dict[str, Any]]:
    lines = (log.folder / "events.jsonl").read_text(encoding="utf-8").splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == kind]


def test_values_come_in_the_order_of_the_records_and_a_refused_one_is_lost_alone(on_workers: RecordMap) -> None:
    records = list(range(0, 300, 2))
    records[70] = 7
    values = list(on_workers(halved, iter(records), what="halves"))
    assert values[70] == LostRecord("unfit", "7 is odd")
    assert values == list(map_here(halved, records, what="halves"))
    assert [value for value in values if not isinstance(value, LostRecord)] == [
        str(n // 2).encode() for n in records if n % 2 == 0
    ]


def test_few_records_are_read_ahead_where_they_are_large(on_workers: RecordMap) -> None:
    read: list[int] = []

    def records() -> Iterator[int]:
        for number in range(0, 20, 2):
            read.append(number)
            yield number

    values = on_workers(halved, records(), what="halves", size_of=lambda _: 40 * 1024**2)
    assert next(values) == b"0"
    assert read == [0, 2]
    assert len(list(values)) == 9


@pytest.mark.workers
def test_a_command_starts_workers_only_for_what_comes_after_the_first_records() -> None:
    records = list(range(0, 100, 2))
    with map_on_this_machine("halves", workers=2) as record_map:
        assert list(record_map(process_of, records[:20], what="halves")) == [os.getpid()] * 20
        rest = list(record_map(process_of, records, what="halves"))
    assert rest[:12] == [os.getpid()] * 12
    assert os.getpid() not in rest[12:]


def test_a_defect_of_the_function_is_recorded_without_its_message(on_workers: RecordMap) -> None:
    [value] = on_workers(told, ["defect"], what="told")
    assert isinstance(value, LostRecord)
    assert value.reason == "step_error"
    assert value.message.startswith("KeyError (record_functions.py:")
    with pytest.raises(StepError, match=r"the table: KeyError .*step_error"):
        unless_lost(value, "the table")


@pytest.mark.workers
@pytest.mark.slow
def test_a_record_that_ends_its_worker_is_lost_and_its_neighbours_are_not(on_workers: RecordMap) -> None:
    values = list(on_workers(told, ["a", "death", "b"], what="told"))
    assert values == ["a", LostRecord("worker_died", "it ended its worker several times (exit code 3)"), "b"]


def test_what_the_user_must_mend_ends_the_map(on_workers: RecordMap) -> None:
    with pytest.raises(PrerequisiteError, match="no weights"):
        list(on_workers(told, ["a", "weights"], what="told"))


def test_kept_values_are_not_computed_again_and_losses_are(on_workers: RecordMap, log: RunLog, tmp_path: Path) -> None:
    with ItemCache(tmp_path / "items.sqlite") as cache:
        kept: Kept[int] = Kept(cache, lambda number: ("half", number))
        first = list(on_workers(halved, [2, 3, 4, 6, 8, 10], what="halves", kept=kept))
        again = list(on_workers(halved, [2, 3, 4, 6, 8, 10, 12], what="halves", kept=kept))
    assert again == [*first, b"6"]
    counts = [(event["records"], event["kept"], event["lost"]) for event in _events(log, "map")]
    assert counts == [(6, 0, 1), (7, 5, 1)]
    assert len(_events(log, "job")) == 2 + 1  # four records a job


@pytest.mark.workers
@pytest.mark.slow
def test_a_map_that_is_left_before_its_end_leaves_nothing_to_the_next(on_workers: RecordMap) -> None:
    values = iter(on_workers(told, ["a", "weights", "b", "c", "d"] * 8, what="told", together=1))
    with pytest.raises(PrerequisiteError):
        list(values)
    assert list(on_workers(told, ["e", "f"], what="told", together=1)) == ["e", "f"]


def test_an_outer_meter_keeps_the_peak_that_came_before_an_inner_one_began_anew() -> None:
    outer = Meter(peak_anew=True)
    with mmap.mmap(-1, 60 << 20) as block:  # memory from the allocator may be resident already
        for page in range(0, len(block), mmap.PAGESIZE):
            block[page] = 1
    inner = Meter(peak_anew=True)
    within = inner.usage()
    around = outer.usage()
    assert around.peak_bytes >= within.peak_bytes + (30 << 20)
    assert around.cpu_s >= within.cpu_s
    assert (around + within) - within == around
