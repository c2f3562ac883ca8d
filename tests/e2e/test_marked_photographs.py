"""Facts that people mark, all the way: real photographs, simulated annotators, a frozen release that says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import ROOT

from benchwright.cli import invoke, prepare_photographs
from benchwright.facts import read_facts
from benchwright.pipeline import run_recipe
from benchwright.recipe import load_recipe
from benchwright.release import Release
from benchwright.workspace import FinishedRun

RECIPE = ROOT / "examples" / "marked-photographs.yaml"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    folder = tmp_path_factory.mktemp("marked")
    prepare_photographs(folder / "photographs")
    return run_recipe(load_recipe(RECIPE), images=folder / "photographs", workspace=folder / "w", workers=1)


def test_marks_of_simulated_annotators_become_a_release_that_says_so(finished: FinishedRun) -> None:
    release = Release.open(finished.workspace / finished.artifacts["release"])
    items = list(release.items())
    assert len(items) >= 5
    assert {released.item.task for released in items} == {"object_localization"}
    agreement = json.loads((release.path / "agreement.json").read_text(encoding="utf-8"))
    assert json.dumps(agreement).count('"simulated": true') >= 2
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
    assert {json.dumps(entry["stated_by"]) for entry in evidence} == {'{"subjects": ["mark"]}'}
    assert {entry["simulated"] for entry in evidence} == {True}
