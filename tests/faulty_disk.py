"""Commands on a disk that fails at a given call: how they end, and the result of the same command afterwards.

The failing disk is `faulty_disk.c`, compiled here and loaded into every process of a command, so that it also affects
Arrow's and SQLite's own code. A `Scene` is a folder in which a command runs; the command on a clean copy, without a
fault, gives the expected result.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import pytest
from walks import command

Kind = Literal["full", "read_only", "io_error", "torn", "kill"]
KINDS: tuple[Kind, ...] = get_args(Kind)
NEVER_THE_SAME = ("runs", "cache", "journal", "tmp", "lock", "review.sqlite", "home", "replies.jsonl")
"""Entries that vary from run to run, such as the order of replies, or do not matter after a run."""
_SOURCE = Path(__file__).with_name("faulty_disk.c")


@cache
def library() -> Path | None:
    """Return the compiled library; None without a compiler or outside Linux."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        return None
    folder = tempfile.mkdtemp(prefix="bw-faults-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    built = Path(folder, "faulty_disk.so")
    done = subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", built, _SOURCE, "-ldl"], check=False)
    return built if done.returncode == 0 else None


def needs_library() -> Path:
    """Return the compiled library, or skip the test."""
    built = library()
    if built is None:
        pytest.skip("a failing disk needs Linux and a C compiler")
    return built


class Ended(NamedTuple):
    """The ending of a command, and its number of calls that change files."""

    code: int
    out: str
    err: str
    calls: int


@dataclass(frozen=True)
class Case:
    """One command to disturb.

    Args:
        name: Name in reports.
        arguments: Arguments of Benchwright, in a folder that is a copy of the scene.
        made: Results that must be the same in the end: paths in that folder; `stdout` for the output; `store:W` for
            decisions, people, guidelines and tasks in the review store of workspace W.
        env: Further environment.
    """

    name: str
    arguments: Sequence[str]
    made: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)


def run_in(folder: Path, case: Case, *, kind: Kind | None = None, at: int = 0, clock_s: int = 0) -> Ended:
    """Run a case's command in a folder, with a fault or without."""
    (folder / "home").mkdir(exist_ok=True)
    counter = folder.with_name(folder.name + ".counter")
    counter.write_bytes(bytes(8))
    env = {
        **os.environ, "LD_PRELOAD": str(needs_library()), "FAULTY_FOLDER": str(folder),
        "FAULTY_COUNTER": str(counter), "FAULTY_KIND": kind or "", "FAULTY_AT": str(at),
        "FAULTY_CLOCK_S": str(clock_s), "TMPDIR": str(folder / "home"), **case.env,
    }  # fmt: skip
    done = subprocess.run(
        command(*case.arguments), cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=300,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    calls = int.from_bytes(counter.read_bytes(), "little")
    counter.unlink()
    return Ended(done.returncode, done.stdout, done.stderr, calls)


def digests(folder: Path, made: Sequence[str]) -> dict[str, str]:
    """Return the SHA-256 of every file that must be the same in the end."""
    found = {}
    for name in made:
        if name.startswith("store:"):
            found[name] = _decisions(folder / name.removeprefix("store:") / "review.sqlite")
        root = folder / name
        for path in sorted([root, *root.rglob("*")]):
            inside = path.relative_to(folder)
            if path.is_file() and not {*inside.parts, inside.name.partition("-")[0]} & {*NEVER_THE_SAME}:
                found[inside.as_posix()] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


_DECIDED = (
    "SELECT decision, version FROM annotations ORDER BY slot_id, version",
    "SELECT stage, record_id, action, why FROM overrides ORDER BY id",
    "SELECT name FROM annotators ORDER BY name",
    "SELECT version, origin, text FROM guidelines ORDER BY campaign_id, version",
    "SELECT campaigns.name, item_id FROM tasks JOIN campaigns ON campaigns.id = campaign_id ORDER BY 1, 2",
)


def _decisions(path: Path) -> str:
    """Return the decisions in a review store, without ids and times."""
    if not path.exists():
        return "no store"
    with closing(sqlite3.connect(path)) as database:
        try:
            return repr([database.execute(query).fetchall() for query in _DECIDED])
        except sqlite3.OperationalError as error:  # no tables yet
            return str(error)


@cache
def _place() -> Path:
    """Return the folder for copied scenes: a constant, short path, because it holds sockets of worker processes."""
    folder = tempfile.mkdtemp(prefix="bwf-", dir="/tmp")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder, "s")


@contextmanager
def copied(scene: Path) -> Iterator[Path]:
    """Yield a copy of a scene."""
    folder = _place()
    shutil.copytree(scene, folder, symlinks=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Clean(NamedTuple):
    """A case without a fault: its results and its number of calls."""

    code: int
    out: str
    made: dict[str, str]
    calls: int


def undisturbed(scene: Path, case: Case) -> Clean:
    """Run a case without a fault."""
    with copied(scene) as folder:
        ended = run_in(folder, case)
        assert ended.code in {0, 1}, ended.err[-2000:]
        return Clean(ended.code, _printed(ended.out, folder), digests(folder, case.made), ended.calls)


def problems_of(scene: Path, case: Case, clean: Clean, kind: Kind, at: int) -> list[str]:
    """Disturb a case once, run it again without a fault, and return the deviations."""
    with copied(scene) as folder:
        disturbed = run_in(folder, case, kind=kind, at=at)
        found = _ended_badly(disturbed, kind)
        already = digests(folder, case.made) == clean.made
        again = run_in(folder, case)
        found += [f"again: {line}" for line in _ended_badly(again, None)]
        if again.code != clean.code and not (again.code == 2 and already):
            found.append(f"again: exit code {again.code}, {clean.code} where nothing went wrong: {again.err[-400:]}")
        if "stdout" in case.made and again.code == clean.code and _printed(again.out, folder) != clean.out:
            found.append("again: other words on standard output")
        made = digests(folder, case.made)
        different = sorted(name for name in {*made, *clean.made} if made.get(name) != clean.made.get(name))
        if different:
            found.append(f"again: {len(different)} files are not what they should be, such as {different[0]}")
    return [f"{case.name}, {kind} at {at} of {clean.calls}: {line}" for line in found]


def _ended_badly(ended: Ended, kind: Kind | None) -> list[str]:
    if kind in {"torn", "kill"} and ended.code == -9:
        return []
    lines = ended.err.splitlines()
    errors = [line for line in lines if line.startswith("benchwright: error: ")]
    found = []
    if ended.code not in {0, 1, 2}:
        found.append(f"exit code {ended.code}: {ended.err[-800:]}")
    if any(line.startswith("Traceback") for line in lines):
        found.append(f"a traceback: {ended.err[-800:]}")
    if ended.code == 2 and len(errors) != 1:
        found.append(f"{len(errors)} lines of error: {ended.err[-400:]}")
    return found


def _printed(text: str, folder: Path) -> str:
    return text.replace(str(folder), "SCENE")


def points(calls: int, count: int) -> list[int]:
    """Return up to `count` calls spread over the whole command, including the first and the last."""
    if calls <= count:
        return list(range(1, calls + 1))
    return sorted({1 + round(number * (calls - 1) / (count - 1)) for number in range(count)})
