"""The local engine: every job ends once, whatever happens to workers, and the record at fault is named."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from multiprocessing import forkserver
from pathlib import Path

import pytest
from engine_jobs import AtOnce, DiesWhenOpened, Environment, Rested, Squares

from benchwright.engines import LocalEngine, default_workers, starting
from benchwright.engines.local import processors
from benchwright.errors import BenchwrightError, PrerequisiteError, StepError

pytestmark = pytest.mark.slow


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[LocalEngine]:
    with LocalEngine({"add": 1}, workers=2, log_folder=tmp_path, hang_s=1.5) as engine:
        yield engine


def _results(engine: LocalEngine, jobs: list[Squares]) -> dict[tuple[int, ...], list[int | str]]:
    return {done.job.numbers: done.result for done in engine.run(jobs)}


def test_every_job_runs_once_and_gives_its_result(engine: LocalEngine) -> None:
    jobs = [Squares((n, n + 1)) for n in range(7)]
    assert _results(engine, jobs) == {(n, n + 1): [n * n + 1, (n + 1) ** 2 + 1] for n in range(7)}


@pytest.mark.parametrize(("how", "named"), [("segfault", "SIGSEGV"), ("exit", "exit code 7"), ("hang", "SIGKILL")])
def test_a_record_that_always_ends_its_worker_is_blamed_and_the_others_come_through(
    engine: LocalEngine, how: str, named: str
) -> None:
    found = _results(engine, [Squares((1, 2, 3), deadly=2, die_by=how), Squares((5,))])
    assert found == {(1, 2, 3): [2, f"blamed: {named}", 10], (5,): [26]}


def test_a_record_that_was_only_unlucky_once_is_not_blamed(engine: LocalEngine, tmp_path: Path) -> None:
    found = _results(engine, [Squares((1, 2, 3), deadly=2, die_by="kill", once_in=tmp_path / "done")])
    assert found == {(1, 2, 3): [2, 5, 10]}


def test_what_the_user_must_mend_is_raised_as_it_is(engine: LocalEngine) -> None:
    with pytest.raises(PrerequisiteError, match="no weights here"):
        _results(engine, [Squares((2,), deadly=2, die_by="prerequisite")])


def test_a_defect_in_a_job_is_raised_with_the_workers_traceback(engine: LocalEngine) -> None:
    with pytest.raises(RuntimeError, match=r"squares failed in its worker:[\s\S]*_die[\s\S]*KeyError"):
        _results(engine, [Squares((2,), deadly=2, die_by="bug")])


def test_workers_that_die_before_any_record_end_the_run_with_an_error(tmp_path: Path) -> None:
    with (
        LocalEngine(DiesWhenOpened(), workers=1, log_folder=tmp_path) as engine,
        pytest.raises(StepError, match=r"exit code 9.*see "),
    ):
        list(engine.run([Squares((1,))]))


def test_workers_are_as_many_as_processors_unless_memory_holds_fewer() -> None:
    assert default_workers(1) == processors()
    assert default_workers(10**9) == 1


def test_no_workers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchwrightError, match="give at least 1"):
        LocalEngine({}, workers=0, log_folder=tmp_path)


def test_a_worker_sees_the_environment_of_the_run_and_one_thread_a_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHWRIGHT_TEST_WORD", "blue")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "8")
    with LocalEngine({}, workers=1, log_folder=tmp_path) as engine:
        (done,) = engine.run([Environment(("BENCHWRIGHT_TEST_WORD", "OPENBLAS_NUM_THREADS", "PYTHONSAFEPATH"))])
    assert done.result == ["blue", "1", None]


def test_starting_workers_leaves_the_environment_as_it_was(tmp_path: Path) -> None:
    before = dict(os.environ)
    with LocalEngine({"add": 1}, workers=1, log_folder=tmp_path) as engine:
        engine.prepare()
        assert _results(engine, [Squares((3,))]) == {(3,): [10]}
    assert dict(os.environ) == before


@pytest.mark.skipif(starting.METHOD != "forkserver", reason="there is no server that forks workers here")
def test_a_run_goes_on_when_the_server_that_forks_workers_is_killed(engine: LocalEngine) -> None:
    assert _results(engine, [Squares((1,))]) == {(1,): [2]}
    os.kill(forkserver._forkserver._forkserver_pid, signal.SIGKILL)
    assert _results(engine, [Squares((2, 3)), Squares((4,))]) == {(2, 3): [5, 10], (4,): [17]}


@pytest.mark.skipif(starting.METHOD != "forkserver", reason="there is no server that forks workers here")
def test_the_server_of_a_run_has_one_thread_and_what_workers_need() -> None:
    program = """
import os
from multiprocessing import forkserver
from benchwright.engines import starting
from benchwright.pipeline.engine_choice import PRELOADED
if __name__ == "__main__":
    starting.prepare([PRELOADED])
    server = forkserver._forkserver._forkserver_pid
    with starting.context().Pool(1) as pool:
        print(len(os.listdir(f"/proc/{server}/task")), pool.apply(len, [[]]))
"""
    found = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert found.stdout.split()[0] == "1", found.stderr


def test_what_is_preloaded_leaves_out_what_only_some_steps_need() -> None:
    program = "import sys, benchwright.pipeline.preloaded; print(sorted({'pandas', 'torch', 'cv2', 'scipy'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert found.stdout.strip() == "[]"


def test_a_worker_gets_a_shard_that_it_had_before(tmp_path: Path) -> None:
    with LocalEngine({}, workers=2, log_folder=tmp_path) as engine:

        def workers_of(shards: str, folder: Path) -> dict[str, str]:
            folder.mkdir()
            return {
                done.job.shard: done.worker for done in engine.run([AtOnce(s, folder, len(shards)) for s in shards])
            }

        first = workers_of("ab", tmp_path / "1")
        assert len(set(first.values())) == 2
        assert workers_of("ba", tmp_path / "2") == first
        assert workers_of("ab", tmp_path / "3") == first
        assert workers_of("cb", tmp_path / "4")["b"] == first["b"]


def test_idle_workers_rest_and_go_on_with_the_next_job(tmp_path: Path) -> None:
    with LocalEngine(Rested(add=1), workers=2, log_folder=tmp_path) as engine:
        assert [done.result for done in engine.run([Squares((3,))])] == [[10]]
        engine.drop_caches()
        assert [done.result for done in engine.run([Squares((3,))])] == [[109]]


def test_workers_that_have_nothing_to_drop_rest_too(engine: LocalEngine) -> None:
    _results(engine, [Squares((1,))])
    engine.drop_caches()
    assert _results(engine, [Squares((2,))]) == {(2,): [5]}
