"""Workers that share a GPU: no more at a time than fit into its memory, and models are released after their phase.

The tests run without a GPU: a program with the name of the driver's tool states how much memory is free.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from engine_jobs import RanBetween

from benchwright.engines import LocalEngine
from benchwright.engines.gpus import free_gpu_memory_mb, visible_gpus
from benchwright.images.formats.walking import Limits
from benchwright.pipeline.planning.plan import plan
from benchwright.pipeline.stages.worker_context import WorkerContext
from benchwright.steps import MapStep, OpenContext, Resources
from benchwright.workspace.workspace import Workspace

CardOf = Callable[[str], None]


@pytest.fixture
def card_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CardOf:
    """Return a function that lets `nvidia-smi` answer with a text."""

    def card_of(answer: str) -> None:
        program = tmp_path / "bin" / "nvidia-smi"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n{answer}\n', encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)

    return card_of


@pytest.mark.parametrize(
    ("answer", "free_mb"),
    [("echo 81000", 81000), ("echo 'No devices were found'; exit 6", None), ("echo '[N/A]'", None)],
)
def test_the_driver_says_how_much_memory_is_free(card_of: CardOf, answer: str, free_mb: int | None) -> None:
    card_of(answer)
    assert free_gpu_memory_mb() == free_mb


@pytest.mark.parametrize(
    ("visible", "asked"), [("2,1", "--id=2 "), ("GPU-ab", "--id=GPU-ab "), ("", None), ("-1", None)]
)
def test_the_first_visible_gpu_counts(
    card_of: CardOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, visible: str, asked: str | None
) -> None:
    card_of("echo 81000")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert free_gpu_memory_mb() == (None if asked is None else 81000)
    log = tmp_path / "asked"
    assert log.read_text(encoding="utf-8").startswith(asked) if asked else not log.exists()


@pytest.mark.parametrize(
    ("visible", "gpus"),
    [(None, ["GPU-ab", "GPU-cd"]), ("2, 0", ["2", "0"]), ("GPU-cd", ["GPU-cd"]), ("1,-1,2", ["1"]), ("", [])],
)
def test_all_visible_gpus_are_named(
    card_of: CardOf, monkeypatch: pytest.MonkeyPatch, visible: str | None, gpus: list[str]
) -> None:
    card_of("echo GPU-ab; echo GPU-cd")
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert visible_gpus() == gpus


def test_without_a_driver_there_is_no_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert free_gpu_memory_mb() is None
    assert visible_gpus() == []


@pytest.mark.slow
@pytest.mark.parametrize(("free_mb", "most"), [(10_000, 2), (3_000, 1), (None, 3)])
def test_no_more_workers_run_at_a_time_than_fit_onto_the_gpu(
    card_of: CardOf, tmp_path: Path, free_mb: int | None, most: int
) -> None:
    card_of("exit 9" if free_mb is None else f"echo {free_mb}")
    with LocalEngine({}, workers=3, log_folder=tmp_path) as engine:
        before = {done.result[0] for done in engine.run([RanBetween(n) for n in range(6)])}
        needs = Resources(gpu_memory_mb=4_000)
        spans = [done.result for done in engine.run([RanBetween(n) for n in range(8)], needs)]
        workers = {pid for pid, _, _ in spans}
        assert len(workers) <= most
        assert max(sum(start <= at < end for _, start, end in spans) for _, at, _ in spans) <= most
        # Those of the earlier phase may hold memory of the GPU; where there is none, they go on.
        assert workers.isdisjoint(before) if free_mb else workers & before
        again = {done.result[0] for done in engine.run([RanBetween(n) for n in range(3)], needs)}
        assert again <= workers or free_mb is None


class _Model:
    """What a step opens."""


class _Opens(MapStep):
    name: ClassVar[str] = "opens"
    consumes: ClassVar[Any] = "images"

    def open(self, ctx: OpenContext) -> _Model:
        return _Model()


def test_models_of_other_phases_are_dropped(tmp_path: Path) -> None:
    first, second = plan([("first", _Opens()), ("second", _Opens())])
    worker = WorkerContext(Workspace.create(tmp_path / "w"), tmp_path, [first, second], 0, 1, Limits())
    models = weakref.ref(worker.opened(first)), weakref.ref(worker.opened(second))
    worker.close_others([second])
    assert (models[0](), models[1]()) == (None, worker.opened(second))
