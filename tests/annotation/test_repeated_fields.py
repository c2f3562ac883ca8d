"""Groups of fields that occur several times in a typed form.

- Entries are checked one by one, and every mistake is named with its entry.
- Conditions hold inside an entry as they do in the form.
- A table takes a group as JSON in one cell, Label Studio as JSON in one box.
- Other input from browsers and tables is refused with a message.
"""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from benchwright.annotation.exchange.decision_file import import_decisions
from benchwright.annotation.exchange.task_file import export_tasks
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.fields.field_types import Lines, OneOf, OnlyIf, Option, Repeated, TextField
from benchwright.annotation.forms.fields.field_values import FormError
from benchwright.annotation.forms.fields.form import Form
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.task_content import TaskContent
from benchwright.annotation.label_studio.label_config import label_config
from benchwright.annotation.label_studio.replies import read_reply
from benchwright.annotation.store.review_store import ReviewStore

WHY = (Option(code="hidden", words="Hidden"), Option(code="other", words="Something else"))
QUESTIONS = Repeated(
    name="questions",
    label="Questions",
    entry="question",
    min_count=1,
    max_count=3,
    distinct="name",
    fields=(
        TextField(name="name", label="Name", is_line=True, is_name=True),
        OneOf(name="why", label="Why", options=WHY),
        TextField(name="which", label="Which", is_line=True, only_if=OnlyIf(field="why", codes=("other",))),
        TextField(name="right", label="Right", is_line=True, is_required=False),
        Lines(name="wrong", label="Wrong", count=4, at_least=2, max_chars=60, differ_from="right"),
    ),
)
STATED = OneOf(
    name="statement",
    label="The picture",
    options=(Option(code="stated", words="Stated"), Option(code="nothing", words="Nothing")),
)
FORM = Form(fields=(STATED, QUESTIONS.model_copy(update={"only_if": OnlyIf(field="statement", codes=("stated",))})))
TASTE = {"name": "taste", "why": "hidden", "wrong": ["Bitter", "Sour"]}
AGE = {"name": "age", "why": "other", "which": "time", "right": "Ten", "wrong": "Five\nSix\nSeven"}


def checked(questions: Any) -> Any:
    entries = {"statement": "stated", "questions": questions}
    return FORM.checked(entries, letters=(), key=None).get("questions")


def test_entries_come_back_in_their_order_with_the_values_of_their_fields() -> None:
    assert checked([TASTE, AGE]) == [TASTE, AGE | {"wrong": ["Five", "Six", "Seven"]}]


def test_an_entry_loses_fields_that_do_not_apply_and_an_empty_entry_is_none() -> None:
    empty = {"name": "", "why": "", "wrong": ""}
    assert checked([empty, TASTE | {"which": "left from before"}, {}]) == [TASTE]


def test_every_mistake_of_every_entry_is_named_at_once_with_its_entry() -> None:
    wrong = {"name": "Two words", "why": "else", "wrong": ["One"]}
    with pytest.raises(FormError) as error:
        checked([TASTE, wrong, AGE | {"wrong": ["ten", "Five"], "which": ""}])
    words = str(error.value)
    assert "question 2: field 'name' (Name): 'Two words' is not a short name" in words
    assert "question 2: field 'why': 'else' is not one of hidden, other" in words
    assert "question 2: field 'wrong' (Wrong): 2 to 4 lines; it has 1" in words
    assert "question 3: field 'which' (Which) is not filled in" in words
    assert "question 3: field 'wrong' (Wrong): 'ten' appears twice" in words
    assert "question 1" not in words


@pytest.mark.parametrize(
    ("questions", "words"),
    [
        pytest.param([], "field 'questions' .Questions. is not filled in", id="none"),
        pytest.param([TASTE] * 4, "at most 3; it has 4", id="too many"),
        pytest.param([TASTE, TASTE | {"name": "taste"}], "question 2: 'taste' is already that of question 1", id="twice"),
        pytest.param([TASTE | {"box": "1"}], "question 1: no field is called 'box'", id="unknown"),
        pytest.param(["taste"], "is not a list of entries", id="texts"),
        pytest.param({"name": "taste"}, "is not a list of entries", id="object"),
        pytest.param(7, "is not a list of entries", id="number"),
        pytest.param([TASTE | {"name": ["taste"]}], "is not text", id="list for a text"),
        pytest.param([TASTE | {"wrong": [["a"], "b"]}], "are not lines of text", id="nested lines"),
        pytest.param([TASTE | {"wrong": ["a\0", "b"]}], "without null", id="null"),
        pytest.param([TASTE | {"name": "a" * 61}], "is not a short name", id="long name"),
        pytest.param('[{"name": "taste"', "is not JSON; the field takes JSON, a list of 1 to 3", id="no JSON"),
        pytest.param("[" * 100_000, "is not JSON", id="deep JSON"),
    ],
)  # fmt: skip
def test_what_is_no_list_of_entries_is_refused_in_words(questions: Any, words: str) -> None:
    with pytest.raises(FormError, match=words):
        checked(questions)


def test_a_message_about_very_many_mistakes_has_an_end() -> None:
    with pytest.raises(FormError, match="and 71 more") as error:
        checked([{"name": "taste", **{f"no{number}": "x" for number in range(99)}}])
    assert len(str(error.value)) < 6000


def test_a_group_that_does_not_apply_is_left_out_and_an_optional_one_may_be_empty() -> None:
    assert FORM.checked({"statement": "nothing", "questions": [TASTE]}, letters=(), key=None) == {
        "statement": "nothing"
    }
    optional = Form(fields=(STATED, QUESTIONS.model_copy(update={"is_required": False})))
    assert optional.checked({"statement": "stated"}, letters=(), key=None) == {"statement": "stated"}


def test_a_group_is_described_entry_by_entry_in_words() -> None:
    values = {"statement": "stated", "questions": [TASTE, AGE | {"wrong": ["Five", "Six"]}]}
    assert FORM.describe(values) == (
        "Stated · question 1: taste · Hidden · Bitter, Sour; question 2: age · Something else · time · Ten · Five, Six"
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param({"min_count": 4}, "at least 4 and at most 3", id="more than at most"),
        pytest.param({"distinct": "wrong"}, "no text or choice 'wrong'", id="told apart by lines"),
        pytest.param({"fields": QUESTIONS.fields[2:]}, "depends on 'why'", id="condition on nothing"),
        pytest.param({"fields": QUESTIONS.fields * 2}, "same name", id="repeated name"),
    ],
)
def test_a_group_that_makes_no_sense_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Repeated(**(dict(QUESTIONS) | change))


def test_nothing_hangs_on_a_group_and_no_form_begins_with_one() -> None:
    note = TextField(name="note", label="Note", only_if=OnlyIf(field="questions", codes=("taste",)))
    with pytest.raises(ValueError, match="is not a choice"):
        Form(fields=(STATED, QUESTIONS, note))
    with pytest.raises(ValueError, match="always made"):
        Form(fields=(QUESTIONS,))


def opened(store: ReviewStore) -> None:
    form = CampaignForm(fields=FORM.fields)
    store.upsert_campaign("state", kind="describe", rule="single", slots_per_task=1, form=form, settings={}, seed=1)
    content = TaskContent(task="state", question="What can be said?").model_dump(mode="json")
    store.upsert_tasks("state", [TaskInput(digit * 64, digit * 64, content) for digit in "ab"])


def test_a_table_takes_a_group_as_json_in_one_cell_and_says_what_may_be_entered(
    store: ReviewStore, tmp_path: Path, now: datetime
) -> None:
    opened(store)
    export_tasks(store, "state", tmp_path / "tasks.csv", image_name=lambda image: image.image_id)
    with (tmp_path / "tasks.csv").open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert (
        'questions: JSON, a list of 1 to 3, each {"name": a short name of lowercase letters, digits and underscores, '
        '"why": one of hidden, other, "which": text (only where why is other), "right": text (may be left out), '
        '"wrong": a list of 2 to 4 lines}'
    ) in rows[0]["takes"]
    with (tmp_path / "filled.csv").open("w", newline="") as handle:
        writer = csv.DictWriter(handle, rows[0].keys())
        writer.writeheader()
        filled = {"annotator": "ann", "statement": "stated"}
        writer.writerow(rows[0] | filled | {"questions": json.dumps([TASTE, AGE | {"wrong": ["Five", "Six"]}])})
        writer.writerow(rows[1] | filled | {"questions": json.dumps([TASTE | {"why": ""}])})
    imported = import_decisions(store, "state", tmp_path / "filled.csv", now=now)
    assert (imported.new, [row.why for row in imported.refused]) == (
        1, ["question 1: field 'why' (Why) is not filled in"],
    )  # fmt: skip
    [decision] = store.decisions("state")
    assert decision.fields == {"statement": "stated", "questions": [TASTE, AGE | {"wrong": ["Five", "Six"]}]}


def test_label_studio_has_a_box_for_the_group_that_says_how_to_fill_it_in() -> None:
    form = CampaignForm(fields=FORM.fields)
    config = ET.fromstring(label_config(form))
    [box] = [area for area in config.iter("TextArea") if area.get("name") == "field_questions"]
    assert (box.get("placeholder") or "").startswith("Label Studio repeats no fields; write JSON, a list of 1 to 3")
    result = [
        {"from_name": "field_statement", "type": "choices", "value": {"choices": ["Stated"]}},
        {"from_name": "field_questions", "type": "textarea", "value": {"text": [json.dumps([TASTE])]}},
    ]
    submission = read_reply(result, form, {"choices": []})
    assert checked((submission.fields or {})["questions"]) == [TASTE]
