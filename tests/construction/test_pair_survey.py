"""`construct survey` for pairs: which of the thirteen categories a folder can supply, by the way pairs are made.

- Photographs alone are enough for all categories with an API, and for none without a model.
- Facts supply what they state about existing photographs, with as many ideas as the step plans, and state where people
  are.
- Weights are counted if they are on this machine; unreadable facts are reported.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from brought_photographs import jpeg

from benchwright.cli.main import invoke
from benchwright.construction.manipulation.pair_survey import PairSurvey, pairs_text, survey_pairs
from benchwright.facts import CODES

FACTS = """\
format: benchwright-facts
version: 1
images:
  cup.jpg:
    size_wh: [320, 240]
    background: a table
    subjects:
      - {name: cup, phrase: the cup, box: [5, 6, 40, 70], cut_out: {inside: [[20, 30]]}}
    pairs:
      caption: A cup on a table.
      subject: cup
      people: PEOPLE
      seen: {behaviour: standing still, scenario: breakfast, object: a spoon}
      backgrounds: {B1: [lake.jpg], S1: [lake.jpg]}
      swaps:
        - {category: B2, target: cup, by: lake.jpg, of: duck, low: {value: a duck}, high: {value: swimming},
           caption: A duck on a table.}
      looks: {sepia: {value: a breakfast of long ago, tempting: [a museum]}, night: null}
  lake.jpg:
    size_wh: [320, 240]
    background: a lake
    subjects: [{name: duck, phrase: the duck, box: [5, 6, 50, 60]}]
    pairs:
      caption: A duck on a lake.
      subject: duck
      people: 0
      suggests:
        behaviour: {value: drifting, ask: "Is {subject} drifting?", tempting: [sinking]}
        scenario: {value: a boat trip}
"""


@pytest.fixture(autouse=True)
def _no_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "no_hub"))
    monkeypatch.delenv("BENCHWRIGHT_MODELS", raising=False)


def folder_of(tmp_path: Path, facts: str | None = None, names: tuple[str, ...] = ("cup.jpg", "lake.jpg")) -> Path:
    folder = tmp_path / "photographs"
    folder.mkdir()
    for number, name in enumerate(names):
        (folder / name).write_bytes(jpeg(seed=number))
    if facts is not None:
        (folder / "facts.yaml").write_text(facts, encoding="utf-8")
    return folder


def ideas(survey: PairSurvey) -> dict[str, int | None]:
    ways = {each.category.code: each.ways["without_model"] for each in survey.categories}
    return {code: way.ideas for code, way in ways.items() if way.lacks is None}


def test_photographs_alone_feed_all_categories_with_an_api_and_none_otherwise(tmp_path: Path) -> None:
    survey = survey_pairs(folder_of(tmp_path))
    assert (survey.fed("without_model"), survey.fed("api"), survey.fed("weights")) == ((), CODES, ())
    lacks = {each.category.code: str(each.ways["without_model"].lacks) for each in survey.categories}
    assert "`backgrounds` of `pairs`" in lacks["B1"]
    assert "`swaps` of `pairs`" in lacks["R2"]
    assert "`looks` of `pairs`" in lacks["S2"]
    assert "facts cannot state it" in lacks["E2"]
    assert "timbrooks/instruct-pix2pix" in str(survey.categories[CODES.index("E2")].ways["weights"].lacks)


def test_facts_feed_what_they_state_of_photographs_that_are_there(tmp_path: Path) -> None:
    survey = survey_pairs(folder_of(tmp_path, FACTS.replace("PEOPLE", "1")))
    assert ideas(survey) == {"B1": 1, "B2": 1, "S1": 1, "S2": 2}


def test_an_idea_whose_donor_is_not_there_is_none(tmp_path: Path) -> None:
    survey = survey_pairs(folder_of(tmp_path, FACTS.replace("PEOPLE", "1"), names=("cup.jpg",)))
    assert ideas(survey) == {"S2": 2}


@pytest.mark.parametrize(("people", "of_people", "of_one"), [("1", 1, 1), ("2", 1, 0), ("0", 0, 0)])
def test_facts_say_which_photographs_a_model_can_be_asked_about(
    tmp_path: Path, people: str, of_people: int, of_one: int
) -> None:
    survey = survey_pairs(folder_of(tmp_path, FACTS.replace("PEOPLE", people)))
    pictures = {each.category.code: each.ways["api"].pictures for each in survey.categories}
    assert (pictures["R2"], pictures["E2"], pictures["S2"]) == (of_people, of_one, 2)
    assert ("E2" in survey.fed("api")) == bool(of_one)


def test_a_subject_before_a_new_background_needs_an_outline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(tmp_path, FACTS.replace("PEOPLE", "1"))
    ways = {each.category.code: each.ways["api"] for each in survey_pairs(folder).categories}
    assert ways["B2"].note is None
    assert ways["B1"].note is None  # the one photograph with people states points
    assert str(ways["S1"].note).startswith(
        "facts outline the subject of 1 of 2 pictures; for the others put the weights"
    )
    assert "with an API, S1: facts outline" in pairs_text(survey_pairs(folder))
    monkeypatch.setenv("BENCHWRIGHT_MODELS", str(tmp_path / "models"))
    (tmp_path / "models" / "sam-vit-base").mkdir(parents=True)
    assert survey_pairs(folder).categories[CODES.index("S1")].ways["api"].note is None


def test_weights_on_this_machine_feed_what_they_can_paint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("diffusers", reason="diffusers is not installed")
    monkeypatch.setenv("BENCHWRIGHT_MODELS", str(tmp_path / "models"))
    (tmp_path / "models" / "instruct-pix2pix").mkdir(parents=True)
    assert survey_pairs(folder_of(tmp_path)).fed("weights") == ("E2", "S2")


def test_facts_that_cannot_be_read_are_named_and_stop_nothing(tmp_path: Path) -> None:
    survey = survey_pairs(folder_of(tmp_path, "format: benchwright-facts\nversion: 1\nimages: 3\n"))
    [words] = survey.unread
    assert "facts.yaml" in words
    assert survey.fed("api") == CODES
    assert "not read: " in pairs_text(survey)


def test_the_command_prints_pairs_beside_tasks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = folder_of(tmp_path, FACTS.replace("PEOPLE", "1"))
    assert invoke(["construct", "survey", str(folder), "--no-items", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)["pairs"]
    assert document["pictures"] == 2
    assert document["categories"][0]["without_model"] == {
        "fed": True,
        "pictures": 1,
        "ideas": 1,
        "lacks": None,
        "note": None,
    }
    assert invoke(["construct", "survey", str(folder), "--no-items"]) == 0
    said = capsys.readouterr().out
    assert "S2  Scenario - Aesthetic Features    2 ideas of 1 picture | 2 pictures | no" in said
    assert "of 13 categories: 4 without a model, 13 with an API, 0 with weights" in said
