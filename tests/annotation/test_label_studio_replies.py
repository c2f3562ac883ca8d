"""Labels from Label Studio are read against the form: hostile ones are refused, never taken for others."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.fields.form import Form
from benchwright.annotation.forms.kind_forms.description import DESCRIPTION_FORM
from benchwright.annotation.forms.kind_forms.screening import screening_form
from benchwright.annotation.forms.kinds import KINDS
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.label_studio.label_config import NO_REASON, guidelines_html, label_config, pictures_config
from benchwright.annotation.label_studio.pulling import pull
from benchwright.annotation.label_studio.replies import read_reply
from benchwright.annotation.label_studio.task_data import KEY, key_of, option_labels
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.errors import DataError
from benchwright.records import Item

from .label_studio_rows import NAMES, annotated, label


def errata_form() -> Form:
    make = KINDS["errata"].form
    assert make is not None
    return make(())


VERIFY = CampaignForm(decisions=["accept", "reject", "revise"], needs_note=["revise"], reasons=["unclear", "too_easy"])
ANSWER = CampaignForm(decisions_from="choices")


def test_a_verdict_with_reasons_and_a_note_is_read() -> None:
    result = [
        label("decision", "reject"),
        label("reason", "unclear", "too_easy"),
        label("note", " so ", kind="textarea"),
    ]
    assert read_reply(result, VERIFY, {}) == Submission("reject", ("too_easy", "unclear"), "so")


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ([], "gives the decision 0 times"),
        ([label("decision", "accept", "reject")], "gives the decision 2 times"),
        ([label("decision", "accept"), label("decision", "accept")], "gives the decision 2 times"),
        ([label("decision", "ACCEPT")], "'ACCEPT' is not one of accept"),
        ([label("decision", "accept"), label("reason", "made up")], "'made up' is not one of the form's reasons"),
        ([label("verdict", "accept")], "'verdict' does not belong to the form"),
        ([label("decision", "accept", kind="rectanglelabels")], "does not belong"),
        ([label("decision", 3)], "not text"),
        ([{"from_name": "decision", "type": "choices", "value": "accept"}], "has no value"),
        (["accept"], "has no value"),
        ("accept", "not a list"),
        (None, "not a list"),
        ([label("decision", "accept")] * 101, "not a list"),
    ],
)
def test_what_the_form_does_not_say_is_refused(result: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_reply(result, VERIFY, {})


@pytest.fixture
def item(make_items: Callable[..., list[Item]]) -> Item:
    return make_items(jigsaw=1)[0]


def test_an_answer_is_one_of_the_tasks_own_choices(item: Item) -> None:
    payload = item.model_dump(mode="json")
    labels = option_labels(payload)
    assert [read_reply([label("answer", one)], ANSWER, payload).decision for one in labels] == [
        choice.key for choice in item.choices
    ]
    with pytest.raises(DataError, match="not one of the choices"):
        read_reply([label("answer", "Z. something")], ANSWER, payload)


def test_configs_are_wellformed_and_hold_every_choice() -> None:
    config = ET.fromstring(label_config(VERIFY.model_copy(update={"guidelines": "x", "reasons": ("a<b", "it's")})))
    assert {choice.get("value") for choice in config.iter("Choice")} == {"accept", "reject", "revise", "a<b", "it's"}
    assert {text.get("valueType") for text in config.iter("Text")} == {"text"}
    assert [one.get("value") for one in ET.fromstring(label_config(ANSWER)).iter("Choices")] == ["$options"]
    assert ET.fromstring(pictures_config()).find("Image") is not None


ERRATA = CampaignForm(fields=errata_form().fields)


def test_a_typed_form_shows_each_field_where_it_applies() -> None:
    config = ET.fromstring(label_config(ERRATA))
    shown = {
        view[1].get("name"): view.get("whenChoiceValue") for view in config.iter("View") if view[0].tag == "Header"
    }
    assert shown == {
        "field_finding": None,
        "field_instead": "The key is wrong",
        "field_reason": "The key is wrong,Ambiguous,Problem with a picture",
    }


def test_a_typed_form_is_read_in_its_codes(item: Item) -> None:
    payload = item.model_dump(mode="json")
    labels = option_labels(payload)
    result = [
        label("field_finding", "The key is wrong"),
        label("field_instead", labels[0]),
        label("field_reason", "because", kind="textarea"),
    ]
    found = read_reply(result, ERRATA, payload)
    assert found.fields == {"finding": "key_wrong", "instead": "A", "reason": "because"}


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ([label("decision", "accept")], "'decision' does not belong"),
        ([label("field_finding", "The key is right", "Ambiguous")], "gives the field_finding 2 times"),
    ],
)
def test_what_a_typed_form_does_not_have_is_refused(item: Item, result: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_reply(result, ERRATA, item.model_dump(mode="json"))


def test_a_lone_reason_gets_company_because_label_studio_wants_two() -> None:
    config = ET.fromstring(label_config(VERIFY.model_copy(update={"reasons": ("unclear",)})))
    reasons = next(one for one in config.iter("Choices") if one.get("name") == "reason")
    assert [choice.get("value") for choice in reasons] == ["unclear", NO_REASON]
    said = [label("decision", "accept"), label("reason", NO_REASON)]
    assert read_reply(said, VERIFY.model_copy(update={"reasons": ("unclear",)}), {}).reasons == ()


def test_guidelines_run_nothing() -> None:
    assert "<script>" not in guidelines_html("<script>alert(1)</script>")


def test_of_what_somebody_said_twice_of_a_task_the_last_counts_however_often_it_is_pulled(
    store: ReviewStore, item: Item
) -> None:
    store.upsert_campaign(
        "verify", kind="verify", rule="unanimous(2)", slots_per_task=2, form=VERIFY, settings={}, seed=1
    )
    store.upsert_tasks("verify", [TaskInput(item.item_id, item.content_hash, item.model_dump(mode="json"))])
    row = annotated(store, "verify", 0, {"ann": [label("decision", "accept")]})
    [first] = row["annotations"]
    reject = {"result": [label("decision", "reject")], "created_at": "2026-02-02T00:00:00Z"}
    forged = {**first, **reject, "id": 9, "created_at": "2026-02-03T00:00:00Z", "updated_by": 2}
    row["annotations"] = [forged, {**first, **reject, "id": 8}, first]
    for new, unchanged in ((1, 0), (0, 1), (0, 1)):
        found = pull(store, store.campaign("verify"), [row], names=NAMES, now=datetime(2026, 3, 1, tzinfo=UTC))
        assert (found.new, found.changed, found.unchanged, found.skipped) == (new, 0, unchanged, 1)
        assert [one.annotation for one in found.quarantined] == [9]
    [one] = store.decisions("verify")
    assert (one.decision, one.version) == ("reject", 1)


def test_moments_and_leads_of_strangers_are_bounded(store: ReviewStore, item: Item) -> None:
    store.upsert_campaign(
        "verify", kind="verify", rule="unanimous(1)", slots_per_task=1, form=VERIFY, settings={}, seed=1
    )
    store.upsert_tasks("verify", [TaskInput(item.item_id, item.content_hash, item.model_dump(mode="json"))])
    campaign, task = store.campaign("verify"), store.tasks("verify")[0]
    now = datetime(2026, 3, 1, tzinfo=UTC)

    def annotated(**more: Any) -> Any:
        one = {
            "id": 1, "completed_by": 7, "result": [label("decision", "accept")], "created_at": "2026-02-01T00:00:00Z",
            **more,
        }  # fmt: skip
        return iter([{"id": 5, "data": {KEY: key_of(task)}, "annotations": [one]}])

    for wrong in ({"updated_at": "yesterday"}, {"updated_at": "2026-02-01T00:00:00"}, {"completed_by": 8}):
        found = pull(store, campaign, annotated(**wrong), names={7: "ann"}, now=now)
        assert (found.new, len(found.quarantined)) == (0, 1)
    skipped = pull(store, campaign, annotated(was_cancelled=True), names={7: "ann"}, now=now)
    assert (skipped.skipped, skipped.new) == (1, 0)
    late = annotated(updated_at="2090-01-01T00:00:00Z", lead_time=1e12)
    assert pull(store, campaign, late, names={7: "ann"}, now=now).new == 1
    said = store.decisions("verify")[0]
    assert said.submitted_at == now
    assert (said.submitted_at - said.started_at).total_seconds() == 86_400


def test_screening_goes_to_label_studio_as_choices_that_appear_when_they_apply() -> None:
    form = CampaignForm(fields=screening_form(("no_implication", "other")).fields)
    root = ET.fromstring(label_config(form))
    controls = {one.get("name"): one for one in root.iter("Choices")}
    assert [choice.get("value") for choice in controls["field_verdict"]] == ["Keep", "Discard"]
    shown = next(one for one in root.iter("View") if controls["field_reasons"] in list(one))
    assert (shown.get("visibleWhen"), shown.get("whenTagName"), shown.get("whenChoiceValue")) == (
        "choice-selected", "field_verdict", "Discard",
    )  # fmt: skip
    result = [label("field_verdict", "Discard"), label("field_reasons", "No implication", "Other")]
    assert read_reply(result, form, {}).fields == {"verdict": "discard", "reasons": ["no_implication", "other"]}


def test_a_description_goes_to_label_studio_and_its_lines_come_back_as_lines() -> None:
    form = CampaignForm(fields=DESCRIPTION_FORM.fields)
    root = ET.fromstring(label_config(form))
    areas = {one.get("name"): one.get("maxSubmissions") for one in root.iter("TextArea")}
    assert (areas["field_explanation"], areas["field_wrong_1"]) == ("1", "5")
    names = [one.get("name") for one in root.iter() if one.get("name")]
    assert len(names) == len(set(names))
    written = label("field_wrong_1", "a", "b", "c\nd", "e", kind="textarea")
    fields = read_reply([label("field_image_type", "Single-panel comic"), written], form, {}).fields
    assert fields == {"image_type": "single_panel_comic", "wrong_1": "a\nb\nc\nd\ne"}
