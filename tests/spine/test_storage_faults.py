"""A full, read-only or failing disk yields one line that names the path, whichever library met the fault, and
wherever.
"""

from __future__ import annotations

import errno
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa
from PIL import Image
from walks import benchwright, command

from benchwright.cli.main import invoke
from benchwright.engines import LocalEngine
from benchwright.engines.worker import _opened_log
from benchwright.errors import StorageError
from benchwright.machine.storage_faults import is_of_the_machine, storage_fault
from benchwright.workspace.atomic import replacing, write_bytes

FULL = Path("/dev/full")
"""Takes no byte, as a full disk."""

needs_dev_full = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


def _python() -> None:
    with FULL.open("w") as handle:
        handle.write("x" * 100_000)


def _arrow() -> None:
    with pa.OSFile(str(FULL), "wb") as sink:  # by its path pyarrow would remove the device itself
        pq.write_table(pa.table({"a": list(range(100_000))}), sink)


def _pillow() -> None:
    Image.effect_noise((301, 207), 40).save(FULL, "PNG")


def _sqlite() -> None:
    with sqlite3.connect(":memory:") as database:
        database.execute("PRAGMA max_page_count = 2")
        database.execute("CREATE TABLE a (b)")
        database.execute("INSERT INTO a VALUES (zeroblob(1000000))")


def _sqlalchemy() -> None:
    with sa.create_engine("sqlite://").connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 2")
        connection.exec_driver_sql("CREATE TABLE a (b)")
        connection.exec_driver_sql("INSERT INTO a VALUES (zeroblob(1000000))")


def _another_on_top() -> None:
    try:
        _python()
    except OSError as error:
        raise RuntimeError("shard 3 failed in its worker") from error


@needs_dev_full
@pytest.mark.parametrize("write", [_python, _arrow, _pillow, _sqlite, _sqlalchemy, _another_on_top])
def test_a_full_disk_is_known_whoever_meets_it(write: Callable[[], None]) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever the library raises
        write()
    assert is_of_the_machine(caught.value)
    fault = storage_fault(caught.value, path="/w/tables/a.parquet")
    assert fault is not None
    assert "cannot be written: the disk is full" in str(fault)
    assert "MB free" in str(fault)


def test_an_error_that_has_nothing_to_do_with_storage_stays_what_it_is() -> None:
    assert storage_fault(ValueError("7 is no shard")) is None
    assert storage_fault(ConnectionRefusedError(errno.ECONNREFUSED, "refused")) is None


def _onto_a_full_disk(target: Path) -> None:
    with replacing(target) as draft:
        draft.symlink_to(FULL)
        draft.write_bytes(b"new" * 100_000)


@needs_dev_full
def test_a_file_that_cannot_be_written_whole_leaves_the_old_one_and_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "settings.json"
    write_bytes(target, b"old")
    with pytest.raises(StorageError, match=r"settings\.json cannot be written: the disk is full"):
        _onto_a_full_disk(target)
    assert (target.read_bytes(), sorted(tmp_path.iterdir())) == (b"old", [target])


def test_a_draft_of_a_killed_process_goes_when_the_file_is_written_next(tmp_path: Path) -> None:
    target = tmp_path / "scores [1].json"
    kill_half_way = (
        "import os, pathlib, signal, sys; from benchwright.workspace.atomic import replacing\n"
        "with replacing(pathlib.Path(sys.argv[1])) as draft:\n"
        "    draft.write_text('half'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    for _ in range(2):
        subprocess.run([sys.executable, "-c", kill_half_way, str(target)], check=False)
        assert len(list(tmp_path.iterdir())) == 1
    with replacing(target) as under_way:
        under_way.write_bytes(b"one")
        write_bytes(target, b"other")
        assert sorted(tmp_path.iterdir()) == sorted([target, under_way])
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("below", ["", "w", "w/deeper"])
def test_a_workspace_that_cannot_be_made_is_one_line(
    tmp_path: Path, below: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "r.yaml").write_text("name: r\nsteps:\n  - exact_duplicates\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("not a folder", encoding="utf-8")
    place = tmp_path / "notes.txt" / below
    code = invoke(["run", str(tmp_path / "r.yaml"), "--images", str(tmp_path / "images"), "--workspace", str(place)])
    lines = capsys.readouterr().err.strip().splitlines()
    assert (code, len(lines)) == (2, 1)
    assert "notes.txt" in lines[0]


class _FullDisk:
    """A job that meets a full disk."""

    name = "a job"
    size = 1

    def run(self, _worker: object, _attempt: object) -> None:
        _another_on_top()


@needs_dev_full
def test_a_full_disk_in_a_worker_is_told_as_one(tmp_path: Path) -> None:
    with LocalEngine(None, workers=1, log_folder=tmp_path) as engine, pytest.raises(StorageError, match="disk is full"):
        list(engine.run([_FullDisk()]))


@needs_dev_full
def test_what_a_worker_prints_may_come_to_nothing() -> None:
    with _opened_log(str(FULL)) as log:
        log.write("a line\n" * 10_000)


@needs_dev_full
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_standard_output_on_a_full_disk_is_one_line(more: list[str]) -> None:
    with FULL.open("w") as full:
        done = subprocess.run(
            command("steps", *more), stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60
        )
    assert done.returncode == 2
    assert "standard output cannot be written" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_recipe_copied_below_a_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file", encoding="utf-8")
    done = benchwright("recipes", "--to", tmp_path / "out" / "deeper", "demo")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
