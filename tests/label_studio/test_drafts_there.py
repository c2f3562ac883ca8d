"""Drafts in a real Label Studio: the form begins with them, and the results state the author of each text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from label_studio.conftest import VERIFY, LabelStudio, Waiting, email, pull, push, sign_in, store_of, submit_in

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.kind_forms.writing import writing_form
from benchwright.annotation.forms.payloads import DraftNote, Proposals, TaskInput, payload_with_drafts
from benchwright.questions.settings import LabelSet, QuestionSettings

pytestmark = pytest.mark.slow

CUPS = {
    "ask": "How many cups cost $5? \u2615", "right": "Three", "wrong": ["One", "Two", "Four"],
    "explanation": "Three tags say $5.", "level": "easy",
}  # fmt: skip
JUG = {
    "ask": "What stands behind the cups?", "right": "A jug", "wrong": ["A vase", "A lamp", "A clock"],
    "explanation": "It rises behind them.", "level": "hard",
}  # fmt: skip


def drafted(waiting: Waiting) -> Path:
    """Return a workspace with a campaign `write` of one task that has two drafts, and one whose draft failed."""
    workspace = waiting(VERIFY)
    settings = QuestionSettings(explanation="required", labels={"level": LabelSet(values=("easy", "hard"))})
    form = CampaignForm(fields=writing_form(settings, drafts=True).fields)
    note = DraftNote(by="model:tiny-vlm", prompt="plain")
    proposals = [
        Proposals(
            model="tiny-vlm",
            fields={"writing": "written", "questions": [CUPS, JUG]},
            notes={"questions/1": note, "questions/2": note},
        ),
        Proposals(model="tiny-vlm", failed="no_json: the reply holds no JSON object"),
    ]
    with store_of(workspace) as store:
        store.upsert_campaign(
            "write", kind="write", rule="answers(2)", slots_per_task=2, form=form, settings={}, seed=1
        )
        tasks = store.tasks("verify")[:2]
        store.upsert_tasks(
            "write",
            [
                TaskInput(task.item_id, task.content_hash, payload_with_drafts(task.payload, each))
                for task, each in zip(tasks, proposals, strict=True)
            ],
        )
    return workspace


def origins(workspace: Path, user: str) -> dict[str, tuple[str, list[str]]]:
    with store_of(workspace) as store:
        fields: Any = next(each.fields for each in store.decisions("write") if each.annotator == email(user))
    return {place: (origin["from"], origin["changed"]) for place, origin in fields.get("drafts", {}).items()}


def test_drafts_are_predictions_and_what_comes_back_is_accepted_edited_or_discarded(
    label_studio: LabelStudio, waiting: Waiting
) -> None:
    workspace = drafted(waiting)
    project = push(label_studio, workspace, "--campaign", "write")["project"]
    about = label_studio.api("admin", "GET", f"projects/{project}")
    assert (about["model_version"], about["show_collab_predictions"]) == ("drafts", True)
    by_drafts = {len(task["predictions"]): task for task in label_studio.tasks(project)}
    assert by_drafts[0]["data"]["beside"] == "Drafts: tiny-vlm drafted nothing: no_json: the reply holds no JSON object"
    task = by_drafts[1]
    assert "question 1, question 2: draft by tiny-vlm, prompt plain, not accepted yet" in task["data"]["beside"]
    [prediction] = label_studio.api("ann", "GET", f"predictions?task={task['id']}")
    result = prediction["result"]
    label_studio.api("ann", "POST", f"tasks/{task['id']}/annotations", {"result": result, "lead_time": 4})
    edited = [dict(region) for region in result if not region["from_name"].endswith("_1")]
    for region in edited:
        if region["from_name"] == "field_right_2":
            region["value"] = {"text": ["A tall jug"]}
    label_studio.api("ben", "POST", f"tasks/{task['id']}/annotations", {"result": edited, "lead_time": 4})
    done = pull(label_studio, workspace, "--campaign", "write")
    assert (done["new"], done["quarantined"]) == (2, [])
    assert origins(workspace, "ann") == {"questions/1": ("questions/1", []), "questions/2": ("questions/2", [])}
    assert origins(workspace, "ben") == {"questions/1": ("questions/2", ["right"])}
    assert push(label_studio, workspace, "--campaign", "write")["there"] == 2


def test_the_form_begins_with_the_drafts_in_a_browser(label_studio: LabelStudio, waiting: Waiting, page: Any) -> None:
    workspace = drafted(waiting)
    project = push(label_studio, workspace, "--campaign", "write")["project"]
    [task] = [task for task in label_studio.tasks(project) if task["predictions"]]
    sign_in(page, label_studio, "ann")
    page.goto(f"{label_studio.url}/projects/{project}/data?task={task['id']}")
    page.get_by_text(CUPS["ask"]).first.wait_for()
    page.get_by_text(JUG["explanation"]).first.wait_for()
    submit_in(page)
    done = pull(label_studio, workspace, "--campaign", "write")
    assert (done["new"], done["quarantined"]) == (1, [])
    assert origins(workspace, "ann") == {"questions/1": ("questions/1", []), "questions/2": ("questions/2", [])}
