"""The campaign `write`: annotators' questions about images, with options, explanations and labels.

- The written text is a value of the image, whatever shape the recipe requests.
- Invalid questions are refused on submission, each mistake with its field.
- A table has a column for each field of each question, states their values, and names all mistakes at once.
- Simulated annotators fill in every form, and state that no person wrote it.
"""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from typed_answers import say
from walks import make_photographs

from benchwright.annotation.app.routes.tasks import mistakes_in_draft
from benchwright.annotation.campaigns.write.step import Write
from benchwright.annotation.exchange.decision_file import import_decisions
from benchwright.annotation.exchange.task_file import export_tasks
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.fields.field_values import FormError
from benchwright.annotation.forms.kind_forms.writing import writing_form
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.label_studio.label_config import label_config
from benchwright.annotation.label_studio.replies import read_reply
from benchwright.annotation.simulated.annotators import simulated_decisions
from benchwright.annotation.simulated.writers import SimulatedWriters
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.pipeline import run_recipe
from benchwright.questions.written import REFUSAL, WrittenQuestions, names_something
from benchwright.recipe import parse_recipe
from benchwright.records import ImageRecord
from benchwright.steps import CampaignContext, Verdicts

A, B = "a" * 64, "b" * 64
NOTHING = {"writing": "nothing"}
CUPS = {
    "ask": "How many cups stand on the table?", "right": "Three", "wrong": ["One", "Two", "Four"],
    "explanation": "One is behind the jug.",
}  # fmt: skip
FULL = Write(
    task="table_manners", questions={"at_least": 1, "at_most": 2}, options={"at_least": 3, "at_most": 4},
    refusal="allowed", explanation="required",
    labels={"difficulty": ["easy", "hard"], "needs": {"values": ["counting", "reading"], "several": True, "required": False}},
)  # fmt: skip
SPOONS = {
    "ask": "Which spoon is made of wood?", "declining": "offered", "right": "The long one", "wrong": ["The short one", "Both"],
    "explanation": "Its grain is seen.", "difficulty": "hard", "needs": ["reading", "counting"],
}  # fmt: skip
TASTE = {
    "ask": "How does the tea taste?", "declining": "is_right", "tempting": ["Sweet", "Bitter", "Sour"],
    "explanation": "Nobody can see a taste.", "difficulty": "easy",
}  # fmt: skip


@pytest.fixture
def ctx(context: CampaignContext) -> CampaignContext:
    return context._replace(stage="write")


def picture(image_id: str) -> ImageRecord:
    return ImageRecord(
        image_id=image_id, width=40, height=30, media_type="image/png", size_bytes=9, root_image_id=image_id
    )


def written(*questions: dict[str, Any]) -> dict[str, Any]:
    return {"writing": "written", "questions": list(questions)}


def advanced(step: Write, ctx: CampaignContext, decisions: dict[str, dict[str, Any]], now: datetime) -> Verdicts:
    """Return the verdicts of a campaign with these texts, by image and annotator."""
    images = [picture(image_id) for image_id in decisions]
    assert "write" in (step.advance(images, ctx).waiting or "")
    with open_store(ctx.store_url) as store:
        say(store, "write", decisions, now)
    return step.advance(images, ctx)


def questions_of(verdicts: Verdicts, image_id: str = A) -> WrittenQuestions:
    return WrittenQuestions.model_validate_json(str(verdicts.outcomes[image_id].values["questions"]))


def test_questions_of_every_shape_become_a_value_of_the_image(ctx: CampaignContext, now: datetime) -> None:
    verdicts = advanced(FULL, ctx, {A: {"ann": written(SPOONS, TASTE)}, B: {"ben": NOTHING}}, now)
    stated = questions_of(verdicts)
    assert (stated.task, stated.drawn_options) == ("table_manners", ())
    spoons, taste = stated.questions
    assert (spoons.right, spoons.wrong, spoons.refusal) == ("The long one", ("The short one", "Both"), REFUSAL)
    assert spoons.labels == {"difficulty": "hard", "needs": "counting+reading"}
    assert (taste.right, taste.wrong, taste.refusal) == (None, ("Sweet", "Bitter", "Sour"), REFUSAL)
    assert taste.labels == {"difficulty": "easy"}
    assert {question.author for question in stated.questions} == {"person"}
    assert (spoons.written_in.campaign, spoons.written_in.record_id, spoons.written_in.slot) == ("write", A, 1)
    assert (verdicts.outcomes[B].verdict, dict(verdicts.outcomes[B].values)) == ("keep", {})
    summary = dict(verdicts.summary)
    assert {name: summary[name] for name in ("total", "asked_about", "questions", "unanswerable", "explained")} == {
        "total": 2, "asked_about": 1, "questions": 2, "unanswerable": 1, "explained": 2,
    }  # fmt: skip
    assert summary["labels"] == {"difficulty": {"easy": 1, "hard": 1}, "needs": {"counting": 1, "reading": 1}}


def test_several_writers_each_add_their_own_questions(ctx: CampaignContext, now: datetime) -> None:
    step = Write(task="counting_cups", annotators=2)
    other = CUPS | {"ask": "What stands behind the jug?", "right": "A cup", "explanation": ""}
    stated = questions_of(advanced(step, ctx, {A: {"ann": written(CUPS), "ben": written(other)}}, now))
    assert sorted((question.ask, question.written_in.slot) for question in stated.questions) == [
        ("How many cups stand on the table?", 1), ("What stands behind the jug?", 2),
    ]  # fmt: skip
    assert [question.explanation for question in stated.questions if question.written_in.slot == 2] == [None]


def test_of_options_that_are_drawn_in_the_picture_writers_name_the_right_one(
    ctx: CampaignContext, now: datetime
) -> None:
    step = Write(task="iq_test", questions=1, drawn_options=("A", "B", "C", "D"), explanation="required")
    puzzle = {"ask": "Which figure comes next?", "right": "value_3", "explanation": "Each is turned by a quarter."}
    stated = questions_of(advanced(step, ctx, {A: {"ann": written(puzzle)}}, now))
    assert (stated.drawn_options, stated.questions[0].right) == (("A", "B", "C", "D"), "C")
    assert stated.questions[0].wrong == ("A", "B", "D")


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        pytest.param({"ask": " "}, "ask", "is not filled in", id="no question"),
        pytest.param({"ask": "What is this?"}, "ask", "'What is this?' names nothing visible", id="nothing named"),
        pytest.param({"ask": "???"}, "ask", "names nothing", id="no words"),
        pytest.param({"ask": "What lies in <image 2>?"}, "ask", "it places a picture", id="another picture"),
        pytest.param({"ask": "cup " * 80}, "ask", "at most 300 characters", id="long question"),
        pytest.param({"right": "one"}, "wrong", "'One' reads the same as 'one'", id="right option is wrong too"),
        pytest.param({"wrong": ["One", "Two", "Three."]}, "wrong", "reads the same as 'Three'", id="full stop"),
        pytest.param({"wrong": ["One", "Two", "two"]}, "wrong", "'two' appears twice", id="option twice"),
        pytest.param({"wrong": ["One", "Two", "Two  halves", "..."]}, "wrong", "3 lines; it has 4", id="too many"),
        pytest.param({"wrong": ["One", "Two", "..."]}, "wrong", "'...' says nothing", id="an option without words"),
        pytest.param({"wrong": ["One"]}, "wrong", "3 lines; it has 1", id="too few"),
        pytest.param({"wrong": ["One", "Two", "x" * 201]}, "wrong", "at most 200 characters", id="long option"),
        pytest.param({"right": "How many cups stand on the table"}, "right", "is not the question", id="question as option"),
    ],
)  # fmt: skip
def test_what_makes_no_question_is_refused_with_its_field(change: dict[str, Any], place: str, words: str) -> None:
    if "is not the question" in words:
        change, words = {"right": CUPS["ask"]}, "is the question itself"
    form = writing_form(Write(task="cups"))
    with pytest.raises(FormError) as refused:
        form.checked(written(CUPS | change), letters=(), key=None)
    [mistake] = refused.value.at_fields
    assert mistake.place == f"questions/1/{place}"
    assert words in mistake.words
    assert mistake.beside_field in mistake.words
    assert not mistake.beside_field.startswith("field")
    assert str(refused.value) == f"question 1: {mistake.words}"


def test_all_mistakes_are_named_at_once_also_those_of_the_refusal_and_of_labels() -> None:
    wrong = SPOONS | {"wrong": [REFUSAL.lower(), "Both"], "explanation": "", "difficulty": "very hard"}
    with pytest.raises(FormError) as refused:
        writing_form(FULL).checked(written(wrong, SPOONS | {"right": ""}), letters=(), key=None)
    assert [mistake.place for mistake in refused.value.at_fields] == [
        "questions/1/explanation", "questions/1/difficulty", "questions/1/wrong", "questions/2/right", "questions/2/ask",
    ]  # fmt: skip
    assert "reads the same as the option that declines" in str(refused.value)
    assert "is already that of question 1" in str(refused.value)


@pytest.mark.parametrize(
    ("ask", "names"),
    [("What is it?", False), ("Who's that?", False), ("What is she holding?", True), ("这是什么杯子？", True), ("¿?", False)],
)  # fmt: skip
def test_a_question_names_something_in_any_language(ask: str, names: bool) -> None:
    assert names_something(ask) is names


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param({"task": "Table manners"}, "task", id="name with a space"),
        pytest.param({"questions": {"at_least": 3, "at_most": 2}}, "leaves no number", id="no number"),
        pytest.param({"options": 1}, "at least 2 options", id="one option"),
        pytest.param({"labels": {"right": ["a", "b"]}}, "'right' is not a name of labels", id="name that is taken"),
        pytest.param({"labels": {"level_2": ["a", "b"]}}, "not a name of labels", id="number at the end"),
        pytest.param({"labels": {"level": ["a", "A"]}}, "read the same", id="equal labels"),
        pytest.param({"labels": {"level": ["a", "b+c"]}}, "is not a label", id="joining sign"),
        pytest.param({"drawn_options": ["A"]}, "two or more", id="one drawn option"),
        pytest.param({"drawn_options": ["A", "B"], "refusal": "allowed"}, "exclude an added option", id="refusal among drawn"),
        pytest.param({"annotators": 2, "simulate": {"annotators": 1}}, "cannot fill 2 slots", id="too few simulated"),
    ],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Write(**({"task": "cups"} | settings))


def table_rows(ctx: CampaignContext, out: Path) -> list[dict[str, str]]:
    with open_store(ctx.store_url) as store:
        export_tasks(store, "write", out, image_name=lambda image: image.image_id[:4])
    with out.open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


def imported(ctx: CampaignContext, path: Path, rows: list[dict[str, str]], now: datetime) -> Any:
    with path.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    with open_store(ctx.store_url) as store:
        return import_decisions(store, "write", path, now=now)


IN_CELLS = {
    "annotator": "ann", "writing": "written", "ask_1": SPOONS["ask"], "declining_1": "Is offered and wrong",
    "right_1": "The long one", "wrong_1": "The short one | Both", "explanation_1": "Its grain is seen.",
    "difficulty_1": "Hard", "needs_1": "reading; counting", "ask_2": TASTE["ask"], "declining_2": "is_right",
    "tempting_2": "Sweet\nBitter\nSour", "explanation_2": TASTE["explanation"], "difficulty_2": "easy",
}  # fmt: skip


def test_a_table_has_columns_for_each_question_and_says_what_they_take(
    ctx: CampaignContext, now: datetime, tmp_path: Path
) -> None:
    FULL.advance([picture(A), picture(B)], ctx)
    rows = table_rows(ctx, tmp_path / "tasks.csv")
    assert list(rows[0])[:10] == [
        "item_id", "annotator", "writing", "ask_1", "declining_1", "right_1", "wrong_1", "tempting_1", "explanation_1",
        "difficulty_1",
    ]  # fmt: skip
    takes = rows[0]["takes"]
    assert "writing: written, nothing | ask_1: text | declining_1: not_offered, offered, is_right | " in takes
    assert (
        "wrong_1: 2 to 3 lines of text in one cell or separated by ` | ` (only where declining_1 is not_offered or offered)"
    ) in takes
    assert "needs_1: counting, reading; separate several by semicolons (may be left out) | ask_2: as ask_1" in takes
    result = imported(ctx, tmp_path / "filled.csv", [rows[0] | IN_CELLS, rows[1] | {"annotator": "ann"} | NOTHING], now)
    assert (result.new, result.refused) == (2, ())
    assert imported(ctx, tmp_path / "again.csv", [rows[0] | IN_CELLS], now).unchanged == 1
    stated = questions_of(FULL.advance([picture(A), picture(B)], ctx), rows[0]["item_id"])
    assert [question.ask for question in stated.questions] == [SPOONS["ask"], TASTE["ask"]]
    assert stated.questions[0].labels == {"difficulty": "hard", "needs": "counting+reading"}


def test_questions_and_labels_of_other_languages_go_by_a_table(
    ctx: CampaignContext, now: datetime, tmp_path: Path
) -> None:
    step = Write(task="cups", questions=1, options=3, labels={"difficulty": ["简单", "难"]})
    step.advance([picture(A)], ctx)
    [row] = table_rows(ctx, tmp_path / "tasks.csv")
    assert "difficulty_1: 简单, 难" in row["takes"]
    cells = {
        "annotator": "ann",
        "writing": "written",
        "ask_1": "桌上有几个杯子？",
        "right_1": "三个",
        "wrong_1": "一个 | 两个 🫖",
    }
    assert imported(ctx, tmp_path / "filled.csv", [row | cells | {"difficulty_1": "难"}], now).new == 1
    [question] = questions_of(step.advance([picture(A)], ctx)).questions
    assert (question.wrong, question.labels) == (("一个", "两个 🫖"), {"difficulty": "难"})


HOSTILE: list[Any] = [
    {"questions": [{"ask": {"a": 1}, "wrong": [["x"], None]}]}, {"questions": [["ask"]]}, {"questions": "[" * 50_000},
    {"questions": [{"ask": "x" * 100_000, "right": "\ud800", "wrong": "🐱\n🐱"}] * 50}, {"questions": [{"no": 1}] * 3},
    {"writing": ["written"], "questions": [{"ask": "<image 2>" * 9}]}, {"writing": {"a": 1}},
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_whatever_a_browser_sends_as_a_draft_has_mistakes_in_words(
    ctx: CampaignContext, store: ReviewStore, number: int
) -> None:
    FULL.advance([picture(A)], ctx)
    fields = {"writing": "written", **HOSTILE[number]}
    mistakes = mistakes_in_draft(store.campaign("write"), {"fields": fields})
    assert 0 < len(mistakes) <= 30
    assert all(len(mistake["words"]) < 2000 for mistake in mistakes)
    json.dumps(mistakes).encode()


def test_all_mistakes_of_a_table_are_told_at_once_and_good_rows_go_in(
    ctx: CampaignContext, now: datetime, tmp_path: Path
) -> None:
    pictures = [picture(digit * 64) for digit in "abcd"]
    FULL.advance(pictures, ctx)
    rows = table_rows(ctx, tmp_path / "tasks.csv")
    bad = [
        rows[0] | IN_CELLS | {"difficulty_1": "very hard", "wrong_1": "The long one | Both", "ask_2": "What is it?"},
        rows[1] | IN_CELLS | {"writing": "perhaps"},
        rows[2] | IN_CELLS | {"writing": ""},
    ]
    result = imported(ctx, tmp_path / "filled.csv", [*bad, rows[3] | IN_CELLS], now)
    assert result.new == 1
    reasons = [refused.why for refused in result.refused]
    assert [words in reasons[0] for words in ("'very hard' is not one of easy, hard", "reads the same", "names nothing")] == [
        True, True, True,
    ]  # fmt: skip
    assert "'perhaps' is not one of written, nothing" in reasons[1]
    assert "ask_1 is filled in, but writing is not" in reasons[2]


def test_label_studio_has_a_control_for_each_field_of_each_question() -> None:
    form = CampaignForm(fields=writing_form(FULL).fields)
    controls = [control for control in ET.fromstring(label_config(form)).iter() if control.get("toName") == "question"]
    names = [control.get("name") for control in controls]
    assert names[:4] == ["field_writing", "field_ask_1", "field_declining_1", "field_right_1"]
    assert names[-1] == "field_needs_2"
    decisions = {"writing": ["Write questions"], "ask_1": [SPOONS["ask"]], "declining_1": ["Is offered and wrong"]}
    texts = {"right_1": [SPOONS["right"]], "wrong_1": SPOONS["wrong"], "explanation_1": [SPOONS["explanation"]]}
    labels = {"difficulty_1": ["hard"], "needs_1": ["counting", "reading"]}
    result = [
        {"from_name": f"field_{name}", "type": kind, "value": {"text" if kind == "textarea" else "choices": value}}
        for name, value in (decisions | texts | labels).items()
        for kind in ["textarea" if name.startswith("ask") or name in texts else "choices"]
    ]
    submission = read_reply(result, form, {"choices": []})
    checked = writing_form(FULL).checked(submission.fields or {}, letters=(), key=None)
    assert checked == written(SPOONS | {"needs": ["counting", "reading"]})


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"refusal": "required", "questions": {"at_least": 2, "at_most": 3}, "explanation": "required"},
        {"drawn_options": ("A", "B", "C"), "questions": 1, "explanation": "none"},
        {"labels": FULL.labels, "refusal": "allowed", "max_chars": {"question": 20, "option": 14}},
    ],
)
def test_simulated_annotators_write_whatever_the_form_asks_for(settings: dict[str, Any]) -> None:
    step = Write(task="cups", **settings)
    form, group = CampaignForm(fields=writing_form(step).fields), SimulatedWriters(annotators=2, nothing_rate=0.2)
    counts, none_asked = set(), 0
    payload = {"images": [{"image_id": A, "role": "reference"}]}
    for number in range(30):
        [decision] = simulated_decisions(group, f"{number}", payload, slots=1, seed=1, stage="write", form=form)
        fields = writing_form(step).checked(decision.submission.fields or {}, letters=(), key=None)
        none_asked += fields == NOTHING
        counts.add(len(fields.get("questions", ())))
        assert all("imulated" in question["ask"] for question in fields.get("questions", ()))
    assert counts - {0} == set(range(step.questions.at_least, step.questions.at_most + 1))
    assert 0 < none_asked < 30


def test_what_simulated_annotators_wrote_says_so(ctx: CampaignContext) -> None:
    step = Write(task="cups", simulate=SimulatedWriters(annotators=1))
    verdicts = step.advance([picture(A)], ctx)
    assert verdicts.summary["simulated"] is True
    assert {question.author for question in questions_of(verdicts).questions} == {"simulated"}


def test_nobody_else_may_write_where_the_place_is_taken(ctx: CampaignContext, now: datetime) -> None:
    FULL.advance([picture(A)], ctx)
    with open_store(ctx.store_url) as store:
        say(store, "write", {A: {"ann": written(SPOONS)}}, now)
        with pytest.raises(RefusedError):
            say(store, "write", {A: {"ben": written(SPOONS)}}, now)


RECIPE = """
name: written
seed: 3
shards: 2
steps:
  - step: write
    task: table_manners
    refusal: allowed
    labels: {difficulty: [easy, hard]}
  - step: write
    as: puzzles
    task: puzzle
    questions: 1
    drawn_options: [A, B, C, D]
    explanation: required
  - written_questions
  - step: written_questions
    as: puzzle_items
    written_by: puzzles
  - step: iq_test
    written_by: puzzles
  - step: verify
    rule: single
"""


def waits(tmp_path: Path) -> Any:
    recipe = parse_recipe(RECIPE, "recipe.yaml", folder=tmp_path)
    return run_recipe(recipe, workspace=tmp_path / "w", images=tmp_path / "photographs", workers=1)


@pytest.mark.slow
def test_two_campaigns_become_items_of_two_kinds_and_puzzles_and_nobody_gets_their_own(
    tmp_path: Path, now: datetime
) -> None:
    make_photographs(tmp_path / "photographs", count=3)
    cups = CUPS | {"declining": "not_offered", "difficulty": "easy"}
    taste = TASTE | {"tempting": ["Sweet", "Bitter", "Sour", "Salty"], "difficulty": "hard"}
    puzzle = {"ask": "Which figure comes next?", "right": "value_2", "explanation": "It turns."}
    address = f"sqlite:///{tmp_path / 'w' / 'review.sqlite'}"
    assert "campaign 'write' waits" in waits(tmp_path).waits[0]
    with open_store(address) as store:
        first, second, third = sorted(task.item_id for task in store.tasks("write"))
        decisions = {first: {"ann": written(cups, taste)}, second: {"ben": written(cups)}, third: {"ann": NOTHING}}
        say(store, "write", decisions, now)
    assert "campaign 'puzzles' waits" in waits(tmp_path).waits[0]
    with open_store(address) as store:
        decisions = {first: {"ben": NOTHING}, second: {"ann": NOTHING}, third: {"ann": written(puzzle)}}
        say(store, "puzzles", decisions, now)
    report = {step.name: step for step in waits(tmp_path).steps}
    assert dict(report["written_questions"].dropped) == {"nothing_written": 1}
    assert [report[name].made for name in ("written_questions", "puzzle_items", "iq_test")] == [3, 1, 1]
    with open_store(address) as store:
        tasks = {task.id: task.payload for task in store.tasks("verify")}
        assert sorted(item["task"] for item in tasks.values()) == ["iq_test", "puzzle", *["table_manners"] * 3]
        assert {item["explanation"] for item in tasks.values() if item["task"] == "iq_test"} == {"It turns."}
        got: dict[str, list[str]] = {"ann": [], "ben": []}
        for name, listed in got.items():
            while (lease := store.claim("verify", name, now=now)) is not None:
                listed.append(tasks[lease.task_id]["made_from"])
                store.submit(lease.slot_id, name, Submission("accept"), now=now)
    assert {name: sorted(listed) for name, listed in got.items()} == {
        "ann": [second], "ben": sorted([first, first, third, third]),
    }  # fmt: skip
    assert waits(tmp_path).state == "done"
