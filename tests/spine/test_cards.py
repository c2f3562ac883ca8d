"""The processes of cards: models that all workers share, in full batches across jobs, replaced when they end.

The tests run without a GPU: the processes see none, and do the same work on the CPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from card_jobs import DEADLY, UNLUCKY, WITHOUT_KEY, Address, Ask, AskTwice, Computed, Host

from benchwright.engines import LocalEngine
from benchwright.engines.cards import CPU
from benchwright.errors import PrerequisiteError
from benchwright.steps import Resources

pytestmark = pytest.mark.slow
NEEDS = Resources(shared_gpu_memory_mb=1000)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[LocalEngine]:
    """Three workers at one card."""
    with LocalEngine(Host(tmp_path / "opened"), workers=3, log_folder=tmp_path, gpus=[CPU]) as engine:
        yield engine


def test_all_workers_share_one_model_and_its_batches_have_one_size(engine: LocalEngine, tmp_path: Path) -> None:
    jobs = [Ask(tuple(range(first, first + 7))) for first in range(0, 70, 7)]
    computed = {
        number: result
        for done in engine.run(jobs, NEEDS)
        for number, result in zip(done.job.numbers, done.result, strict=True)
    }
    assert {number: result.square for number, result in computed.items()} == {n: n * n for n in range(70)}
    assert {result.batch for result in computed.values()} == {4}, "what is too few is filled up"
    assert len({result.process for result in computed.values()}) == 1
    assert (tmp_path / "opened").read_text(encoding="utf-8") == "squares \n"


def test_every_card_has_a_process_and_workers_are_spread_over_them(tmp_path: Path) -> None:
    with LocalEngine(Host(tmp_path / "opened"), workers=4, log_folder=tmp_path, gpus=[CPU, "GPU-none"]) as engine:
        jobs = [Ask((number,)) for number in range(40)]
        computed: list[Computed] = [result for done in engine.run(jobs, NEEDS) for result in done.result]
    assert len({result.process for result in computed}) == 2
    assert sorted((tmp_path / "opened").read_text(encoding="utf-8").splitlines()) == ["squares ", "squares GPU-none"]


def test_a_thing_that_ends_the_card_is_blamed_and_all_others_are_computed(engine: LocalEngine) -> None:
    jobs = [Ask((1, 2)), Ask((4, DEADLY, 5)), Ask((7,))]
    results = {done.job.numbers: done.result for done in engine.run(jobs, NEEDS)}
    assert [result.square for result in (*results[1, 2], *results[7,])] == [1, 4, 49]
    before, blamed, after = results[4, DEADLY, 5]
    assert (before.square, blamed, after.square) == (16, "blamed: exit code 1", 25)


@pytest.mark.parametrize(("fault", "text"), [(UNLUCKY, "'unlucky'"), (WITHOUT_KEY, "no key")])
def test_what_a_model_raises_is_raised_by_the_worker_that_goes_on(engine: LocalEngine, fault: int, text: str) -> None:
    [done] = engine.run([AskTwice((2, fault, 4), (6,))], NEEDS)
    assert done.result[0] == text
    assert [result.square for result in done.result[1]] == [36]


def test_a_model_that_cannot_be_opened_says_why(engine: LocalEngine) -> None:
    with pytest.raises(PrerequisiteError, match="no weights here; fetch them"):
        list(engine.run([Ask((1,), model="missing")], NEEDS))


def test_models_of_another_phase_are_closed(engine: LocalEngine, tmp_path: Path) -> None:
    list(engine.run([Ask((1,)), Ask((2,))], NEEDS))
    list(engine.run([Ask((1,), model="others", closing=("others",))], NEEDS))
    assert (tmp_path / "opened").read_text(encoding="utf-8").splitlines() == ["squares ", "only others", "others "]


def test_without_a_gpu_no_card_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    with LocalEngine(Host(tmp_path / "opened"), workers=1, log_folder=tmp_path) as engine:
        assert [done.result for done in engine.run([Address()], NEEDS)] == [""]
    assert not list(tmp_path.glob("card-*.log"))
