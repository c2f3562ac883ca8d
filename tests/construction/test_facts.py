"""The step `facts`: the images that a file mentions, and the work that an edited fact repeats."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from PIL import Image
from pydantic import ValidationError

from benchwright.cli import prepare_photographs
from benchwright.construction.stated_facts.facts import StatedFacts
from benchwright.errors import DataError, StepError
from benchwright.pipeline import open_view, run_recipe
from benchwright.recipe import parse_recipe
from benchwright.workspace.run_results import FinishedRun

DEMO_FACTS = Path(__file__).parents[2] / "benchwright" / "recipes" / "demo.facts.yaml"
TWO = """\
format: benchwright-facts
version: 1
images:
  cup.png: {size_wh: [60, 80], subjects: [{name: cup, phrase: the cup, box: [5, 6, 40, 70]}], unanswerable: [QUESTION]}
  lake.png: {size_wh: [90, 70], subjects: [{name: lake, phrase: the lake, box: [5, 6, 50, 60]}]}
""".replace("QUESTION", "{name: taste, why: other_modality, ask: 'Which taste?', wrong: [Sour, Sweet]}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "images" / "below").mkdir(parents=True)
    for number, (name, size) in enumerate({"cup.png": (60, 80), "below/lake.png": (90, 70), "x.png": (50, 60)}.items()):
        Image.new("RGB", size, (40 * number, 90, 20)).save(tmp_path / "images" / name)
    (tmp_path / "facts.yaml").write_text(TWO, encoding="utf-8")
    return tmp_path


def run(folder: Path, *, steps: str = "{step: object_localization, mode: paper}, beyond_the_image") -> FinishedRun:
    text = f"name: t\nseed: 2\nshards: 1\nsteps: [{{step: facts, file: facts.yaml}}, {steps}]\n"
    recipe = parse_recipe(text, "t.yaml", folder)
    return run_recipe(recipe, images=folder / "images", workspace=folder / "workspace", workers=1)


def made(finished: FinishedRun) -> dict[str, int]:
    return {step.name: step.made for step in finished.steps}


def test_facts_reach_images_by_name_below_the_folder_too(folder: Path) -> None:
    assert made(run(folder)) == {"ingest": 3, "facts": 0, "object_localization": 2, "beyond_the_image": 1}


def test_facts_reach_an_image_by_its_sha256(folder: Path) -> None:
    from benchwright.canonical import file_digest

    image_id = file_digest(folder / "images" / "cup.png")
    (folder / "facts.yaml").write_text(TWO.replace("cup.png", f'"{image_id}"'), encoding="utf-8")
    assert made(run(folder))["beyond_the_image"] == 1


def test_an_edited_fact_changes_the_items_that_rest_on_it_and_runs_nothing_else(folder: Path) -> None:
    def rows(finished: FinishedRun, step: str) -> dict[str, str]:
        return {row["record_id"]: row["record_hash"] for row in finished.outcomes(step)}

    first = run(folder)
    before = {step: rows(first, step) for step in ("object_localization", "beyond_the_image")}
    (folder / "facts.yaml").write_text(TWO.replace("Which taste?", "What does it taste of?"), encoding="utf-8")
    again = run(folder)
    after = {step: rows(again, step) for step in ("object_localization", "beyond_the_image")}
    assert after["object_localization"] == before["object_localization"]
    assert len(set(after["beyond_the_image"].items()) ^ set(before["beyond_the_image"].items())) == 2
    questions = {item.question for item, _ in open_view(folder / "workspace").items()}
    assert "What does it taste of?" in questions
    assert "Which taste?" not in questions


def test_a_comment_in_the_file_runs_nothing_again(folder: Path) -> None:
    run(folder)
    (folder / "facts.yaml").write_text("# checked twice\n" + TWO, encoding="utf-8")
    assert run(folder).executed == 0


def test_what_is_written_holds_the_digest_and_not_the_path(folder: Path) -> None:
    run(folder)
    recipe = json.loads((folder / "workspace" / "workspace.json").read_text(encoding="utf-8"))["recipe"]
    assert recipe["steps"][0]["file"].startswith("sha256:")
    assert "facts.yaml" not in json.dumps(recipe)


def test_an_image_of_another_size_than_stated_is_asked_about_and_makes_nothing(folder: Path) -> None:
    (folder / "facts.yaml").write_text(TWO.replace("[60, 80]", "[61, 80]"), encoding="utf-8")
    done = run(folder)
    assert made(done)["beyond_the_image"] == 0
    asked = [row for row in done.outcomes("facts") if row["verdict"] == "ask"]
    assert [row["reason"] for row in asked] == ["other_size"]


def test_facts_that_fit_no_image_are_warned_of(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    (folder / "facts.yaml").write_text(TWO.replace("lake.png", "laek.png"), encoding="utf-8")
    with caplog.at_level(logging.WARNING, "benchwright.construction.stated_facts.facts"):
        run(folder)
    assert "laek.png" in caplog.text
    assert "cup.png" not in caplog.text


def test_a_name_that_fits_several_images_is_refused(folder: Path) -> None:
    (folder / "images" / "above").mkdir()
    Image.new("RGB", (90, 70), (1, 2, 3)).save(folder / "images" / "above" / "lake.png")
    with pytest.raises(StepError, match=r"'lake.png' fits several images: above/lake.png, below/lake.png"):
        run(folder)


def test_a_mistake_in_the_file_ends_the_recipe_before_anything_runs(folder: Path) -> None:
    (folder / "facts.yaml").write_text(TWO.replace("[5, 6, 40, 70]", "[5, 6, 40, 90]"), encoding="utf-8")
    with pytest.raises(DataError, match=r"facts.yaml: line 4: .*box.*60 x 80"):
        run(folder)
    assert not (folder / "workspace").exists()


def test_an_empty_file_name_is_refused() -> None:
    with pytest.raises(ValidationError):
        StatedFacts(file="")


@pytest.mark.slow
def test_the_demos_facts_fit_its_photographs_and_make_items_of_all_kinds(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "facts.yaml").write_bytes(DEMO_FACTS.read_bytes())
    prepare_photographs(tmp_path / "images")
    steps = "object_localization, beyond_the_image, image_implication, background_substitution"
    with caplog.at_level(logging.WARNING, "benchwright.construction.stated_facts.facts"):
        done = run(tmp_path, steps=steps)
    assert "match no image" not in caplog.text
    assert {row["verdict"] for row in done.outcomes("facts")} == {"keep"}
    counts = made(done)
    assert counts["object_localization"] >= 12  # the other subjects lie at a border, where boxes cannot change places
    assert counts["beyond_the_image"] == 52  # four of each of 12 photographs, and of the copy that a filter would drop
    assert counts["image_implication"] >= 44
    assert counts["background_substitution"] == 30
