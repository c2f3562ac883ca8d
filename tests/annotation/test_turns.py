"""Writers of one file take turns: threads, stores and processes, even after one of them died."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from benchwright.annotation.store.database.turns import Turns
from benchwright.annotation.store.review_store import open_store

HOLD = """
import sys, time
from pathlib import Path
from benchwright.annotation.store.database.turns import Turns
with Turns(Path(sys.argv[1]), patience_s=30).turn():
    print("has it", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "review.sqlite"


def test_two_stores_of_one_file_take_turns(path: Path) -> None:
    one, other = Turns(path, patience_s=30), Turns(path, patience_s=30)
    order: list[str] = []

    def second() -> None:
        with other.turn():
            order.append("second")

    thread = threading.Thread(target=second)
    with one.turn():
        thread.start()
        while thread.is_alive() and not one._mine._waiting:
            time.sleep(0.001)
        order.append("first")
    thread.join(timeout=10)
    assert order == ["first", "second"]


def test_the_turn_of_a_process_that_is_killed_comes_free(path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "has it\n"
        had: list[float] = []

        def wait() -> None:
            with Turns(path, patience_s=30).turn():
                had.append(time.monotonic())

        thread = threading.Thread(target=wait)
        thread.start()
        thread.join(timeout=0.2)
        assert had == []
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    thread.join(timeout=10)
    assert len(had) == 1


def test_whoever_waits_in_vain_for_a_turn_of_this_process_goes_on_without(path: Path) -> None:
    with Turns(path, patience_s=30).turn(), Turns(path, patience_s=0.01).turn():
        pass  # the database's own lock is still to be had, or refused in words


def test_a_folder_that_cannot_be_written_to_is_no_reason_to_wait(tmp_path: Path) -> None:
    with Turns(tmp_path / "nowhere" / "review.sqlite", patience_s=30).turn():
        assert not (tmp_path / "nowhere").exists()


def test_the_file_of_turns_is_the_owners_only_and_holds_nothing(path: Path) -> None:
    with open_store(f"sqlite:///{path}") as store:
        store.upsert_annotator("ann")
    turn = path.with_name("review.sqlite-turn")
    assert turn.stat().st_mode & 0o077 == 0
    assert turn.read_bytes() == b""
