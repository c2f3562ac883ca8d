"""The progress of a worker: its last report, however it ended."""

from __future__ import annotations

import os
import signal
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from benchwright.engines.progress_slot import ProgressSlot


def _goes_on_forever(path: Path, conn: Connection) -> None:
    progress_slot = ProgressSlot.join(path)
    conn.send("joined")
    number = 0
    while True:
        number += 1
        progress_slot.at((f"stage {number}", str(number) * (1 + number % 500)))


def test_a_place_is_read_as_it_was_said_and_nowhere_as_none() -> None:
    ours = ProgressSlot.make()
    assert ours.read() is None
    theirs = ProgressSlot.join(ours.path)
    assert not ours.path.exists()
    for place in (("ingest", "a/b.jpg"), ("ingest", "\udcff" * 4096), None, ("sharp.measure", "0" * 64)):
        theirs.at(place)
        assert ours.read() == place
    ours.forget()


def test_it_can_be_told_whether_a_worker_has_moved() -> None:
    ours = ProgressSlot.make()
    seen = {ours.raw()}
    for place in (("one", "a"), ("one", "b"), ("two", "b")):
        ours.at(place)
        assert ours.raw() not in seen
        seen.add(ours.raw())
        assert ours.raw() in seen
    ours.forget()
    assert not ours.path.exists()


@pytest.mark.slow
@pytest.mark.parametrize("number", range(5))
def test_a_worker_that_is_killed_while_it_writes_leaves_a_whole_place(number: int) -> None:
    del number
    context = get_context("spawn")
    ours, (mine, theirs) = ProgressSlot.make(), context.Pipe()
    process = context.Process(target=_goes_on_forever, args=(ours.path, theirs), daemon=True)
    process.start()
    assert mine.recv() == "joined"
    while not ours.raw():
        pass
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    place = ours.read()
    assert place is not None
    reached = place[0].removeprefix("stage ")
    assert place[1] == reached * (1 + int(reached) % 500)
    ours.forget()
