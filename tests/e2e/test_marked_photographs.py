"""Facts that annotators mark, end to end: real photographs, simulated annotators, a frozen release that says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import pytest
from conftest import ROOT
from stated_values import GivenMarks, GivenStatements, items_of_run, marks_of, statements_of

from benchwright.annotation.campaigns.mark.step import Mark
from benchwright.cli import prepare_photographs
from benchwright.cli.main import invoke
from benchwright.construction.stated_facts.facts import StatedFacts
from benchwright.construction.tasks.background_substitution import BackgroundSubstitution
from benchwright.construction.tasks.beyond_the_image import BeyondTheImage
from benchwright.construction.tasks.image_implication import ImageImplication
from benchwright.construction.tasks.object_localization import ObjectLocalization
from benchwright.facts import read_facts
from benchwright.pipeline import run_recipe
from benchwright.recipe import Recipe, parse_recipe
from benchwright.recipes import bundled_recipes
from benchwright.release import Release
from benchwright.steps import FOLDER
from benchwright.workspace.run_results import FinishedRun

DEMO_FACTS = ROOT / "benchwright" / "recipes" / "demo.facts.yaml"


def simulated(text: str) -> str:
    """Return the recipe with simulated annotators, as its comment says that one gets it."""
    assert text.count("# simulate:") == 3
    return text.replace("# simulate:", "simulate:")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    folder = tmp_path_factory.mktemp("marked")
    prepare_photographs(folder / "photographs")
    text = bundled_recipes()["marked-photographs"].read_text(encoding="utf-8")
    recipe = parse_recipe(simulated(text), "marked-photographs.yaml", folder)
    return run_recipe(recipe, images=folder / "photographs", workspace=folder / "w", workers=1)


def test_marks_of_simulated_annotators_become_a_release_that_says_so(finished: FinishedRun) -> None:
    release = Release.open(finished.workspace / finished.artifacts["release"])
    items = list(release.items())
    assert len(items) >= 5
    assert {released.item.task for released in items} == {"object_localization", "beyond_the_image"}
    authors = {released.item.written_by["question"] for released in items if released.item.task == "beyond_the_image"}
    assert authors == {"simulated"}
    agreement = json.loads((release.path / "agreement.json").read_text(encoding="utf-8"))
    assert json.dumps(agreement).count('"simulated": true') >= 3
    assert invoke(["release", "verify", str(release.path)]) == 0


def test_what_was_marked_can_be_taken_out_as_a_facts_file(finished: FinishedRun, tmp_path: Path) -> None:
    out = tmp_path / "marked.yaml"
    assert invoke(["facts", "export", str(finished.workspace), "--out", str(out)]) == 0
    marked = {
        json.dumps(row["evidence"]["facts"]): row["subjects"]
        for row in finished.outcomes("facts")
        if row["subjects"] is not None
    }
    stated = read_facts(out).images
    assert len(marked) >= 5
    for key, subjects in marked.items():
        boxes = [list(subject.box) for subject in stated[json.loads(key)].subjects]
        assert boxes == [subject["box"] for subject in json.loads(subjects)]


def test_the_evidence_says_who_stated_the_facts_and_that_nobody_looked(finished: FinishedRun) -> None:
    evidence = [row["evidence"] for row in finished.outcomes("facts") if row["subjects"] is not None]
    assert {json.dumps(entry["stated_by"]) for entry in evidence} == {
        '{"answerable": ["state"], "subjects": ["mark"], "unanswerable": ["state"]}'
    }
    assert {entry["simulated"] for entry in evidence} == {True}


class TrueMarks(GivenMarks):
    """What the annotators of `mark` mark in their campaign."""

    name: ClassVar[str] = "truth"


@pytest.mark.thorough  # tests/construction/test_facts_from_people.py has the same without the store
def test_the_demos_facts_handed_in_as_marks_make_the_items_that_its_file_makes(tmp_path: Path) -> None:
    """The marks pass the store, its checks and the consensus; the statements are given as values."""
    prepare_photographs(tmp_path / "images")
    facts = read_facts(DEMO_FACTS)
    (tmp_path / "facts.yaml").write_bytes(DEMO_FACTS.read_bytes())
    key_of = {name: key for key, picture in facts.images.items() for name in (key, *picture.also)}
    steps = (ObjectLocalization(), BeyondTheImage(), ImageImplication(), BackgroundSubstitution())
    shapes = {"subjects": "box", "inside": "point", "outside": "point", "outlines": "mask"}
    fields = [
        {"name": name, "label": name, "shape": shape, "free_label": True, "min_count": 0, "max_count": 200}
        for name, shape in shapes.items()
    ]
    marking = Mark.model_validate(
        {"fields": fields, "simulate": {"annotators": 1, "jitter": 0, "truth": "truth.regions"}}
    )
    people = [
        TrueMarks(texts={uri: marks_of(facts.images[key]) for uri, key in key_of.items()}),
        marking,
        GivenStatements(texts={uri: statements_of(facts.images[key]) for uri, key in key_of.items()}),
        StatedFacts(stated_by=("mark", "state")),
    ]
    filed = StatedFacts.model_validate({"file": "facts.yaml"}, context={FOLDER: tmp_path})
    by_file, by_people = (
        items_of_run(run_recipe(recipe, images=tmp_path / "images", workspace=tmp_path / name, workers=1))
        for name, recipe in (
            ("file", Recipe("file", [filed, *steps], seed=2, folder=tmp_path, shards=2)),
            ("people", Recipe("people", [*people, *steps], seed=2, folder=tmp_path, shards=2)),
        )
    )
    assert len(by_file) > 140
    assert [item.item_id for item in by_people] == [item.item_id for item in by_file]
    assert [item.content_hash for item in by_people] == [item.content_hash for item in by_file]
    places = [[item.evidence.get("stated_xyxy", []) for item in made] for made in (by_people, by_file)]
    assert [box for box in places[0] if box] == [pytest.approx(box, abs=0.5) for box in places[1] if box]
