"""A new benchmark from the dialogue: checked answers, a recipe for the command line, allowed folders only."""

from __future__ import annotations

import json
import os
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from walks import make_photographs

from benchwright.annotation.app.new_benchmark.folder_questions import folder_table
from benchwright.annotation.app.new_benchmark.outlook import PlannedItems, outlook_of, planned_items
from benchwright.annotation.app.new_benchmark.plan import USUAL, BenchmarkPlan, answers_in, checked_plan
from benchwright.annotation.app.new_benchmark.planned_recipe import planned_recipe
from benchwright.annotation.app.new_benchmark.uploaded_tables import MOST_BYTES, keep_table, table_path, tables
from benchwright.annotation.jobs.allowed_folders import AllowedFolders
from benchwright.annotation.jobs.publishing_targets import PublishingTargets
from benchwright.errors import BenchwrightError
from benchwright.recipe import load_recipe

TABLE = {"name": "cups", "source": "table"}
ROWS = b"image,question,A,B,answer\npiece-00.png,What is it?,a cup,a pot,A\npiece-01.jpg,What is it?,a cup,a pot,B\ngone.png,Where?,a,b,A\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """An allowed folder with photographs, and a workspace next to it."""
    make_photographs(tmp_path / "given" / "photographs", count=2)
    (tmp_path / "workspace").mkdir()
    (tmp_path / "secret").mkdir()
    return tmp_path


def plan_of(**answers: str) -> BenchmarkPlan:
    checked = checked_plan(answers_in(answers, USUAL))
    assert checked.plan is not None, checked.problems
    return checked.plan


@pytest.mark.parametrize(
    ("answers", "field"),
    [
        ({"name": "Cups"}, "name"),
        ({"table": ""}, "table"),
        ({"source": "release"}, "release"),
        ({"source": "folders", "folder": "f"}, "question"),
        ({"source": "photographs", "folder": "f", "task": "two words"}, "task"),
        ({"votes": "0"}, "votes"),
        ({"votes": "4", "agree": "2"}, "agree"),
        ({"votes": "x"}, "votes"),
        ({"reasons": "!!!"}, "reasons"),
        ({"people": "simulated-1"}, "people"),
        ({"seconds": "0"}, "seconds"),
        ({"rate": "ten"}, "rate"),
        ({"split": "shares", "parts": "1"}, "parts"),
        ({"gold": ":accepted", "kind": "review"}, "gold"),
        ({"gold": "given/release", "kind": "answer"}, "gold"),
        ({"source": "asked", "folder": "f", "question": "Open?", "choices": "yes\nno"}, "kind"),
        ({"source": "asked", "folder": "f", "question": "Open?", "choices": "yes\nYes", "kind": "answer"}, "choices"),
        ({"source": "release", "release": "r", "kind": "answer"}, "kind"),
        ({"gold": ":accepted", "votes": "1", "agree": "1"}, "gold"),
        ({"gold": ":accepted", "gold_votes": "3"}, "gold_votes"),
        ({"source": "photographs", "folder": "f", "task": "cups", "split": "tasks"}, "split"),
        ({"currency": "dollars"}, "currency"),
        ({"qualification": "yes", "pass_mark": "9"}, "pass_mark"),
    ],
)
def test_each_wrong_answer_is_named_at_its_field_and_nothing_else_is(answers: dict[str, str], field: str) -> None:
    checked = checked_plan(answers_in({**TABLE, "table": "t", **answers}, USUAL))
    assert (checked.plan, list(checked.problems)) == (None, [field])


def test_answers_are_kept_as_typed_and_fields_that_there_are_not_are_left_out() -> None:
    kept = answers_in({"name": "Not A Name", "admin": "yes"}, {"people": "ann\nben"})
    assert (kept["name"], kept["people"], "admin" in kept) == ("Not A Name", "ann\nben", False)


def test_a_table_and_its_pictures_become_a_recipe_that_the_command_line_reads(place: Path) -> None:
    workspace, folders = place / "workspace", AllowedFolders([place / "given"])
    plan = plan_of(
        **TABLE, table=keep_table(workspace, "my questions.csv", ROWS), pictures="given/photographs", votes="3", agree="2",
        adjudicated="yes", baseline="2", reasons="Wrong answer\nnot seen", guidelines="Look *closely*.", qualification="yes",
    )  # fmt: skip
    planned = planned_recipe(plan, workspace, folders)
    (workspace / "recipes").mkdir()
    path = workspace / "recipes" / "cups.yaml"
    path.write_text(planned.text, encoding="utf-8")
    steps: dict[str, Any] = {entry: step.model_dump() for entry, step in load_recipe(path).steps}
    assert list(steps) == ["items", "repeated_options", "verify", "answer"]
    verify = steps["verify"]
    assert (verify["rule"], verify["form"]["reasons"]) == (
        "adjudicated(at_least(2, of=3))",
        ("wrong_answer", "not_seen"),
    )
    assert (verify["guidelines"], steps["answer"]["annotators_per_item"]) == ("Look *closely*.", 2)
    handout = verify["handout"]
    assert (handout["attention_rate"], handout["qualification"]["pass_mark"], handout["pay"]["rate"]) == (0.1, 4, 15.0)
    items = planned_items(plan, planned, workspace, folders)
    assert (items.items, items.left_out) == (2, {"missing_picture": 1})
    assert "gone.png" in items.example


def test_sorted_photographs_become_questions_whose_answer_is_their_folder(place: Path) -> None:
    animals = place / "given" / "animals"
    for name, number in (("cat", "piece-00.png"), ("red_fox", "piece-01.jpg")):
        (animals / name).mkdir(parents=True)
        (place / "given" / "photographs" / number).rename(animals / name / ("=1+1" + number[-4:]))
    (animals / "cat" / "notes.txt").write_text("no photograph")
    (animals / "empty").mkdir()
    rows = [json.loads(line) for line in folder_table(animals, "Which animal?").splitlines()]
    assert [(row["image"], row["options"], row["answer"]) for row in rows] == [
        ("cat/=1+1.png", ["cat", "red fox"], "A"),
        ("red_fox/=1+1.jpg", ["cat", "red fox"], "B"),
    ]
    plan = plan_of(name="animals", source="folders", folder="given/animals", question="Which animal?")
    folders = AllowedFolders([place / "given"])
    planned = planned_recipe(plan, place / "workspace", folders)
    assert planned_items(plan, planned, place / "workspace", folders).items == 2


@pytest.mark.parametrize(("names", "words"), [(["one"], "in .*: 1; sort"), (["red_fox", "red fox"], "read the same")])
def test_folders_that_are_no_answers_are_refused_by_name(place: Path, names: list[str], words: str) -> None:
    for photograph, name in zip(("piece-00.png", "piece-01.jpg"), names, strict=False):
        (place / "sorted" / name).mkdir(parents=True)
        (place / "given" / "photographs" / photograph).rename(place / "sorted" / name / photograph)
    with pytest.raises(BenchwrightError, match=words):
        folder_table(place / "sorted", "Which?")


def test_folders_outside_of_what_was_given_are_refused_by_whatever_name(place: Path) -> None:
    os.symlink(place / "secret", place / "given" / "link")
    folders = AllowedFolders([place / "given"])
    assert folders.names() == ["given", "given/photographs"]
    assert folders.folder("given/photographs") == (place / "given" / "photographs").resolve()
    outside = ["", "secret", "..", "given/..", "given/../secret", "given/link", "given/./photographs", str(place), "given/\x00",
               "given/photographs/piece-00.png", "givenness", "given//../../secret", "given/" + "a/" * 600]  # fmt: skip
    for name in outside:
        with pytest.raises(BenchwrightError, match="is not below the folders"):
            folders.folder(name)
    assert folders.name_of(place / "secret") is None
    with pytest.raises(BenchwrightError, match="is not a folder"):
        AllowedFolders([place / "absent"])


def test_two_given_folders_of_one_name_stay_apart(place: Path) -> None:
    other = place / "other" / "given"
    other.mkdir(parents=True)
    folders = AllowedFolders([place / "given", other])
    assert folders.names() == ["given", "given/photographs", "given (2)"]
    assert folders.folder("given (2)") == other.resolve()


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("run.sh", b"x", "not a table"),
        ("../../x.csv/", b"x", "not a table"),
        ("a.csv", b"", "is empty"),
        ("a.csv", b"x" * (MOST_BYTES + 1), "more than 32 MB"),
    ],
    ids=["script", "folder", "empty", "large"],
)
def test_what_is_no_table_is_refused(place: Path, name: str, data: bytes, words: str) -> None:
    with pytest.raises(BenchwrightError, match=words):
        keep_table(place / "workspace", name, data)


def test_a_table_lands_below_uploads_whatever_it_is_called_and_is_found_by_its_name_alone(place: Path) -> None:
    workspace = place / "workspace"
    kept = keep_table(workspace, "../../etc/My Questions (1).CSV", ROWS)
    assert kept == keep_table(workspace, "../../etc/My Questions (1).CSV", ROWS)
    assert (table_path(workspace, kept).read_bytes(), tables(workspace)) == (ROWS, [kept])
    assert kept.endswith("/My-Questions-(1).csv")
    (workspace / "review.key").write_text("secret")
    for name in ("../review.key", "", kept.partition("/")[0], "0" * 16 + "/..", "0" * 16 + "/../../review.key"):
        with pytest.raises(BenchwrightError, match="no such table"):
            table_path(workspace, name)


TWO_TASKS = b"image,question,A,B,answer,task\npiece-00.png,What is it?,a cup,a pot,A,cups\npiece-01.jpg,What is it?,a cup,a pot,B,cups\npiece-01.jpg,Where?,a,b,A,places\n"


@pytest.mark.parametrize(
    ("answers", "parts", "items"),
    [
        ({"split": "tasks"}, {"verify_cups": {"tasks": ("cups",)}, "verify_places": {}}, {"verify_cups": 2, "verify_places": 1}),
        ({"split": "shares", "parts": "3"}, {"verify_1": {"share": (0, 0.3333)}, "verify_2": {"share": (0.3333, 0.6667)},
                                             "verify_3": {"share": (0.6667, 1)}}, dict.fromkeys(["verify_1", "verify_2", "verify_3"], 1)),
    ],
)  # fmt: skip
def test_several_campaigns_open_at_once_on_parts_that_the_dialogue_names(
    place: Path, answers: dict[str, str], parts: dict[str, Any], items: dict[str, int]
) -> None:
    workspace, folders = place / "workspace", AllowedFolders([place / "given"])
    table = keep_table(workspace, "two.csv", TWO_TASKS)
    plan = plan_of(**TABLE, table=table, pictures="given/photographs", baseline="1", **answers)
    planned = planned_recipe(plan, workspace, folders)
    (workspace / "recipes").mkdir()
    (workspace / "recipes" / "cups.yaml").write_text(planned.text, encoding="utf-8")
    steps: dict[str, Any] = dict(load_recipe(workspace / "recipes" / "cups.yaml").steps)
    judged = {entry: step for entry, step in steps.items() if step.name == "verify"}
    assert {entry: step.only.model_dump(exclude_defaults=True) for entry, step in judged.items()} == parts
    assert [step.opens_with for step in judged.values()] == [None, *list(judged)[:-1]]
    assert (steps["answer"].only, steps["answer"].opens_with) == (None, None)
    assert planned_items(plan, planned, workspace, folders).campaigns == items


def test_gold_that_fills_itself_is_in_the_recipe_and_not_in_the_baseline(place: Path) -> None:
    workspace, table = place / "workspace", keep_table(place / "workspace", "two.csv", TWO_TASKS)
    answers = {"gold": ":accepted", "votes": "3", "agree": "2", "gold_votes": "3", "baseline": "1"}
    plan = plan_of(**TABLE, table=table, pictures="given/photographs", **answers)
    steps: dict[str, Any] = dict(planned_recipe(plan, workspace, AllowedFolders([place / "given"])).recipe.steps)
    assert (steps["verify"].handout.gold_from.votes, steps["answer"].handout.gold_from) == (3, None)


KEYLESS = b"image,question,A,B,answer\npiece-00.png,What is it?,a cup,a pot,A\npiece-01.jpg,Where?,in,out,\n"


@pytest.mark.parametrize("source", ["table", "asked"])
def test_people_answer_questions_without_a_key_and_the_rule_makes_it(place: Path, source: str) -> None:
    workspace, folders = place / "workspace", AllowedFolders([place / "given"])
    given = {
        "table": {"table": keep_table(workspace, "keyless.csv", KEYLESS), "pictures": "given/photographs"},
        "asked": {"folder": "given/photographs", "question": "Is it open?", "choices": "yes\nno\nunclear"},
    }[source]
    answers = {"kind": "answer", "votes": "5", "agree": "4", "adjudicated": "yes", "baseline": "1", "attention": "no"}
    plan = plan_of(name="cups", source=source, **given, **answers)
    planned = planned_recipe(plan, workspace, folders)
    (workspace / "recipes").mkdir()
    (workspace / "recipes" / "cups.yaml").write_text(planned.text, encoding="utf-8")
    steps: dict[str, Any] = dict(load_recipe(workspace / "recipes" / "cups.yaml").steps)
    photographs = len([*(place / "given" / "photographs").iterdir()])
    assert list(steps) == ["items", "repeated_options", "keys", "answer"]
    assert (steps["items"].keyless, steps["keys"].key) == ("keep", "adjudicated(at_least(4, of=5))")
    assert (steps["answer"].key, steps["answer"].annotators_per_item) == (None, 1)
    assert planned_items(plan, planned, workspace, folders).items == (1 if source == "table" else photographs)


def test_one_task_is_not_divided_by_task(place: Path) -> None:
    table = keep_table(place / "workspace", "one.csv", ROWS)
    plan = plan_of(**TABLE, table=table, pictures="given/photographs", split="tasks")
    with pytest.raises(BenchwrightError, match="have 1 task; to judge each"):
        planned_recipe(plan, place / "workspace", AllowedFolders([place / "given"]))


def test_cost_hours_and_end_follow_from_items_votes_and_what_the_curator_expects() -> None:
    plan = plan_of(
        **TABLE, table="t", votes="2", agree="2", baseline="1", people="ann\nben", seconds="36", hours_a_day="1"
    )
    outlook = outlook_of(plan, PlannedItems(30, {}), today=date(2026, 3, 2))
    assert (outlook.decisions, outlook.hours, outlook.cost) == (100, 1.0, Decimal("15.00"))
    assert (outlook.people_needed, outlook.lacking, outlook.end) == (3, 1, date(2026, 3, 3))
    alone = outlook_of(plan._replace(people=()), PlannedItems(30, {}), today=date(2026, 3, 2))
    assert alone.end is None


def test_a_release_goes_below_what_the_server_was_given_and_nowhere_else(place: Path) -> None:
    targets = PublishingTargets([str(place / "secret"), "hub:our-lab"])
    assert targets.target(str(place / "secret"), "cups-1.0") == f"{(place / 'secret').resolve()}/cups-1.0"
    assert targets.target("hub:our-lab", "cups") == "hub:our-lab/cups"
    for where, name in (
        ("hub:another", "cups"),
        (str(place), "cups"),
        ("hub:our-lab", "../x"),
        ("hub:our-lab", ".."),
        ("hub:our-lab", ""),
    ):
        with pytest.raises(BenchwrightError):
            targets.target(where, name)
    for given in ("hub:our-lab/repository", str(place / "absent")):
        with pytest.raises(BenchwrightError, match="--publish-to"):
            PublishingTargets([given])
