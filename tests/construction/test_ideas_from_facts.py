"""Ideas without a model: from facts that people stated about photographs included in wheels, and about small
pictures.
"""

from __future__ import annotations

import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from step_context import StepContext

from benchwright.construction.item_parts.idea import Idea, unpacked
from benchwright.construction.manipulation.grounding.scene import Scene
from benchwright.construction.manipulation.ideas.step import Ideas
from benchwright.construction.manipulation.ideas.templates import TemplateWriter, TemplateWriting
from benchwright.construction.stated_facts.resolved_facts import resolved
from benchwright.errors import DataError
from benchwright.facts import CATEGORIES, LOOKS
from benchwright.facts.facts_file import parse_facts
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.workspace.run_results import FinishedRun

PAIRS = ROOT / "examples" / "pairs"
RECIPE = "name: t\nseed: 2\nshards: 1\nsteps: [{step: facts, file: facts.yaml}, {step: ideas, people_only: PEOPLE, allow: []}]"

SMALL = """\
format: benchwright-facts
version: 1
images:
  cup.png:
    size_wh: [60, 80]
    background: a table
    subjects:
      - {name: cup, phrase: the cup, box: [5, 6, 40, 70], cut_out: {inside: [[20, 30]]}}
    pairs:
      caption: A cup on a table.
      subject: cup
      people: 1
      seen: {behaviour: standing still, scenario: breakfast, object: a spoon}
      backgrounds: {B1: [lake.png], S1: [lake.png]}
      swaps:
        - {category: B2, target: cup, by: lake.png, of: duck, low: {value: a duck}, high: {value: swimming},
           caption: A duck on a table.}
      looks: {sepia: {value: a breakfast of long ago, tempting: [a museum]}}
  lake.png:
    size_wh: [90, 70]
    background: a lake
    subjects: [{name: duck, phrase: the duck, box: [5, 6, 50, 60]}]
    pairs:
      caption: A duck on a lake.
      subject: duck
      suggests:
        behaviour: {value: drifting, ask: "Is {subject} drifting?", tempting: [sinking]}
        scenario: {value: a boat trip}
"""


def run(folder: Path, images: Path, facts: Path, *, people_only: bool) -> FinishedRun:
    recipe = parse_recipe(
        RECIPE.replace("PEOPLE", str(people_only).lower()).replace("facts.yaml", str(facts)), "t.yaml", folder
    )
    return run_recipe(recipe, images=images, workspace=folder / "workspace", workers=1)


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photographs")
    runpy.run_path(str(PAIRS / "photographs.py"))["copy_photographs"](folder)
    return folder


def ideas_of(done: FinishedRun) -> dict[str, tuple[Idea, ...]]:
    names = {record.image_id: record.source.uri for record in done.images() if record.source}
    return {names[row["record_id"]]: unpacked(row["planned"]) for row in done.outcomes("ideas") if row["planned"]}


def test_photographs_of_two_wheels_give_many_ideas_of_many_categories(photographs: Path, tmp_path: Path) -> None:
    done = run(tmp_path, photographs, ROOT / "benchwright" / "recipes" / "mvp-bench.facts.yaml", people_only=False)
    found = ideas_of(done)
    ideas = [idea for some in found.values() for idea in some]
    per_category = Counter(idea.category for idea in ideas)
    assert len(ideas) >= 12
    assert set(per_category) == {"B4", "I1", "S1", "S2"}
    for idea in ideas:
        assert idea.written_by == "template"
        assert idea.way == CATEGORIES[idea.category].way  # type: ignore[index]
        assert (idea.donor is None) == (idea.way == "direct" or idea.color is not None)
        assert (idea.effect is None) == (idea.way != "direct")
        assert idea.levels == (("low",) if idea.category in {"I1", "S2"} else ("low", "high"))
        assert len(idea.high.tempting) >= 3 or "high" not in idea.levels
    for some in found.values():
        assert len({idea.idea_id for idea in some}) == len(some)
    rows = list(done.outcomes("ideas"))
    assert {row["reason"] for row in rows if not row["planned"]} == {"no_idea"}
    assert not any("policy" in str(row["evidence"]) for row in rows)


def test_photographs_without_people_are_dropped_by_default(photographs: Path, tmp_path: Path) -> None:
    done = run(tmp_path, photographs, ROOT / "benchwright" / "recipes" / "mvp-bench.facts.yaml", people_only=True)
    assert set(ideas_of(done)) == {"astronaut.png", "camera.png"}


def small(text: str = SMALL) -> Any:
    facts = parse_facts(text, "facts.yaml")
    return resolved(facts.images, "cup.png", {"cup.png": "c" * 64, "lake.png": "1" * 64})


def plan(code: str, text: str = SMALL) -> Idea:
    facts = small(text)
    scene = Scene(facts.caption, facts.subject, facts.people, {}, facts=facts)
    (idea,) = TemplateWriter(TemplateWriting()).plan(CATEGORIES[code], scene).ideas  # type: ignore[index]
    return idea


def test_a_background_is_another_picture_and_what_it_suggests() -> None:
    idea = plan("B1")
    assert (idea.subject.box, idea.subject.inside) == ((5, 6, 40, 70), ((20, 30),))
    assert idea.donor is not None
    assert (idea.donor.image_id, idea.target, idea.levels) == ("1" * 64, None, ("low", "high"))
    assert (idea.low.natural, idea.low.manipulated) == ("a table", "a lake")
    assert (idea.high.natural, idea.high.manipulated, idea.high.tempting) == (
        "standing still",
        "drifting",
        ("sinking",),
    )
    assert idea.high.ask_manipulated == "Is the cup drifting?"
    assert idea.manipulated_caption == "The cup, drifting, in front of a lake"


def test_what_a_background_a_donor_or_an_effect_suggests_is_asked_only_where_a_question_is_stated() -> None:
    unasked = SMALL.replace(', ask: "Is {subject} drifting?"', "")
    assert plan("B1", unasked).levels == ("low",)
    assert "drifting" not in plan("B1", unasked).manipulated_caption
    assert plan("B2").levels == plan("S2").levels == ("low",)
    assert plan("S1").levels == ("low", "high")
    asked = SMALL.replace(
        "high: {value: swimming}", 'high: {value: swimming, ask: "Does {subject} swim?"}, aspect: what swims'
    )
    assert (plan("B2", asked).levels, plan("B2", asked).high.aspect) == (("low", "high"), "what swims")
    assert plan("S2", SMALL.replace("{value: a breakfast of long ago, tempting: [a museum]}", "null")).levels == (
        "low",
    )


def test_a_scenario_keeps_the_behaviour_out_of_the_caption() -> None:
    assert plan("S1").manipulated_caption == "The cup, in front of a lake"
    assert (plan("S1").high.natural, plan("S1").high.ask_natural) == ("breakfast", None)  # `pair_items` words it


def test_a_swap_has_a_target_here_and_a_donor_there() -> None:
    idea = plan("B2")
    assert idea.target is not None
    assert idea.target.phrase == "the cup"
    assert idea.donor is not None
    assert idea.donor.of is not None
    assert (idea.donor.of.phrase, idea.donor.of.box) == ("the duck", (5, 6, 50, 60))
    assert (idea.low.natural, idea.low.manipulated) == ("a spoon", "a duck")
    assert idea.instruction == "Replace the cup with a duck."


def test_a_look_names_its_alteration_and_offers_the_other_looks_as_distractors() -> None:
    idea = plan("S2")
    assert (idea.effect, idea.low.manipulated) == ("sepia", LOOKS["sepia"])
    assert set(idea.low.others) == set(LOOKS.values()) - {LOOKS["sepia"]}
    assert idea.high.natural == "breakfast"


def test_what_rests_on_a_picture_that_is_not_in_the_run_is_left_out() -> None:
    facts = resolved(parse_facts(SMALL, "f").images, "cup.png", {"cup.png": "c" * 64})
    assert (facts.behind, facts.swaps) == ((), ())
    assert set(facts.looks) == {"sepia"}


def test_a_swap_may_give_a_color_instead_of_a_picture_and_ask_at_the_low_level_alone() -> None:
    text = SMALL.replace(
        "by: lake.png, of: duck, low: {value: a duck}, high: {value: swimming}", "color: blue, low: {value: a mug}"
    )
    idea = plan("B2", text)
    assert (idea.color, idea.donor, idea.levels) == ("blue", None, ("low",))
    assert (idea.low.natural, idea.low.manipulated) == ("a spoon", "a mug")


@pytest.mark.parametrize(
    ("category", "changes", "ground"),
    [
        ("S1", {}, 1.0),
        ("S1", {"subject: duck\n": "subject: duck\n      ground: 0.6\n"}, 0.6),
        ("S1", {"people: 1": "stands: false"}, 0.0),
        ("B1", {}, 0.0),
    ],
    ids=["no ground stated", "ground stated", "a subject that flies", "another behavior"],
)
def test_a_standing_subject_needs_the_ground_that_a_background_states(
    category: str, changes: dict[str, str], ground: float
) -> None:
    text = SMALL
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    idea = plan(category, text)
    assert idea.donor is not None
    assert idea.donor.ground == ground


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("subject: cup\n", "subject: mug\n", ["pairs.subject", "'mug'", "cup"]),
        ("B1: [lake.png]", "B1: [sea.png]", ["backgrounds.B1.0", "'sea.png'"]),
        ("B1: [lake.png]", "B1: [cup.png]", ["backgrounds.B1.0", "'cup.png'"]),
        ("B1: [lake.png]", "R1: [lake.png]", ["backgrounds.R1", "its role"]),
        ("behaviour: {value: drifting,", "role: {value: drifting,", ["backgrounds.B1.0", "which behaviour"]),
        ("target: cup,", "target: pot,", ["swaps.0.target", "'pot'"]),
        ("of: duck", "of: goose", ["swaps.0.of", "'goose'"]),
        ("by: lake.png", "by: cup.png", ["swaps.0.by", "'cup.png'"]),
        ("by: lake.png, of: duck,", "", ["swaps.0.by", "`color`"]),
        ("by: lake.png,", "by: lake.png, color: blue,", ["swaps.0.by", "`color`"]),
        ("by: lake.png, of: duck,", "color: bleu,", ["swaps.0.color", "'bleu'"]),
        ("object: a spoon", "role: a cup", ["swaps.0.category", "the object"]),
        (
            "scenario: breakfast, object: a spoon}\n      backgrounds: {B1: [lake.png], S1: [lake.png]}",
            "object: a spoon}",
            ["pairs.looks", "scenario"],
        ),
        ("looks: {sepia:", "looks: {sepai:", ["looks", "sepai"]),
        ("category: B2", "category: B1", ["swaps.0.category", "'B1'"]),
    ],
)
def test_a_mistake_in_the_facts_is_named_with_its_place(old: str, new: str, words: list[str]) -> None:
    assert old in SMALL
    with pytest.raises(DataError) as caught:
        parse_facts(SMALL.replace(old, new), "facts.yaml")
    for word in ["facts.yaml: line", *words]:
        assert word in str(caught.value)


def test_the_policy_holds_for_facts_too(tmp_path: Path) -> None:
    context = StepContext(tmp_path)
    record = context.add(np.zeros((80, 60, 3), np.uint8))
    facts = small(SMALL.replace("value: drifting", "value: saving a baby"))
    context._values = {(record.image_id, "facts.ideas"): facts.model_dump_json()}
    outcome = context.run(Ideas(categories=("B1", "S1")), record)
    (idea,) = unpacked(str(outcome.values["planned"]))
    assert idea.category == "S1"
    assert outcome.evidence["categories"]["B1"]["reason"] == "policy_minor"
