"""Properties of every filter.

- The names and the order of files change no verdict.
- A second run does no work.
- Files that are not pictures are recorded and change no verdict on the others.
- A curator can restore a dropped record, and undoing that gives the same bytes again.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from chat_server import ChatServer
from color_classifier import color_classifier
from conftest import ROOT
from described import described_reasons
from item_filters import Asks, Rivals
from picture_copies import COPIES, photograph
from PIL import Image, ImageDraw, ImageFont
from reversals import against, restore, row_of, say, tables
from tiny_clip import color_clip

from benchwright.cli import prepare_photographs
from benchwright.construction.stated_facts.facts import StatedFacts
from benchwright.construction.tasks.background_substitution import BackgroundSubstitution
from benchwright.evaluation.run import evaluate
from benchwright.exports.freezing.step import Freeze
from benchwright.filters.room import ROOM
from benchwright.pipeline import run_steps
from benchwright.release import Release
from benchwright.rooms import Entry, RoomEntry, catalogue
from benchwright.steps import FOLDER, Step
from benchwright.workspace.run_results import FinishedRun

pytestmark = pytest.mark.slow


class Case(NamedTuple):
    """A filter among pictures of which it speaks against some.

    Args:
        before: Steps that have to run before it.
        settings: Of the filter; paths are below the folder that `prepare` filled.
        prepare: Writes what the settings name.
        renames: Whether files may have other names; facts are stated of names, and of equal pictures the one whose
            name comes first is kept.
        stated: Whether its pictures are those of the demo's facts.
        changes: It changes items where others drop them.
        asks: It asks a model behind an endpoint, which says yes to everything.
    """

    before: Sequence[Callable[[Path], Step]] = ()
    settings: dict[str, Any] = {}  # noqa: RUF012 - never written to
    prepare: Callable[[Path], object] = Path.mkdir
    renames: bool = True
    stated: bool = False
    changes: bool = False
    asks: bool = False


def _elsewhere(folder: Path) -> None:
    (folder / "elsewhere").mkdir(parents=True)
    photograph("chelsea").save(folder / "elsewhere" / "known.png")


def _corpus(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "corpus.txt").write_text("Quiz. Which animal is it? (a cat / a cat / an owl)", encoding="utf-8")


def _asked_blind(folder: Path) -> None:
    """Have two models that look at no picture answer the very items that the filter will see."""
    pictures(folder / "pictures")
    steps = [Asks(), Freeze.model_validate({"name": "tiny", "version": "1.0", "why": "its questions are all alike"})]
    done = run_steps(steps, images=folder / "pictures", workspace=folder / "w", workers=1)
    release = Release.open(folder / "w" / done.artifacts["release"])
    for model in ("constant:A", "longest"):
        evaluate(release, model, protocol="blind", out=folder / "scores")
    shutil.copytree(release.path, folder / "release")


def _facts(folder: Path) -> None:
    folder.mkdir()
    (folder / "facts.yaml").write_bytes((ROOT / "benchwright" / "recipes" / "demo.facts.yaml").read_bytes())


def _stated(folder: Path) -> Step:
    return StatedFacts.model_validate({"file": "facts.yaml"}, context={FOLDER: folder})


def _asks(_folder: Path) -> Step:
    return Asks()


def _rivals(_folder: Path) -> Step:
    return Rivals()


CASES = {
    "exact_duplicates": Case(renames=False),
    "near_duplicates": Case(),
    "quality": Case(),
    "drawings": Case(),
    "licences": Case(settings={"allow": ["CC0-1.0"]}),
    "safety": Case(
        settings={"model": "colors", "refuse": {"red": 0.5}}, prepare=lambda folder: color_classifier(folder / "colors")
    ),
    "leakage": Case(settings={"against": ["elsewhere"]}, prepare=_elsewhere),
    "question_overlap": Case(before=[_asks], settings={"against": ["corpus.txt"]}, prepare=_corpus),
    "text_ratio": Case(settings={"max_ratio": 0.2}),
    "repeated_options": Case(before=[_asks]),
    "duplicate_questions": Case(before=[_asks]),
    "question_faults": Case(before=[_asks]),
    "language": Case(before=[_asks], settings={"min_characters": 14}),
    "unique_images": Case(before=[_asks]),
    "answer_balance": Case(before=[_asks], changes=True),
    "wording_bias": Case(before=[_asks]),
    "shortcuts": Case(before=[_asks]),
    "blind_answers": Case(
        before=[_asks], settings={"results": "scores", "release": "release"}, prepare=_asked_blind
    ),
    "pair_gates": Case(
        before=[_stated, lambda _: BackgroundSubstitution()], settings={"min_changed": 1.0}, prepare=_facts,
        renames=False, stated=True,
    ),
    "item_safety": Case(
        before=[_rivals], settings={"model": "colors", "refuse": {"red": 0.5}},
        prepare=lambda folder: color_classifier(folder / "colors"),
    ),
    "clip_direction": Case(
        before=[_rivals], settings={"model": "clip", "min_images": None},
        prepare=lambda folder: color_clip(folder / "clip"),
    ),
    "faces": Case(before=[_rivals]),
    "answer_flip": Case(before=[_rivals], asks=True),
    "second_answers": Case(before=[_rivals], asks=True),
    "best_candidate": Case(before=[_rivals]),
}  # fmt: skip
NAMES = sorted(CASES)


def pictures(folder: Path) -> Path:
    """Write photographs, copies of two of them, a blank picture, a red one, and a page of text."""
    folder.mkdir(parents=True)
    for name in ("chelsea", "coffee", "astronaut"):
        photograph(name).save(folder / f"{name}.png")
    photograph("chelsea").save(folder / "same.bmp")
    COPIES["cropped"](photograph("coffee")).save(folder / "part.jpg", quality=88)
    Image.new("RGB", (300, 200), (220, 20, 20)).save(folder / "red.png")
    page = Image.new("RGB", (420, 260), "white")
    for line in range(5):
        font = ImageFont.load_default(size=42)
        ImageDraw.Draw(page).text((8, 4 + 50 * line), "Nothing here is as", fill="black", font=font)
    page.save(folder / "page.png")
    return folder


class Run(NamedTuple):
    """A filter that ran once, and how to run it again."""

    name: str
    case: Case
    images: Path
    steps: Sequence[Step]
    done: FinishedRun

    def again(self, images: Path, workspace: Path, steps: Sequence[Step] | None = None) -> FinishedRun:
        """Run the same steps in another folder or workspace."""
        return run_steps(steps or self.steps, images=images, workspace=workspace, workers=1)


@pytest.fixture(scope="module")
def agreeing() -> Iterator[ChatServer]:
    """An endpoint that says yes to everything."""
    server = ChatServer()
    server.behave = lambda words, attempt, handler: "Yes."
    yield server
    server.close()


@pytest.fixture(scope="module", params=NAMES)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, agreeing: ChatServer) -> Run:
    case, folder = CASES[request.param], tmp_path_factory.mktemp(request.param)
    images = folder / "images"
    if case.stated:
        prepare_photographs(images)
        for path in images.iterdir():
            if path.name not in {"flower.jpg", "rocket.jpg"}:
                path.unlink()
    else:
        pictures(images)
    case.prepare(folder / "given")
    settings = dict(case.settings)
    if case.asks:
        settings["chat"] = {"model": "agreeing", "base_url": agreeing.url}
    found = RoomEntry(ROOM.name, request.param, ROOM.steps[request.param]).load()
    steps = [make(folder / "given") for make in case.before]
    steps.append(found.model_validate(settings, context={FOLDER: folder / "given"}))
    done = run_steps(steps, images=images, workspace=folder / "w", workers=1)
    return Run(request.param, case, images, steps, done)


def verdicts(done: FinishedRun, name: str) -> dict[tuple[str, str], tuple[str, str | None]]:
    """Return what the filter says of each record in each of its stages."""
    stages = [stage for stage in stage_names(done) if stage == name or stage.startswith(f"{name}.")]
    return {
        (stage, row["record_id"]): (row["verdict"], row["reason"]) for stage in stages for row in done.outcomes(stage)
    }


def stage_names(done: FinishedRun) -> list[str]:
    return sorted(path.name for path in (done.workspace / "tables").iterdir())


def test_every_filter_is_here() -> None:
    assert set(CASES) == set(ROOM.steps)


def test_it_speaks_against_some_and_not_all(run: Run) -> None:
    said = [verdict for verdict, _ in verdicts(run.done, run.name).values()]
    assert "keep" in said
    if run.case.changes:
        assert run.done.steps[-1].made > 0
    else:
        assert {"drop", "ask"} & set(said)


def test_its_description_has_each_reason_that_it_gives(run: Run) -> None:
    given = {(reason, verdict) for verdict, reason in verdicts(run.done, run.name).values() if reason is not None}
    assert given <= described_reasons(run.name)


def test_names_and_order_of_files_change_no_verdict(run: Run, tmp_path: Path) -> None:
    for number, path in enumerate(sorted(run.images.iterdir(), reverse=True)):
        target = tmp_path / "images" / (f"{number % 2}/{number}{path.suffix}" if run.case.renames else path.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    assert verdicts(run.again(tmp_path / "images", tmp_path / "w"), run.name) == verdicts(run.done, run.name)


def test_running_again_runs_nothing(run: Run) -> None:
    before = tables(run.done.workspace)
    again = run.again(run.images, run.done.workspace)
    assert (again.executed, again.decoded) == (0, 0)
    assert tables(run.done.workspace) == before


def test_files_that_are_no_pictures_are_recorded_and_change_no_verdict(run: Run, tmp_path: Path) -> None:
    images = Path(shutil.copytree(run.images, tmp_path / "images"))
    (images / "empty.png").write_bytes(b"")
    (images / "cut.png").write_bytes(next(run.images.glob("*.*g")).read_bytes()[:400])
    (images / "words.jpg").write_text("no picture", encoding="utf-8")
    done = run.again(images, tmp_path / "w")
    reasons = {file["uri"]: file["reason"] for file in done.files() if file["image_id"] is None}
    assert reasons.keys() == {"empty.png", "cut.png", "words.jpg"}
    assert all(reasons.values())
    assert verdicts(done, run.name) == verdicts(run.done, run.name)


@pytest.fixture
def asks_is_known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let commands that read the recipe again find the step of the tests."""
    for step in (Asks, Rivals):
        entry = Entry(f"item_filters:{step.__name__}", "For this test.")
        monkeypatch.setitem(ROOM.steps, step.name, entry)  # type: ignore[arg-type]
    catalogue.cache_clear()
    yield
    monkeypatch.undo()
    catalogue.cache_clear()


def test_what_it_spoke_against_comes_back_and_undoing_gives_the_same_bytes(
    run: Run, tmp_path: Path, asks_is_known: None
) -> None:
    del asks_is_known
    workspace = Path(shutil.copytree(run.done.workspace, tmp_path / "w"))
    before, found = tables(workspace), against(workspace, run.name)
    assert bool(found) != run.case.changes
    if not found:
        return
    records = sorted({one.record_id for one in found})
    for stage in sorted({one.stage for one in found}):
        restore(workspace, *sorted({one.record_id for one in found if one.stage == stage}), step=stage)
    run.again(run.images, workspace)
    for one in found:
        row = row_of(workspace, one.stage, one.record_id)
        assert (row["verdict"], row["reason"]) == ("keep", "reversed")
    say("filter", "undo", workspace, *records, "--step", run.name, "--by", "ada")
    run.again(run.images, workspace)
    say("gc", workspace)
    assert tables(workspace) == before
