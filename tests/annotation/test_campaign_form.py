"""A campaign's form is one typed object, which the store keeps as JSON.

- The JSON of each kind's form has the keys that the step sets, and no others.
- A form read from a row is written back to the same bytes, and parsed once.
- Keys of other versions are accepted, misspelled ones are refused.
"""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from benchwright.annotation.campaigns.review import review_form
from benchwright.annotation.forms.campaign_form import CampaignForm, read_campaign_form
from benchwright.annotation.forms.fields.field_types import OneOf, Option, TextField
from benchwright.annotation.forms.fields.form import Form
from benchwright.annotation.forms.kind_forms.description import DESCRIPTION_FORM
from benchwright.canonical import canonical_json

VERDICT = Form(
    fields=(
        OneOf(
            name="verdict", label="Verdict", options=(Option(code="yes", words="Yes"), Option(code="no", words="No"))
        ),
        TextField(name="note", label="Note", is_required=False),
    )
)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        pytest.param(
            CampaignForm(decisions=("accept", "reject"), reasons=("unclear",), guidelines=None),
            {"decisions": ["accept", "reject"], "guidelines": None, "reasons": ["unclear"]},
            id="decisions",
        ),
        pytest.param(CampaignForm(decisions_from="choices"), {"decisions_from": "choices"}, id="choices"),
        pytest.param(
            CampaignForm(fields=VERDICT.fields, guidelines="Look."),
            {"fields": VERDICT.model_dump(mode="json")["fields"], "guidelines": "Look."},
            id="fields",
        ),
        pytest.param(
            CampaignForm(fields=VERDICT.fields, blind_first=True, edits=True, rounds=4),
            {"blind_first": True, "edits": True, "fields": VERDICT.model_dump(mode="json")["fields"], "rounds": 4},
            id="answered first",
        ),
    ],
)
def test_a_form_is_kept_with_the_keys_that_are_set_and_no_others(form: CampaignForm, expected: object) -> None:
    assert form.to_json() == expected


@pytest.mark.parametrize("form", [DESCRIPTION_FORM, review_form(("accurate", "difficult"))], ids=["describe", "review"])
def test_a_row_is_read_and_written_back_to_the_same_bytes(form: Form) -> None:
    text = canonical_json({**form.model_dump(mode="json"), "guidelines": None, "rounds": 2})
    assert canonical_json(read_campaign_form(text).to_json()) == text
    assert read_campaign_form(text).typed == form


def test_a_row_is_parsed_once() -> None:
    text = canonical_json({"decisions": ["accept"]})
    assert read_campaign_form(text) is read_campaign_form("".join(text))
    assert read_campaign_form(text).typed is None


def test_a_key_of_another_version_does_not_stand_in_the_way() -> None:
    assert read_campaign_form('{"decisions":["accept"],"of_another_version":1}') == CampaignForm(decisions=("accept",))


def test_a_misspelt_key_is_refused() -> None:
    with pytest.raises(ValidationError, match="decision_from"):
        CampaignForm(decision_from="choices")
