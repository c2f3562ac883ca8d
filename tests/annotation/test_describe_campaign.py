"""The campaign `describe`: annotators' texts about images become six-option items, which never go to their authors."""

from __future__ import annotations

import csv
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from typed_answers import say
from walks import make_photographs

from benchwright.annotation.campaigns.describe.step import Describe
from benchwright.annotation.exchange.decision_file import import_decisions
from benchwright.annotation.exchange.task_file import export_tasks
from benchwright.annotation.forms.kind_forms.description import DESCRIPTION_FORM, words_of
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.pipeline import run_recipe
from benchwright.questions.implication import Domain, Emotion, ImageType, Implication, Rhetoric
from benchwright.recipe import parse_recipe
from benchwright.records import ImageRecord
from benchwright.steps import CampaignContext

WRONG = ["a feast", "a wedding", "a storm", "a journey", "a debt"]
WRITTEN: dict[str, Any] = {
    "implication": "conveys", "image_type": "single_panel_comic", "difficulty": "middle", "domain": "society",
    "emotion": "negative", "rhetoric": ["visual_dislocation", "metaphor"], "questions": "one",
    "explanation": "Time runs out.\nThe sand is money.", "ask_1": " What does the sand stand for? ", "right_1": "money",
    "wrong_1": "\n".join(WRONG),
}  # fmt: skip
NOTHING = {"implication": "nothing"}


@pytest.fixture
def describe_context(context: CampaignContext) -> CampaignContext:
    return context._replace(stage="describe")


def picture(digit: str) -> ImageRecord:
    return ImageRecord(
        image_id=digit * 64, width=40, height=30, media_type="image/png", size_bytes=9, root_image_id=digit * 64
    )


def test_what_was_written_is_stated_about_the_image_and_what_conveys_nothing_is_dropped(
    describe_context: CampaignContext, now: datetime
) -> None:
    images = [picture("a"), picture("b")]
    waiting = Describe().advance(images, describe_context).waiting
    assert waiting is not None
    assert "2 of 2 tasks and 2 slots are open under single" in waiting
    with open_store(describe_context.store_url) as store:
        say(store, "describe", {"a" * 64: {"ann": WRITTEN}, "b" * 64: {"ben": NOTHING}}, now)
    verdicts = Describe().advance(images, describe_context)
    dropped = verdicts.outcomes["b" * 64]
    assert (dropped.verdict, dropped.reason, dict(dropped.values)) == ("drop", "no_implication", {})
    stated = Implication.model_validate_json(str(verdicts.outcomes["a" * 64].values["implication"]))
    assert stated.model_dump(mode="json") == {
        "image_type": "single-panel comic", "domain": "society", "emotion": "negative", "difficulty": "middle",
        "rhetoric": ["metaphor", "visual dislocation"], "explanation": "Time runs out.\nThe sand is money.",
        "questions": [
            {"ask": "What does the sand stand for?", "right": "money", "wrong": WRONG, "explanation": None}
        ],
        "written_in": {"campaign": "describe", "record_id": "a" * 64, "slot": 1},
    }  # fmt: skip
    summary = verdicts.summary
    assert (summary["total"], summary["kept"], summary["rejected"], summary["questions"]) == (2, 1, 1, 1)
    assert summary["labels"]["rhetoric"]["metaphor"] == 1
    assert "ann" not in json.dumps(dict(summary)).replace("annotator", "")


def test_an_image_may_be_of_several_types_where_the_recipe_says_so(
    describe_context: CampaignContext, now: datetime
) -> None:
    step, images = Describe(several_types=True), [picture("a"), picture("b")]
    assert Describe().parameters().keys() == step.parameters().keys() - {"several_types"}
    assert step.advance(images, describe_context).waiting is not None
    both = WRITTEN | {"image_type": ["poster", "meme"]}
    with open_store(describe_context.store_url) as store:
        say(store, "describe", {"a" * 64: {"ann": both}, "b" * 64: {"ben": WRITTEN}}, now)
    verdicts = step.advance(images, describe_context)
    first, second = (
        Implication.model_validate_json(str(verdicts.outcomes[digit * 64].values["implication"])) for digit in "ab"
    )
    assert (first.image_types, first.attributes["image_type"]) == (("poster", "meme"), "poster+meme")
    assert second.image_type == "single-panel comic"
    assert verdicts.summary["labels"]["image_type"]["meme"] == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param({"wrong_1": "\n".join(WRONG[:4])}, "5 lines; it has 4", id="four"),
        pytest.param({"wrong_1": [*WRONG, "a sixth"]}, "5 lines; it has 6", id="six"),
        pytest.param({"wrong_1": [*WRONG[:4], " A Feast "]}, "'A Feast' appears twice", id="repeated"),
        pytest.param({"wrong_1": [*WRONG[:4], "Money"]}, "'Money' appears twice", id="the right one"),
        pytest.param({"wrong_1": [*WRONG[:4], 7]}, "not lines of text", id="no text"),
        pytest.param({"wrong_1": [*WRONG[:4], "x" * 601]}, "at most 600 characters", id="long"),
        pytest.param({"ask_1": "one\ntwo"}, "one line; it has 2", id="two lines"),
        pytest.param({"ask_1": "a\0b"}, "without null", id="null"),
        pytest.param({"explanation": " "}, "'explanation' .* is not filled in", id="no explanation"),
        pytest.param({"rhetoric": []}, "'rhetoric' .* is not filled in", id="no rhetoric"),
        pytest.param({"image_type": "single-panel comic"}, "is not one of photograph", id="words for a code"),
        pytest.param({"questions": "two"}, "'ask_2' .Question 2. is not filled in", id="second question"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_its_field(
    describe_context: CampaignContext, now: datetime, change: dict[str, Any], words: str
) -> None:
    Describe().advance([picture("a")], describe_context)
    with open_store(describe_context.store_url) as store, pytest.raises(RefusedError, match=words):
        say(store, "describe", {"a" * 64: {"ann": WRITTEN | change}}, now)


def test_questions_that_are_not_asked_for_are_no_part_of_the_answer(
    describe_context: CampaignContext, now: datetime
) -> None:
    Describe().advance([picture("a")], describe_context)
    with open_store(describe_context.store_url) as store:
        say(store, "describe", {"a" * 64: {"ann": WRITTEN | {"ask_3": "Left from before?"}}}, now)
        assert "ask_3" not in (store.decisions("describe")[0].fields or {})


def test_a_description_may_come_by_way_of_a_table(
    describe_context: CampaignContext, now: datetime, tmp_path: Path
) -> None:
    Describe().advance([picture("a"), picture("b")], describe_context)
    with open_store(describe_context.store_url) as store:
        out = tmp_path / "tasks.csv"
        export_tasks(store, "describe", out, image_name=lambda image: image.image_id[:4])
        with out.open(newline="") as handle:
            rows = list(csv.DictReader(handle))
        assert {"implication", "rhetoric", "wrong_3"} <= rows[0].keys()
        filled = WRITTEN | {"annotator": "ann", "rhetoric": "metaphor;visual_dislocation"}
        with (tmp_path / "filled.csv").open("w", newline="") as handle:
            writer = csv.DictWriter(handle, rows[0].keys())
            writer.writeheader()
            writer.writerow(rows[0] | filled)
            writer.writerow(rows[1] | {"annotator": "ann", "implication": "nothing"})
        assert import_decisions(store, "describe", tmp_path / "filled.csv", now=now).new == 2
    stated = Describe().advance([picture("a"), picture("b")], describe_context).outcomes["a" * 64]
    assert json.loads(str(stated.values["implication"]))["questions"][0]["wrong"] == WRONG


def test_the_form_has_the_vocabulary_of_facts_files_under_codes() -> None:
    options = {field.name: [one.code for one in getattr(field, "options", ())] for field in DESCRIPTION_FORM.fields}
    for name, vocabulary in (
        ("image_type", ImageType), ("domain", Domain), ("emotion", Emotion), ("rhetoric", Rhetoric),
    ):  # fmt: skip
        assert options[name] == list(words_of(vocabulary))
    assert words_of(ImageType)["multi_panel_comic"] == "multi-panel comic"


RECIPE = """
name: described
seed: 3
shards: 2
steps:
  - describe
  - step: image_implication
    stated_by: describe
    kinds: [image_implication, image_emotion]
  - step: verify
    rule: single
"""


def waits(tmp_path: Path) -> Any:
    recipe = parse_recipe(RECIPE, "recipe.yaml", folder=tmp_path)
    return run_recipe(recipe, workspace=tmp_path / "w", images=tmp_path / "photographs", workers=1)


def store_of(tmp_path: Path) -> ReviewStore:
    return open_store(f"sqlite:///{tmp_path / 'w' / 'review.sqlite'}")


@pytest.mark.slow
def test_descriptions_become_items_and_nobody_is_asked_about_what_they_wrote(tmp_path: Path, now: datetime) -> None:
    make_photographs(tmp_path / "photographs", count=3)
    assert "campaign 'describe' waits" in waits(tmp_path).waits[0]
    second = {"questions": "two", "ask_2": "And the glass?", "right_2": "life", "wrong_2": WRONG}
    with store_of(tmp_path) as store:
        by_ann, by_ben, discarded = sorted(task.item_id for task in store.tasks("describe"))
        said = {by_ann: {"ann": WRITTEN | second}, by_ben: {"ben": WRITTEN}, discarded: {"ann": NOTHING}}
        say(store, "describe", said, now)
    done = waits(tmp_path)
    assert "campaign 'verify' waits" in done.waits[0]
    report = {step.name: step for step in done.steps}
    assert dict(report["describe"].dropped) == {"no_implication": 1}
    assert report["image_implication"].made == 2 + 1 + 2
    with store_of(tmp_path) as store:
        tasks = {task.id: task for task in store.tasks("verify")}
        made_from = {task.id: task.payload["made_from"] for task in tasks.values()}
        questions = {task.payload["question"] for task in tasks.values()}
        assert {"What does the sand stand for?", "And the glass?"} < questions
        assert all(len(task.payload["choices"]) in {3, 6} for task in tasks.values())
        assert all(task.payload["attributes"]["difficulty"] == "middle" for task in tasks.values())
        assert not any("ann" in json.dumps(task.payload["evidence"]) for task in tasks.values())
        given: dict[str, set[str]] = {}
        for name in ("ann", "ben"):
            while (lease := store.claim("verify", name, now=now)) is not None:
                given.setdefault(name, set()).add(made_from[lease.task_id])
                store.submit(lease.slot_id, name, Submission("accept"), now=now)
        assert given == {"ann": {by_ben}, "ben": {by_ann}}
    assert waits(tmp_path).state == "done"


@pytest.mark.slow
def test_an_author_who_asks_for_their_own_item_is_told_why_not(tmp_path: Path, now: datetime) -> None:
    make_photographs(tmp_path / "photographs", count=1)
    waits(tmp_path)
    with store_of(tmp_path) as store:
        [task] = store.tasks("describe")
        say(store, "describe", {task.item_id: {"ann": WRITTEN}}, now)
    waits(tmp_path)
    with store_of(tmp_path) as store:
        for task in store.tasks("verify"):
            with pytest.raises(RefusedError, match="this annotator wrote this item; another annotator must judge it"):
                store.decide("verify", task.id, "ann", Submission("accept"), now=now)
        # What is written anew is a new content, and still the same author's.
        [described] = store.tasks("describe", states=("done",))
        queue = TaskQueue(store, store.campaign("describe"), "ann")
        own = queue.open(described.id, now=now)
        queue.submit(own.slot_id, Submission(fields=WRITTEN | {"ask_1": "What is the sand?"}), now=now)
    waits(tmp_path)
    with store_of(tmp_path) as store:
        assert "What is the sand?" in {task.payload["question"] for task in store.tasks("verify")}
        assert store.claim("verify", "ann", now=now) is None
        assert desk_progress(store, "ann", now) == 0
        store.upsert_annotator("ben")
        assert store.claim("verify", "ben", now=now) is not None


def desk_progress(store: ReviewStore, name: str, now: datetime) -> int:
    """Return the stated number of tasks left for an annotator."""
    return TaskQueue(store, store.campaign("verify"), name).progress(now=now).left
