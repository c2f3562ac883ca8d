"""Every command on a failing disk: a documented exit code, one line of error, and the same bytes after the next run.

A seeded selection; `benchmarks/faults.py` covers all calls of all commands.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from chat_server import ChatServer
from doc_pages import COMMANDS
from faulty_disk import KINDS, Case, Kind, copied, digests, needs_library, problems_of, run_in, undisturbed
from faulty_scene import CASES, NOT_DISTURBED, make_scene
from sane_model import ideas_recipe, model_of_many_pictures
from walks import benchwright

pytestmark = [pytest.mark.environment, pytest.mark.thorough]

MANY = {"run"}
"""Commands that are disturbed in every way here; the others when the disk is full, and in one more way."""
LONG = {"demo", "run again", "release correct", "filter leakage", "filter text-ratio"}
"""Commands that only the benchmark disturbs."""


def test_every_command_is_disturbed_or_there_is_a_reason_why_not() -> None:
    lines = [" ".join(map(str, case.arguments)) + " " for case in CASES]
    assert {name for name in COMMANDS if not any(line.startswith(f"{name} ") for line in lines)} == set(NOT_DISTURBED)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needs_library()
    folder = tmp_path_factory.mktemp("scene")
    make_scene(folder)
    return folder


def kinds_of(case: Case) -> list[Kind]:
    others = KINDS[1:]
    return list(KINDS) if case.name in MANY else ["full", others[CASES.index(case) % len(others)]]


@pytest.mark.parametrize("case", [case for case in CASES if case.name not in LONG], ids=lambda case: case.name)
def test_a_command_that_met_a_fault_says_so_and_the_next_one_ends_in_the_same_bytes(scene: Path, case: Case) -> None:
    clean = undisturbed(scene, case)
    rng = random.Random(case.name)
    found: list[str] = []
    for kind in kinds_of(case) if clean.calls else []:
        found += problems_of(scene, case, clean, kind, rng.randint(1, clean.calls))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("is_damaged", [False, True], ids=["log-begun", "log-damaged"])
def test_a_model_behind_an_endpoint_is_scored_alike_after_a_fault(
    scene: Path, chat_server: ChatServer, tmp_path: Path, is_damaged: bool
) -> None:
    asked = ["evaluate", "run", "release", "--model", "openai:m", "--base-url", chat_server.url, "--out", "scored"]
    case = Case("evaluate run openai", asked, ["scored"], {"OPENAI_API_KEY": "sk"})
    shutil.copytree(scene / "release", tmp_path / "release")
    if is_damaged:
        assert run_in(tmp_path, case).code == 0
        [log] = (tmp_path / "scored").glob("*/replies.jsonl")
        log.write_bytes(log.read_bytes().replace(b'"(B)"', b'"(C)"', 1))
        for score in (tmp_path / "scored").glob("*/score.json"):
            score.unlink()
    clean = undisturbed(tmp_path, case)
    rng = random.Random(case.name)
    found: list[str] = []
    for kind in ("full", "torn", "kill"):
        found += problems_of(tmp_path, case, clean, kind, rng.randint(1, clean.calls))
    assert not found, "\n".join(found)


def test_a_model_that_sees_no_picture_is_asked_alike_after_a_fault(
    scene: Path, chat_server: ChatServer, tmp_path: Path
) -> None:
    shutil.copytree(scene / "ii", tmp_path / "ii")
    asked = ["filter", "shortcuts", "ii", "--model", "m", "--base-url", chat_server.url, "--out", "cues"]
    made = [f"cues/{name}" for name in ("report.html", "report.json", "items.jsonl")]
    case = Case("filter shortcuts --model", asked, made)
    clean = undisturbed(tmp_path, case)
    rng = random.Random(case.name)
    found: list[str] = []
    for kind in ("full", "kill"):
        found += problems_of(tmp_path, case, clean, kind, rng.randint(1, clean.calls))
    assert not found, "\n".join(found)


def test_a_step_that_asks_a_model_makes_the_same_after_a_fault(
    scene: Path, chat_server: ChatServer, tmp_path: Path
) -> None:
    chat_server.behave = model_of_many_pictures
    shutil.copytree(scene / "photographs", tmp_path / "photographs")
    ideas_recipe(tmp_path, chat_server.url)
    arguments = ["run", "ideas.yaml", "--images", "photographs", "--workspace", "ideas", "--workers", "1"]
    case = Case("run ideas", arguments, ["ideas/tables"])
    clean = undisturbed(tmp_path, case)
    rng = random.Random(case.name)
    found: list[str] = []
    for kind in KINDS:
        found += problems_of(tmp_path, case, clean, kind, rng.randint(1, clean.calls))
    assert not found, "\n".join(found)


def test_a_clock_that_was_set_back_changes_no_byte_and_nothing_is_done_twice(scene: Path) -> None:
    case = _case("run")
    clean = undisturbed(scene, case)
    with copied(scene) as folder:
        assert run_in(folder, case, clock_s=86_400).code == 0
        assert digests(folder, case.made) == clean.made
        again = run_in(folder, case, clock_s=-10 * 86_400)
        assert again.code == 0, again.err
        assert digests(folder, case.made) == clean.made
        for name in ("review status", "review audit", "review backup"):
            ended = run_in(folder, _case(name), clock_s=-30 * 86_400)
            assert ended.code == 0, ended.err


@pytest.mark.parametrize("name", ["evaluate run", "release freeze", "review import"])
def test_a_command_whose_clock_was_set_back_makes_the_same_and_does_nothing_twice(scene: Path, name: str) -> None:
    case = _case(name)
    clean = undisturbed(scene, case)
    with copied(scene) as folder:
        for days in (10, 30):
            ended = run_in(folder, case, clock_s=-days * 86_400)
            assert ended.code == 0, ended.err
            assert digests(folder, case.made) == clean.made
        assert benchwright("review", "audit", "--workspace", folder / "open").returncode == 0
        assert benchwright("check", folder / "open").returncode == 0


def _case(name: str) -> Case:
    return next(case for case in CASES if case.name == name)
