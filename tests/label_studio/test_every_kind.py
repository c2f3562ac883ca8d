"""Kinds of campaigns without another test here: labels in a real Label Studio equal decisions in the app."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from label_studio.conftest import VERIFY, LabelStudio, Waiting, email, pull, push, region, store_of

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.fields.form import Form
from benchwright.annotation.forms.kind_forms.pair import PAIR_FORM
from benchwright.annotation.forms.kind_forms.screening import screening_form
from benchwright.annotation.forms.kind_forms.writing import writing_form
from benchwright.annotation.forms.kinds import KINDS
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.questions.settings import LabelSet, QuestionSettings
from benchwright.review_files.tasks import FindingCategory

CATEGORIES = (
    FindingCategory(code="cost", words="Read $5, or <b>more</b>"),
    FindingCategory(code="other", words="Something else"),
)


def error_analysis() -> Form:
    make = KINDS["error_analysis"].form
    assert make is not None
    return make(CATEGORIES)


SAID: dict[str, tuple[Form, dict[str, Any], dict[str, Any]]] = {
    "screen_items": (
        screening_form(("ambiguous", "wrong_key")),
        {"field_verdict": "Discard", "field_reasons": ["Wrong key", "Ambiguous"]},
        {"verdict": "discard", "reasons": ["ambiguous", "wrong_key"]},
    ),
    "pair": (
        PAIR_FORM,
        {"field_verdict": "Different pictures", "field_note": " another <i>angle</i> "},
        {"verdict": "different", "note": "another <i>angle</i>"},
    ),
    "error_analysis": (
        error_analysis(),
        {"field_categories": ["Something else", "Read ＄5, or <b>more</b>"], "field_reason": "it says so"},
        {"categories": ["other", "cost"], "reason": "it says so"},
    ),
    "reading": (
        KINDS["reading"].form(()),  # type: ignore[misc]
        {"field_gives": "It chooses one option", "field_letter": "B"},
        {"gives": "option", "letter": "B"},
    ),
    "write": (
        writing_form(QuestionSettings(refusal="allowed", labels={"difficulty": LabelSet(values=("easy", "hard"))})),
        {
            "field_writing": "Write questions", "field_ask_1": " How many cups, $5 each? ",
            "field_declining_1": "Is offered and wrong", "field_right_1": "One", "field_wrong_1": ["Two", "Three", "Four"],
            "field_difficulty_1": "hard", "field_ask_3": "How does the tea taste?",
            "field_declining_3": "Is offered and right", "field_tempting_3": ["Sweet", "Sour", "Bitter", "Salty"],
            "field_difficulty_3": "easy",
        },
        {
            "writing": "written",
            "questions": [
                {"ask": "How many cups, $5 each?", "declining": "offered", "right": "One", "wrong": ["Two", "Three", "Four"], "difficulty": "hard"},
                {"ask": "How does the tea taste?", "declining": "is_right", "tempting": ["Sweet", "Sour", "Bitter", "Salty"], "difficulty": "easy"},
            ],
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", SAID)
def test_what_is_said_there_is_what_the_app_takes(label_studio: LabelStudio, waiting: Waiting, kind: str) -> None:
    workspace, now = waiting(VERIFY), datetime.now(UTC)
    form, labelled, fields = SAID[kind]
    with store_of(workspace) as store:
        document = CampaignForm(fields=form.fields, guidelines="Look **closely**.")
        store.upsert_campaign(
            kind, kind=kind, rule="unanimous(2)", slots_per_task=2, form=document, settings={}, seed=1
        )
        task = store.tasks("verify")[0]
        store.upsert_tasks(kind, [TaskInput(task.item_id, task.content_hash, task.payload)])
        store.upsert_annotator("in the app")
        queue = TaskQueue(store, store.campaign(kind), "in the app")
        mine = queue.next(now=now)
        assert mine is not None
        queue.submit(mine.slot_id, Submission(fields=fields), now=now)
    project = push(label_studio, workspace, "--campaign", kind)["project"]
    [there] = label_studio.tasks(project)
    texts = re.compile("field_(note|reason|ask|right|wrong|tempting)(_[0-9])?")
    by_letter = {option["value"].partition(".")[0]: option["value"] for option in there["data"]["options"]}
    if "field_letter" in labelled:
        labelled = labelled | {"field_letter": by_letter[labelled["field_letter"]]}
    result = [region(control, said, is_text=bool(texts.fullmatch(control))) for control, said in labelled.items()]
    label_studio.api("ann", "POST", f"tasks/{there['id']}/annotations", {"result": result, "lead_time": 4})
    done = pull(label_studio, workspace, "--campaign", kind)
    assert (done["new"], done["tasks"]["done"]) == (1, 1)
    with store_of(workspace) as store:
        by_name = {one.annotator: (one.decision, one.reasons, one.fields) for one in store.decisions(kind)}
    assert by_name[email("ann")] == by_name["in the app"]
