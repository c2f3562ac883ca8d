"""The step `facts` with campaigns in which people mark pictures and state what they show, with and without a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import Image
from stated_values import (
    GivenMarks,
    GivenStatements,
    items_of_run,
    marked,
    marks_of,
    mask_region,
    region,
    statements_of,
)

from benchwright.canonical import canonical_json
from benchwright.cli import prepare_photographs
from benchwright.cli.main import invoke
from benchwright.construction.stated_facts.facts import StatedFacts
from benchwright.construction.tasks.background_substitution import BackgroundSubstitution
from benchwright.construction.tasks.beyond_the_image import BeyondTheImage
from benchwright.construction.tasks.image_implication import ImageImplication
from benchwright.construction.tasks.object_localization import ObjectLocalization
from benchwright.errors import RecipeError
from benchwright.facts import PictureFacts, facts_yaml, read_facts, stated_in_workspace
from benchwright.facts.composing import composed_facts
from benchwright.facts.statements import PictureRegions
from benchwright.pipeline import run_recipe
from benchwright.recipe import Recipe
from benchwright.steps import FOLDER, Step
from benchwright.workspace.run_results import FinishedRun

DEMO_FACTS = Path(__file__).parents[2] / "benchwright" / "recipes" / "demo.facts.yaml"
BOX = [[5, 6], [40, 70]]
TASTE = {"name": "taste", "why": "other_modality", "ask": "How does it taste?", "wrong": ["Sour", "Sweet"]}
FILE = """\
format: benchwright-facts
version: 1
images:
  cup.png:
    background: a table
    subjects:
      - {name: cup, phrase: the white cup, box: [1, 2, 30, 40], cut_out: {inside: [[9, 9]], onto: [lake.png]}}
      - {name: spoon, phrase: the spoon, box: [2, 3, 30, 44]}
    unanswerable: [{name: price, why: other_modality, ask: "What does it cost?", wrong: [One, Two]}]
  lake.png: {background: a lake}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "images").mkdir()
    for number, (name, size) in enumerate({"cup.png": (60, 80), "lake.png": (90, 70), "x.png": (50, 60)}.items()):
        noise = np.random.default_rng(number).integers(0, 255, (size[1], size[0], 3), np.uint8)
        Image.fromarray(noise).save(tmp_path / "images" / name)
    (tmp_path / "facts.yaml").write_text(FILE, encoding="utf-8")
    return tmp_path


def run(
    folder: Path, *steps: Step, marks: Mapping[str, str] | None = None, statements: Mapping[str, str] | None = None,
    file: str | None = None,
) -> FinishedRun:  # fmt: skip
    """Run `facts` over what people marked and stated, and steps that read it."""
    people: list[Step] = [] if marks is None else [GivenMarks(texts=marks)]
    people += [] if statements is None else [GivenStatements(texts=statements)]
    settings = {"file": file, "stated_by": [step.name for step in people]}
    facts = StatedFacts.model_validate(settings, context={FOLDER: folder})
    recipe = Recipe(
        "people", [*people, facts, *(steps or [ObjectLocalization(mode="paper")])], seed=2, folder=folder, shards=2
    )
    return run_recipe(recipe, images=folder / "images", workspace=folder / "workspace", workers=1)


def outcome(finished: FinishedRun, folder: Path, name: str = "cup.png") -> dict[str, Any]:
    """Return what `facts` says of a picture, its values decoded."""
    from benchwright.canonical import file_digest

    image_id = file_digest(folder / "images" / name)
    [row] = [row for row in finished.outcomes("facts") if row["record_id"] == image_id]
    decoded = {key: json.loads(text) if isinstance(text := row[key], str) else text for key in USES}
    return {
        **row,
        **decoded,
    }


USES = ("subjects", "unanswerable", "answerable", "implication", "cut_outs", "ideas")


def test_marks_are_subjects_by_their_labels(folder: Path) -> None:
    marks = {
        "cup.png": marked(
            (60, 80), region("box", BOX, "name tag"), region("polygon", [[3, 4], [20, 5], [9, 30]], "a leaf")
        )
    }
    done = run(folder, marks=marks)
    assert outcome(done, folder)["subjects"] == [
        {"name": "name_tag", "phrase": "the name tag", "box": [5, 6, 40, 70]},
        {"name": "a_leaf", "phrase": "a leaf", "box": [3, 4, 20, 30]},
    ]
    assert outcome(done, folder)["evidence"] == {"facts": "cup.png", "stated_by": {"subjects": ["mark"]}}
    assert outcome(done, folder, "x.png")["subjects"] is None


def test_people_win_over_the_file_for_each_key_and_it_keeps_what_they_leave_alone(folder: Path) -> None:
    marks = {"cup.png": marked((60, 80), region("box", BOX, "cup"))}
    stated = {"cup.png": canonical_json({"background": "a desk"})}
    said = outcome(run(folder, marks=marks, statements=stated, file="facts.yaml"), folder)
    assert said["subjects"] == [{"name": "cup", "phrase": "the white cup", "box": [5, 6, 40, 70]}]
    assert [question["name"] for question in said["unanswerable"]] == ["price"]
    [cut] = said["cut_outs"]
    assert (cut["background"], cut["inside"], [other["name"] for other in cut["onto"]]) == (
        "a desk",
        [[9, 9]],
        ["lake.png"],
    )
    assert said["evidence"]["stated_by"] == {
        "background": ["state"], "subjects": ["file", "mark"], "unanswerable": ["file"],
    }  # fmt: skip


def test_a_picture_on_which_people_found_nothing_to_mark_has_no_subjects(folder: Path) -> None:
    said = outcome(run(folder, marks={"cup.png": marked((60, 80))}, file="facts.yaml"), folder)
    assert said["subjects"] is None
    assert said["unanswerable"] is not None


def test_the_main_subject_of_pairs_stays_where_people_found_nothing_to_outline() -> None:
    stated = yaml.safe_load(
        "subjects: [{name: pier, phrase: the pier, box: [1, 2, 9, 9]}, {name: gull, phrase: the gull, box: [3, 3, 5, 5]}]\n"
        "pairs: {caption: A pier, subject: pier, suggests: {scenario: {value: a visit to a pier}}}"
    )
    nothing = {"mark": PictureRegions(regions=(), size_wh=(60, 80), is_nothing=True)}
    composed = composed_facts(PictureFacts.model_validate(stated), nothing, {}).picture
    assert [(subject.name, subject.cut_out) for subject in composed.subjects] == [("pier", None)]


def test_marks_for_another_use_leave_the_files_subjects(folder: Path) -> None:
    depth = marked((60, 80), region("point", [[9, 9]], field="depth"))
    said = outcome(run(folder, marks={"cup.png": depth}, file="facts.yaml"), folder)
    assert [subject["name"] for subject in said["subjects"]] == ["cup", "spoon"]


def test_a_mask_with_the_label_of_a_box_is_its_outline_and_points_help_to_cut_it_out(folder: Path) -> None:
    grid = np.zeros((80, 60), bool)
    grid[10:60, 8:38] = True
    marks = {
        "cup.png": marked(
            (60, 80), region("box", BOX, "cup"), mask_region(grid, "cup"), region("points", [[9, 11], [10, 12]], "cup", "inside"),
            region("point", [[55, 75]], "cup", "outside"), region("point", [[1, 1]], "saucer", "outside"),
        )
    }  # fmt: skip
    stated = {
        "cup.png": canonical_json(
            {"background": "a desk", "subjects": [{"name": "cup", "phrase": "the mug", "onto": ["lake.png"]}]}
        ),
        "lake.png": canonical_json({"background": "a lake"}),
    }
    said = outcome(run(folder, marks=marks, statements=stated), folder)
    [cut] = said["cut_outs"]
    assert (cut["inside"], cut["outside"], cut["phrase"]) == ([[9, 11], [10, 12]], [[55, 75]], "the mug")
    assert cut["mask"] == mask_region(grid)["mask"]
    assert [other["background"] for other in cut["onto"]] == ["a lake"]
    assert (said["verdict"], said["reason"]) == ("ask", "not_all_used")
    assert said["evidence"]["left_out"] == {"saucer": "points of an unmarked subject"}


def test_of_several_subjects_with_one_label_only_those_with_a_phrase_are_used(folder: Path) -> None:
    marks = {"cup.png": marked((60, 80), region("box", BOX, "cup"), region("box", [[30, 6], [55, 70]], "cup"))}
    bare = outcome(run(folder, marks=marks), folder)
    assert bare["subjects"] is None
    assert set(bare["evidence"]["left_out"]) == {"cup", "cup_2"}
    words = [{"name": "cup", "phrase": "the left cup"}, {"name": "cup_2", "phrase": "the right cup"}]
    said = outcome(run(folder, marks=marks, statements={"cup.png": canonical_json({"subjects": words})}), folder)
    assert [(subject["name"], subject["phrase"]) for subject in said["subjects"]] == [
        ("cup", "the left cup"), ("cup_2", "the right cup"),
    ]  # fmt: skip


def test_what_contradicts_the_rest_is_left_out_and_asked_about_and_stops_nothing(folder: Path) -> None:
    twice = [TASTE, {**TASTE, "ask": "And how does it smell?"}]
    marks = {"cup.png": marked((60, 80), region("box", BOX, "cup"))}
    stated = {
        "cup.png": canonical_json(
            {
                "background": "a desk", "unanswerable": twice,
                "subjects": [
                    {"name": "cup", "phrase": "the cup", "onto": ["sea.png", "lake.png"]},
                    {"name": "spoon", "phrase": "the spoon"},
                ],
                "pairs": {"caption": "A cup on a desk", "subject": "spoon"},
            }
        ),
        "lake.png": canonical_json({"background": "a lake"}),
    }  # fmt: skip
    said = outcome(run(folder, marks=marks, statements=stated), folder)
    assert (said["verdict"], said["reason"]) == ("ask", "not_all_used")
    assert set(said["evidence"]["left_out"]) == {
        "spoon", "unanswerable.taste", "subjects.cup.cut_out.onto.sea.png", "pairs",
    }  # fmt: skip
    assert [question["ask"] for question in said["unanswerable"]] == ["How does it taste?"]
    assert [other["name"] for other in said["cut_outs"][0]["onto"]] == ["lake.png"]
    assert said["ideas"] is None


def test_a_file_without_sizes_takes_those_of_the_images_and_what_lies_outside_is_left_out(folder: Path) -> None:
    text = FILE.replace("[2, 3, 30, 44]", "[2, 3, 300, 44]")
    (folder / "facts.yaml").write_text(text, encoding="utf-8")
    said = outcome(run(folder, file="facts.yaml"), folder)
    assert [subject["name"] for subject in said["subjects"]] == ["cup"]
    assert "within the picture's 60 x 80 pixels" in said["evidence"]["left_out"]["subjects.spoon"]


def test_questions_say_in_which_slot_they_were_written_and_by_simulated_annotators_if_so(folder: Path) -> None:
    slot = {"campaign": "state", "record_id": "c" * 64, "slot": 0, "simulated": True}
    stated = {"cup.png": canonical_json({"unanswerable": [TASTE], "written_in": slot})}
    done = run(folder, BeyondTheImage(), statements=stated)
    [item] = items_of_run(done)
    assert dict(item.written_by) == {"question": "simulated", "choices": "simulated"}
    assert item.evidence["written_in"] == slot
    assert outcome(done, folder)["evidence"]["simulated"] is True


def test_other_marks_make_again_what_rests_on_them_and_nothing_else(folder: Path) -> None:
    stated = {"cup.png": canonical_json({"unanswerable": [TASTE]})}

    def again(right: int) -> FinishedRun:
        marks = {"cup.png": marked((60, 80), region("box", [[5, 6], [right, 70]], "cup"))}
        return run(folder, ObjectLocalization(mode="paper"), BeyondTheImage(), marks=marks, statements=stated)

    def hashes(done: FinishedRun, step: str) -> dict[str, str]:
        return {row["record_id"]: row["record_hash"] for row in done.outcomes(step)}

    first = again(40)
    before = {step: hashes(first, step) for step in ("object_localization", "beyond_the_image")}
    assert again(40).executed == 0
    other = again(44)
    assert hashes(other, "beyond_the_image") == before["beyond_the_image"]
    assert hashes(other, "object_localization") != before["object_localization"]


def test_steps_read_the_entry_that_their_setting_names(folder: Path) -> None:
    text = "name: t\nseed: 2\nshards: 1\nsteps:\n  - {step: facts, as: stated, file: facts.yaml}\n  - {step: STEP, stated_by: stated}"
    for step, name in ((ObjectLocalization, "subjects"), (BackgroundSubstitution, "cut_outs"), (BeyondTheImage, "unanswerable"),
                       (ImageImplication, "implication")):  # fmt: skip
        assert step(stated_by="stated").reads[0] == f"stated.{name}"
        assert "stated_by" not in step().parameters() or step is ImageImplication
    from benchwright.recipe import parse_recipe

    recipe = parse_recipe(text.replace("STEP", "object_localization, mode: paper"), "t.yaml", folder)
    done = run_recipe(recipe, images=folder / "images", workspace=folder / "workspace", workers=1)
    assert {step.name: step.made for step in done.steps}["object_localization"] > 0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param(
            {"stated_by": ["mark"]},
            r"'mark', but no earlier step has that name; earlier steps: boxes",
            id="no-such-entry",
        ),
        pytest.param({"stated_by": ["boxes"], "as": "x"}, "", id="fine"),
    ],
)
def test_a_campaign_that_is_not_there_is_named_before_anything_runs(folder: Path, settings: Any, words: str) -> None:
    from benchwright.pipeline.planning.plan import plan

    facts = StatedFacts(stated_by=settings["stated_by"])
    steps: list[tuple[str, Step]] = [
        ("boxes", GivenMarks()),
        ("facts", facts),
        ("object_localization", ObjectLocalization()),
    ]
    if not words:
        assert plan(steps)[1].reads == {"boxes.regions": "boxes.regions"}
        return
    with pytest.raises(RecipeError, match=words):
        plan(steps)


def test_a_step_that_lets_nobody_mark_anything_states_no_facts_and_one_that_does_needs_the_step_facts() -> None:
    from benchwright.pipeline.planning.plan import plan

    with pytest.raises(RecipeError, match="neither mark pictures nor state"):
        plan([("file", StatedFacts(file="sha256:" + "0" * 64)), ("facts", StatedFacts(stated_by=("file",)))])
    with pytest.raises(RecipeError, match=r"'mark.subjects', which no earlier step provides; .*stated_by: \[mark\]"):
        plan([("mark", GivenMarks()), ("object_localization", ObjectLocalization(stated_by="mark"))])
    with pytest.raises(ValueError, match="a `file`, or campaigns under `stated_by`"):
        StatedFacts()


@pytest.mark.slow
def test_the_demos_facts_marked_and_stated_by_people_make_the_same_items_as_the_file(tmp_path: Path) -> None:
    prepare_photographs(tmp_path / "images")
    steps = (ObjectLocalization(), BeyondTheImage(), ImageImplication(), BackgroundSubstitution())
    facts = read_facts(DEMO_FACTS)
    (tmp_path / "facts.yaml").write_bytes(DEMO_FACTS.read_bytes())
    key_of = {name: key for key, picture in facts.images.items() for name in (key, *picture.also)}
    marks = {uri: marks_of(facts.images[key]) for uri, key in key_of.items()}
    stated = {uri: statements_of(facts.images[key]) for uri, key in key_of.items()}
    by_file = items_of_run(run(tmp_path, *steps, file="facts.yaml"))
    by_people = items_of_run(run(tmp_path, *steps, marks=marks, statements=stated))
    assert len(by_file) > 140
    assert [item.content_hash for item in by_people] == [item.content_hash for item in by_file]
    assert [item.item_id for item in by_people] == [item.item_id for item in by_file]
    assert [item.evidence.get("stated_xyxy") for item in by_people] == [
        item.evidence.get("stated_xyxy") for item in by_file
    ]

    exported = stated_in_workspace(tmp_path / "workspace")
    assert (exported.campaigns, exported.left_out) == (("mark", "state"), {})
    (tmp_path / "facts.yaml").write_text(facts_yaml(exported.pictures), encoding="utf-8")
    by_export = items_of_run(run(tmp_path, *steps, file="facts.yaml"))
    assert [item.content_hash for item in by_export] == [item.content_hash for item in by_file]


@pytest.mark.parametrize("name", ["stated.yaml", "stated.csv"])
def test_what_people_marked_and_stated_can_be_written_as_a_file_that_makes_the_same_items(
    folder: Path, name: str
) -> None:
    grid = np.zeros((80, 60), bool)
    grid[10:60, 8:38] = True
    marks = {
        "cup.png": marked((60, 80), region("box", BOX, "cup"), mask_region(grid, "cup"), region("box", BOX, "a spoon"))
    }
    stated = {
        "cup.png": canonical_json(
            {"background": "a desk", "unanswerable": [TASTE, TASTE], "subjects": [{"name": "cup", "phrase": "the mug", "onto": ["lake.png"]}]}
        ),
        "lake.png": canonical_json({"background": "a lake"}),
    }  # fmt: skip
    steps = (ObjectLocalization(mode="paper"), BeyondTheImage(), BackgroundSubstitution(min_box_iou=0.5))
    by_people = items_of_run(run(folder, *steps, marks=marks, statements=stated))
    out = folder / name
    assert invoke(["facts", "export", str(folder / "workspace"), "--out", str(out), "--json"]) == 0
    assert invoke(["facts", "export", str(folder / "workspace"), "--out", str(out)]) == 2
    by_file = items_of_run(run(folder, *steps, file=name))
    assert len(by_file) == 8
    assert [(item.item_id, item.content_hash) for item in by_file] == [
        (item.item_id, item.content_hash) for item in by_people
    ]


def test_people_are_written_over_a_file_and_what_is_not_used_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    marks = {"cup.png": marked((60, 80), region("box", BOX, "cup"))}
    run(
        folder,
        marks=marks,
        statements={"cup.png": canonical_json({"subjects": [{"name": "saucer", "phrase": "the saucer"}]})},
    )
    out = folder / "all.yaml"
    arguments = [
        "facts",
        "export",
        str(folder / "workspace"),
        "--over",
        str(folder / "facts.yaml"),
        "--out",
        str(out),
        "--json",
    ]
    assert invoke(arguments) == 0
    assert json.loads(capsys.readouterr().out)["left_out"] == {
        "cup.png": {"saucer": "stated, but not marked in the picture"}
    }
    cup = read_facts(out).images["cup.png"]
    assert (cup.size_wh, [subject.phrase for subject in cup.subjects]) == ((60, 80), ["the white cup"])
    assert cup.unanswerable == read_facts(folder / "facts.yaml").images["cup.png"].unanswerable


def test_a_workspace_in_which_nobody_stated_anything_is_refused_in_words(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(folder, file="facts.yaml")
    assert invoke(["facts", "export", str(folder / "workspace"), "--out", str(folder / "x.yaml")]) != 0
    assert "no decided campaign with marks or statements" in capsys.readouterr().err
    assert (
        invoke(["facts", "export", str(folder / "workspace"), "--campaign", "mark", "--out", str(folder / "x.yaml")])
        != 0
    )
    assert "no step 'mark'" in capsys.readouterr().err
