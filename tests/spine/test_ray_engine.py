"""The Ray engine: the guarantees of the local engine also hold on a cluster, where nodes can fail and GPUs are
shared.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from engine_jobs import DiesWhenOpened, Squares, Whereabouts
from ray_cluster import add, cluster, need_ray

from benchwright.engines.ray.cluster import Node, joined, room_for
from benchwright.engines.ray.engine import RayEngine
from benchwright.errors import BenchwrightError, PrerequisiteError, StepError
from benchwright.steps import Resources

need_ray()
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::FutureWarning"),
    pytest.mark.slow,
]

Opening = Callable[..., RayEngine]


@pytest.fixture(scope="module")
def machines() -> Iterator[Any]:
    """A head without GPUs and a node with two, joined by this process."""
    with cluster(cpus=2) as found:
        add(found, cpus=3, gpus=2)
        with joined(found.address, None):
            yield found


@pytest.fixture
def opening(machines: Any, tmp_path: Path) -> Opening:
    """Open an engine on the cluster."""
    return partial(RayEngine, {"add": 1}, workers=2, log_folder=tmp_path, hang_s=1.5)


def _results(engine: RayEngine, jobs: list[Squares]) -> dict[tuple[int, ...], list[int | str]]:
    return {done.job.numbers: done.result for done in engine.run(jobs)}


def test_every_job_runs_once_and_gives_its_result(opening: Opening, tmp_path: Path) -> None:
    jobs = [Squares((n, n + 1)) for n in range(7)]
    with opening() as engine:
        assert _results(engine, jobs) == {(n, n + 1): [n * n + 1, (n + 1) ** 2 + 1] for n in range(7)}
    logs = [path.read_text(encoding="utf-8") for path in tmp_path.glob("worker-?.log")]
    told = [text for text in logs if text]  # on a busy machine one worker may do all before the other has begun
    assert told
    assert all("on node" in text for text in told)
    assert list(tmp_path.glob("worker-?-1.log"))


@pytest.mark.parametrize(("how", "named"), [("segfault", "SIGSEGV"), ("hang", "SIGKILL"), ("actor", "SIGKILL")])
def test_a_record_that_always_ends_its_worker_is_blamed_and_the_others_come_through(
    opening: Opening, tmp_path: Path, how: str, named: str
) -> None:
    with opening() as engine:
        found = _results(engine, [Squares((1, 2, 3), deadly=2, die_by=how), Squares((5,))])
    assert found == {(1, 2, 3): [2, f"blamed: {named}", 10], (5,): [26]}
    assert not list(tmp_path.glob("*.at-*"))


def test_a_record_that_was_only_unlucky_once_is_not_blamed(opening: Opening, tmp_path: Path) -> None:
    with opening() as engine:
        found = _results(engine, [Squares((1, 2, 3), deadly=2, die_by="kill", once_in=tmp_path / "done")])
    assert found == {(1, 2, 3): [2, 5, 10]}


def test_what_the_user_must_mend_is_raised_as_it_is_and_a_defect_with_the_workers_traceback(opening: Opening) -> None:
    with opening() as engine:
        with pytest.raises(PrerequisiteError, match="no weights here"):
            _results(engine, [Squares((2,), deadly=2, die_by="prerequisite")])
        with pytest.raises(RuntimeError, match=r"squares failed in its worker:[\s\S]*_die[\s\S]*KeyError"):
            _results(engine, [Squares((2,), deadly=2, die_by="bug")])
        assert _results(engine, [Squares((2,))]) == {(2,): [5]}


def test_workers_that_die_before_any_record_end_the_run_with_an_error(opening: Opening, tmp_path: Path) -> None:
    with (
        RayEngine(DiesWhenOpened(), workers=1, log_folder=tmp_path) as engine,
        pytest.raises(StepError, match=r"exit code 9.*see "),
    ):
        list(engine.run([Squares((1,))]))


def test_jobs_that_need_a_gpu_run_where_gpus_are_and_share_them_as_told(opening: Opening) -> None:
    jobs = [Whereabouts(number) for number in range(12)]
    with opening(workers=None) as engine:
        without = {done.result[0] for done in engine.run(jobs)}
        halves = {done.result for done in engine.run(jobs, Resources(gpus=0.5))}
        wholes = {done.result for done in engine.run(jobs, Resources(gpus=2))}
    assert not without & {"0", "1", "0,1"}
    assert halves <= {("0", "second"), ("1", "second")}
    assert wholes == {("0,1", "second")}


def test_there_is_room_for_as_many_workers_as_processors_memory_and_gpus_of_each_node_allow() -> None:
    node = Node("id", "name", cpus=6, memory=8 << 30, gpus=2)
    assert node.room_for(Resources()) == 6
    assert node.room_for(Resources(memory_mb=3000)) == 2
    assert node.room_for(Resources(gpus=1)) == 2
    assert node.room_for(Resources(gpus=0.4)) == 4  # two on each GPU, since no share is of two GPUs
    assert node.room_for(Resources(gpus=0.1)) == 6
    assert node.room_for(Resources(gpus=3)) == 0


def test_the_room_of_a_cluster_is_that_of_its_nodes(machines: Any) -> None:
    assert [room_for(Resources()), room_for(Resources(gpus=1)), room_for(Resources(gpus=0.25))] == [5, 2, 3]


def test_what_no_node_has_is_said_with_what_the_nodes_have(opening: Opening) -> None:
    with opening() as engine:
        with pytest.raises(StepError, match=r"no node of the cluster has 5 GPU.*2 GPU, 3 processors"):
            list(engine.run([Squares((1,))], Resources(gpus=5)))
        with pytest.raises(StepError, match=r"1\.5 GPUs; request a whole number"):
            list(engine.run([Squares((1,))], Resources(gpus=1.5)))


def test_no_workers_are_refused(opening: Opening) -> None:
    with pytest.raises(BenchwrightError, match="at least one worker"):
        opening(workers=0)


def test_without_ray_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(PrerequisiteError, match=r"pip install 'benchwright\[ray\]'"):
        RayEngine({}, workers=1, log_folder=tmp_path)


def test_workers_look_for_modules_where_the_main_process_does_and_in_its_folder(
    opening: Opening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with opening() as engine:
        _results(engine, [Squares((1,), deadly=1, die_by="kill", once_in=Path("here"))])
    assert (tmp_path / "here").exists()
