"""The step and the command `shortcuts`.

- A run asks about items that a cue gives away, with bias scores and solvers as values, and says so on the card.
- After a change of bounds, nothing is measured again; an unreadable picture affects only its item.
- The command reads releases and workspaces, writes a page that fetches nothing, and prunes on request.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from item_filters import Asks
from picture_copies import photograph
from PIL import Image
from planted_shortcuts import planted, result_of
from step_context import StepContext
from worded_items import item

from benchwright.diagnostics.adversary.item_evidence import ItemEvidence
from benchwright.diagnostics.shortcuts.battery import run_battery
from benchwright.diagnostics.shortcuts.item_cues import ItemCues, cues_of_item
from benchwright.diagnostics.shortcuts.measuring import learned_from, measure_items
from benchwright.diagnostics.shortcuts.model_solvers import shown_of
from benchwright.diagnostics.shortcuts.picks import Bounds
from benchwright.diagnostics.shortcuts.pruning import PruneSettings, prune
from benchwright.diagnostics.shortcuts.report import find_shortcuts
from benchwright.engines.record_jobs import map_on_this_machine
from benchwright.exports.freezing.step import Freeze
from benchwright.filters.cli.shortcuts import shortcuts
from benchwright.filters.room import ROOM
from benchwright.filters.shortcuts.step import MeasuredCues, Shortcuts
from benchwright.pipeline import run_steps
from benchwright.release import Release, verify_release
from benchwright.rooms import Entry, catalogue
from benchwright.workspace.run_results import FinishedRun

pytestmark = pytest.mark.slow


def _run(folder: Path, workspace: str = "w", **settings: Any) -> FinishedRun:
    steps = [Asks(), Shortcuts(**settings), Freeze.model_validate({"name": "tiny"})]
    return run_steps(steps, images=folder / "images", workspace=folder / workspace, workers=1)


@pytest.fixture(scope="module", autouse=True)
def _asks_is_known() -> Iterator[None]:
    """Let the command read the recipe of a workspace again, and find the step of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ROOM.steps, Asks.name, Entry("item_filters:Asks", "For this test."))  # type: ignore[arg-type]
        catalogue.cache_clear()
        yield
    catalogue.cache_clear()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shortcuts")
    (folder / "images").mkdir()
    for name in ("chelsea", "coffee", "astronaut"):
        photograph(name).resize((120, 80)).save(folder / "images" / f"{name}.png")
    return folder


@pytest.fixture(scope="module")
def done(folder: Path) -> FinishedRun:
    return _run(folder)


def test_items_whose_key_a_cue_gives_away_are_asked_about(done: FinishedRun) -> None:
    rows = done.outcomes("shortcuts.solvers")
    asked = [row for row in rows if row["verdict"] == "ask"]
    assert asked
    assert {row["reason"] for row in asked} == {"carries_shortcut"}
    assert all("always A" in row["solvers"] for row in asked)


def test_the_card_says_what_was_found(done: FinishedRun) -> None:
    release = Release.open(done.workspace / done.artifacts["release"])
    card = (release.path / "README.md").read_text(encoding="utf-8")
    assert "**Shortcuts.**" in card
    assert "In `naming` a cue helps with" in card
    assert verify_release(release.path).problems == []


def test_new_bounds_measure_nothing_again(folder: Path, done: FinishedRun) -> None:
    shutil.copytree(done.workspace, folder / "again")
    tables = sorted((folder / "again" / "tables" / "shortcuts.cues").rglob("*"))
    before = [(path, path.stat().st_mtime_ns) for path in tables]
    again = _run(folder, "again", max_gain=1.0)
    assert {row["verdict"] for row in again.outcomes("shortcuts.solvers")} == {"keep"}
    assert [(path, path.stat().st_mtime_ns) for path in tables] == before


def test_a_picture_that_cannot_be_read_fails_its_item(tmp_path: Path) -> None:
    context = StepContext(tmp_path)
    context.images = _Unreadable()
    context.image = lambda image_id: image_id  # type: ignore[method-assign,assignment,return-value]
    outcome = context.run(MeasuredCues(), item("one"))  # type: ignore[arg-type]
    assert (outcome.verdict, outcome.reason) == ("failed", "not_an_image")
    nothing_right = item("two", answer=None)
    assert context.run(MeasuredCues(), nothing_right).values == {}  # type: ignore[arg-type]


def test_an_item_on_which_measuring_raises_is_told_and_stays(tmp_path: Path) -> None:
    context = StepContext(tmp_path)
    context.images = _Raising()
    context.image = lambda image_id: image_id  # type: ignore[method-assign,assignment,return-value]
    outcome = context.run(MeasuredCues(), item("one"))  # type: ignore[arg-type]
    assert (outcome.verdict, outcome.reason) == ("ask", "not_measured")
    assert outcome.evidence["error"]["message"] == "no such measure"


class _Raising:
    def file_bytes(self, _record: Any) -> bytes:
        raise ZeroDivisionError("no such measure")


class _Unreadable:
    def file_bytes(self, _record: Any) -> bytes:
        return b"no picture"


def test_cues_come_back_from_their_text() -> None:
    for kind in ("reference", "light", "length"):
        [each] = planted(kind, count=1, share=0, seed=1)
        measured = measure_items(iter([each])).cues[0]
        assert ItemCues.from_text(measured.to_text()).to_text() == measured.to_text()


@pytest.mark.parametrize("kind", ["light", "reference", "length"])
def test_the_adversary_finds_the_same_in_what_a_run_keeps(kind: str) -> None:
    measured = measure_items(iter(planted(kind, count=40, share=0.8, seed=2)))
    kept = {item_id: ItemEvidence.from_text(seen.to_text()) for item_id, seen in measured.evidence.items()}
    assert len(kept) == 40
    first, again = (
        run_battery(measured.cues, measured.group_keys, seed=1, bounds=Bounds(), task_cues={}, evidence=evidence)
        for evidence in (measured.evidence, kept)
    )
    assert [task.to_json() for task in again.tasks] == [task.to_json() for task in first.tasks]
    assert any(result.solver.startswith("learned ") for result in again.tasks[0].solvers)


def test_the_step_says_of_items_what_the_command_says_of_its_run(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    (tmp_path / "images").mkdir()
    for number in range(24):
        pixels = rng.integers(0, 256, (24, 24, 3), np.uint8)
        Image.fromarray(pixels).save(tmp_path / "images" / f"{number}.png")
    run = run_steps([Asks(), Shortcuts()], images=tmp_path / "images", workspace=tmp_path / "w", workers=1)
    by_step = {
        row["record_id"]: row["evidence"]["solvers"] for row in run.outcomes("shortcuts.solvers") if row["solvers"]
    }
    by_command = {
        item_id: [solver.to_json() for solver in solvers]
        for item_id, solvers in find_shortcuts(run.workspace).flagged().items()
    }
    assert by_step == by_command
    assert any(solver["solver"].startswith("learned ") for solvers in by_step.values() for solver in solvers)


def test_the_adversary_learns_from_some_items_of_a_large_task() -> None:
    items = [("large", f"l{number}") for number in range(60)] + [("small", f"s{number}") for number in range(5)]
    chosen = learned_from(iter(items), most=20)
    assert Counter(item_id[0] for item_id in chosen) == {"l": 20, "s": 5}
    assert learned_from(iter(items[::-1]), most=20) == chosen


def test_options_that_name_pictures_in_words_are_those_pictures() -> None:
    [each] = planted("light", count=1, share=0, seed=1)
    words = [("A", "the second image"), ("B", "The third image")]
    choices = tuple(
        choice.model_copy(update={"text": text, "image_id": None})
        for choice, (_, text) in zip(each.item.choices, words, strict=True)
    )
    named = each.item.model_copy(update={"choices": choices})
    first, second = (measure_items(iter([each._replace(item=i)])).cues[0] for i in (each.item, named))
    assert first.of_options == second.of_options
    assert "pixels.brightness" in first.of_options


def _say(*arguments: object) -> Result:
    return CliRunner().invoke(shortcuts, [str(argument) for argument in arguments], catch_exceptions=False)


def test_the_command_says_the_same_of_a_workspace_and_of_its_release(done: FinishedRun) -> None:
    release = done.workspace / done.artifacts["release"]
    first, second = (json.loads(_say(source, "--json").stdout) for source in (done.workspace, release))
    assert first == second
    assert any(solver["carries"] for task in first["tasks"] for solver in task["solvers"])


def test_the_page_stands_alone_and_shows_items(done: FinishedRun, tmp_path: Path) -> None:
    release = done.workspace / done.artifacts["release"]
    result = _say(release, "--out", tmp_path / "one", "--workers", 1)
    assert result.exit_code == 0
    page = (tmp_path / "one" / "report.html").read_text(encoding="utf-8")
    assert "data:image/jpeg;base64," in page
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)
    lines = (tmp_path / "one" / "items.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(Release.open(release)) - 3  # three have no key
    _say(release, "--out", tmp_path / "two", "--workers", 1)
    assert (tmp_path / "two" / "report.html").read_bytes() == (tmp_path / "one" / "report.html").read_bytes()


def test_a_family_that_does_not_exist_is_refused(done: FinishedRun) -> None:
    result = _say(done.workspace, "--allow", "naming=colour")
    assert result.exit_code == 2
    assert "families: letter" in result.stderr


def test_a_folder_that_is_no_source_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(shortcuts, [str(tmp_path)])
    assert result.exit_code != 0


def test_pruning_takes_out_the_most_biased_and_says_what_it_costs() -> None:
    result = result_of(planted("length", count=160, share=0.7, seed=4))
    pruning = prune(result, PruneSettings(most=0.2, per_round=0.1), seed=1, bounds=Bounds())
    assert pruning is not None
    assert [each.items for each in pruning.rounds] == [160, 144, 128]
    assert len(pruning.item_ids) == 32
    assert pruning.clusters == (160, 128)
    bias = dict(zip((each.item_id for each in result.table.items), result.bias.tolist(), strict=True))
    first_round = pruning.item_ids[:16]
    assert min(bias[item_id] for item_id in first_round) >= max(
        score for item_id, score in bias.items() if item_id not in first_round
    )


def test_clean_items_are_not_pruned() -> None:
    result = result_of(planted("length", count=120, share=0, seed=5))
    assert prune(result, PruneSettings(), seed=1, bounds=Bounds()) is None


def test_an_item_without_a_right_option_has_no_cues() -> None:
    assert cues_of_item(item("one", answer=None), lambda _id, _pixels: pytest.fail("nothing is read")) is None


def test_an_option_that_declines_is_no_answer_to_pick() -> None:
    declines = "The picture does not tell, so nobody can say."
    options = ["a red car", "a blue van", declines]
    answerable = item("one", options=options, answer="B", refusal="C")
    cues = cues_of_item(answerable, None)
    assert cues is not None
    assert cues.texts == ("a red car", "a blue van")
    assert cues.right == 1
    assert all(len(values) == 2 for values in cues.of_options.values())
    unanswerable = item("two", options=options, answer=None, refusal="C")
    assert cues_of_item(unanswerable, None) is None
    assert shown_of(answerable, ("text",)) == ("text",)
    assert shown_of(unanswerable, ("text",)) == ()


def test_items_are_measured_alike_by_workers_and_without() -> None:
    items = planted("light", count=230, share=0.5, seed=6)
    alone = measure_items(iter(items))
    with map_on_this_machine("shortcuts", workers=2) as record_map:
        together = measure_items(iter(items), record_map=record_map)
    assert [each.to_text() for each in alone.cues] == [each.to_text() for each in together.cues]


def test_the_forests_of_a_task_are_a_job_of_the_run(done: FinishedRun) -> None:
    assert done.run_folder is not None
    lines = (done.run_folder / "events.jsonl").read_text(encoding="utf-8").splitlines()
    events = [event for event in map(json.loads, lines) if event.get("stage") == "shortcuts.solvers"]
    mapped = {event["what"]: event["records"] for event in events if event["event"] == "map"}
    assert mapped == {"forests": 1}


def test_the_report_is_that_of_the_command(done: FinishedRun) -> None:
    assert find_shortcuts(done.workspace).document() == json.loads(_say(done.workspace, "--json").stdout)
