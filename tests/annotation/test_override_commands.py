"""`filter restore`, `drop`, `undo`, `overrides`: possible and impossible decisions, and the resulting state."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from walks import make_photographs, tree_digest

from benchwright.cli.main import invoke
from benchwright.funnel.trace import trace
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.workspace.run_results import FinishedRun

pytestmark = pytest.mark.slow

RECIPE = """\
name: copies
seed: 3
shards: 2
steps:
  - exact_duplicates
  - near_duplicates
  - step: jigsaw
    min_tile_px: 56
    likeness: keep
  - step: verify
    rule: unanimous(1)
    simulate:
      annotators: 2
      error_rate: 0.5
"""


def run(workspace: Path, images: Path, recipe: str = RECIPE) -> FinishedRun:
    return run_recipe(parse_recipe(recipe, "copies.yaml", images), images=images, workspace=workspace, workers=1)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with photographs, some stored twice, and a workspace after a run of the recipe."""
    folder = tmp_path_factory.mktemp("copies")
    make_photographs(folder / "p", count=6)
    for number in (0, 3):
        with Image.open(folder / "p" / f"piece-0{number}.png") as image:
            image.save(folder / "p" / f"zz-copy-{number}.bmp")
    (folder / "p" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    run(folder / "w", folder / "p")
    return folder


@pytest.fixture
def place(first: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(first, tmp_path / "place"))


@pytest.fixture
def say(place: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Call a command on the workspace; return its JSON document."""

    def call(command: str, *words: str, code: int = 0) -> Any:
        capsys.readouterr()
        by = [] if command == "overrides" else ["--by", "ada"]
        assert invoke(["filter", command, str(place / "w"), *words, *by, "--json"]) == code
        return json.loads(capsys.readouterr().out)

    return call


def refused(document: Any) -> str:
    return str(document["error"]["message"])


def rows(place: Path, stage: str) -> list[dict[str, Any]]:
    return list(FinishedRun(place / "w", "done", ()).outcomes(stage))


def copies(place: Path) -> list[str]:
    return [row["record_id"] for row in rows(place, "exact_duplicates.groups") if row["verdict"] == "drop"]


def test_a_drop_is_reversed_by_path_by_id_and_by_first_digits(place: Path, say: Any) -> None:
    [one] = say("restore", "zz-copy-0.bmp", "--why", "x")["decided"]
    assert (one["stage"], one["action"], one["reason"]) == ("exact_duplicates.groups", "keep", "exact_duplicate")
    assert one["record"] in copies(place)
    assert one["against"] not in copies(place)
    [again] = say("restore", one["record"][:9], "--why", "y")["already"]
    assert again == one
    assert say("restore", one["record"], "zz-copy-3.bmp", "--why", "z")["already"] == [one]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("restore", "nothing.png"), "no image, item or file 'nothing.png'"),
        (("restore", "abcdef012345"), "no image, item or file 'abcdef012345'"),
        (("restore", ""), "no image, item or file ''"),
        (("restore", "broken.png"), "the file 'broken.png' was refused"),
        (("restore", "piece-01.jpg"), "nothing dropped 'piece-01.jpg' or asked about it"),
        (("restore", "zz-copy-0.bmp", "--step", "near_duplicates"), "or asked about it at step 'near_duplicates'"),
        (("restore", "zz-copy-0.bmp", "--step", "nonsense"), "no step 'nonsense' ran in"),
        (("drop", "piece-01.jpg", "--step", "nonsense"), "no step 'nonsense' ran in"),
        (("drop", "piece-01.jpg", "--step", "jigsaw"), "step 'jigsaw' drops no records by hand"),
        (("drop", "piece-01.jpg", "--step", "verify"), "step 'verify' drops no records by hand"),
        (("drop", "zz-copy-0.bmp", "--step", "near_duplicates"), "never reached step 'near_duplicates'"),
        (("drop", "zz-copy-0.bmp", "--step", "exact_duplicates"), "itself already decided drop exact_duplicate on"),
        (("undo", "piece-01.jpg"), "no decision by hand is about 'piece-01.jpg'"),
    ],
)
def test_what_cannot_be_decided_is_refused_in_words(say: Any, words: tuple[str, ...], message: str) -> None:
    assert message in refused(say(*words, "--why", "x", code=2))
    assert say("overrides") == {"overrides": []}


def test_an_image_that_a_step_made_nothing_of_has_nothing_to_bring_back(place: Path, say: Any) -> None:
    left_out = [row for row in rows(place, "jigsaw") if row["verdict"] == "drop"]
    assert left_out
    assert "step jigsaw made nothing of" in refused(say("restore", left_out[0]["record_id"], "--why", "x", code=2))


def test_what_people_decided_is_theirs_to_amend(place: Path, say: Any) -> None:
    rejected = [row for row in rows(place, "verify") if row["verdict"] == "drop"]
    assert rejected
    message = refused(say("restore", rejected[0]["record_id"], "--why", "x", code=2))
    assert "in campaign verify (rejected); the annotators who decided can amend it" in message


def test_digits_that_several_records_begin_with_are_refused(place: Path, say: Any, monkeypatch: Any) -> None:
    from benchwright.workspace import record_lookup as lookup

    monkeypatch.setattr(lookup, "SHORTEST_PREFIX", 1)
    ids = [row["record_id"] for row in rows(place, "exact_duplicates.groups")]
    shared = next(one[0] for one in sorted(ids) if sum(other[0] == one[0] for other in ids) > 1)
    assert "ids, such as" in refused(say("restore", shared, "--why", "x", code=2))


@pytest.mark.parametrize("why", ["", "  ", "x" * 2001, "a\x1b[2Jb"])
def test_a_reason_that_is_none_is_refused(say: Any, why: str) -> None:
    assert "--why takes 1 to 2000 printable characters" in refused(
        say("restore", "zz-copy-0.bmp", "--why", why, code=2)
    )


def test_several_are_decided_or_none(say: Any) -> None:
    say("restore", "zz-copy-0.bmp", "nothing.png", "--why", "x", code=2)
    assert say("overrides") == {"overrides": []}


def test_a_workspace_where_nothing_ran_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["filter", "restore", str(tmp_path), "abcdef", "--why", "x", "--by", "ada", "--json"]) == 2
    assert "is not a workspace" in refused(json.loads(capsys.readouterr().out))
    assert list(tmp_path.iterdir()) == []


def test_decisions_wait_then_count_and_the_history_tells_who_and_why(place: Path, say: Any) -> None:
    say("restore", "zz-copy-0.bmp", "--why", "another one")
    say("drop", "piece-01.jpg", "--step", "near_duplicates", "--why", "private")
    assert [one["state"] for one in say("overrides")["overrides"]] == ["waits", "waits"]
    run(place / "w", place / "p")
    told = say("overrides")["overrides"]
    assert [(one["state"], one["by"], one["why"]) for one in told] == [
        ("counts", "ada", "another one"), ("counts", "ada", "private"),
    ]  # fmt: skip
    chain = trace(place / "w", "zz-copy-0.bmp")["chain"]
    place_of = next(number for number, link in enumerate(chain) if link["what"] == "overridden")
    assert (chain[place_of - 1]["verdict"], chain[place_of - 1]["reason"]) == ("drop", "exact_duplicate")
    assert chain[place_of] == {
        "what": "overridden", "step": "exact_duplicates.groups", "verdict": "keep", "by": "ada", "why": "another one",
    }  # fmt: skip
    assert any(link["step"] == "near_duplicates.pairs" for link in chain[place_of + 1 :])
    assert trace(place / "w", "piece-01.jpg")["chain"][-1]["what"] == "overridden"


def test_a_decision_with_nothing_to_decide_is_kept_reported_and_stops_no_run(place: Path, say: Any) -> None:
    say("restore", "zz-copy-0.bmp", "zz-copy-3.bmp", "--why", "x")
    say("drop", "piece-01.jpg", "--step", "near_duplicates", "--why", "private")
    (place / "p" / "zz-copy-0.bmp").unlink()
    (place / "p" / "piece-03.png").unlink()
    assert run(place / "w", place / "p", RECIPE.replace("  - near_duplicates\n", "")).state == "done"
    found = {one["because"]: one["state"] for one in say("overrides")["overrides"]}
    assert found == {
        "the record no longer reaches this step": "stale",
        "the step itself says keep now": "stale",
        "the recipe no longer has this step": "stale",
    }
    assert len(say("undo", *[one["record"] for one in say("overrides")["overrides"]])["undone"]) == 3
    assert say("overrides") == {"overrides": []}


def test_a_reversal_speaks_of_the_pair_that_was_seen_and_of_no_other(place: Path, say: Any) -> None:
    say("restore", "zz-copy-0.bmp", "--why", "x")
    with Image.open(place / "p" / "piece-00.png") as image:
        image.save(place / "p" / "a-first.webp", lossless=True)
    run(place / "w", place / "p")
    [one] = say("overrides")["overrides"]
    assert one["state"] == "stale"
    assert one["because"].startswith("it is now dropped against ")
    assert len(copies(place)) == 3


def test_a_release_frozen_by_then_shows_what_was_reversed(place: Path, say: Any) -> None:
    frozen = RECIPE.replace("error_rate: 0.5", "error_rate: 0.0") + "  - step: freeze\n    name: copies\n"
    say("restore", "zz-copy-0.bmp", "--why", "x")
    run(place / "w", place / "p", frozen)
    [release] = (place / "w" / "releases").iterdir()
    stages = json.loads((release / "manifest.json").read_text())["stages"]
    [groups] = [one["counts"] for one in stages if one["stage"] == "exact_duplicates.groups"]
    assert groups["verdicts"] == {"drop": {"exact_duplicate": 1}, "keep": {"": 6, "reversed": 1}}
    card = (release / "README.md").read_text()
    assert "| `exact_duplicates` | images | 8 | 7 | exact\\_duplicate 1 |  |  | 1 |  |" in card
    assert "Curators reversed 1 verdicts" in card
    assert not re.search(r"\bada\b", (release / "manifest.json").read_text() + card)  # hashes may hold these letters


def test_a_run_killed_with_decisions_taken_in_ends_in_the_same_bytes(place: Path, say: Any, tmp_path: Path) -> None:
    say("restore", "zz-copy-0.bmp", "--why", "x")
    say("drop", "piece-01.jpg", "--step", "near_duplicates", "--why", "private")
    shutil.copytree(place, tmp_path / "whole")
    run(tmp_path / "whole" / "w", tmp_path / "whole" / "p")
    for point in ("exact_duplicates.groups", "near_duplicates.pairs", "jigsaw"):
        killed = Path(shutil.copytree(place, tmp_path / f"killed at {point}"))
        with pytest.MonkeyPatch.context() as patch:
            _stop_after(patch, point)
            with pytest.raises(KeyboardInterrupt):
                run(killed / "w", killed / "p")
        run(killed / "w", killed / "p")
        for folder in (killed / "w", tmp_path / "whole" / "w"):
            assert invoke(["gc", str(folder), "--json"]) == 0
        assert tree_digest(killed / "w") == tree_digest(tmp_path / "whole" / "w")


def _stop_after(patch: pytest.MonkeyPatch, stage: str) -> None:
    """Interrupt a run as soon as a stage has written its tables."""
    from benchwright.pipeline.run import _Run

    publish = _Run._publish

    def stop(self: Any, one: Any) -> None:
        if one.id == stage:
            raise KeyboardInterrupt
        publish(self, one)

    patch.setattr(_Run, "_publish", stop)
