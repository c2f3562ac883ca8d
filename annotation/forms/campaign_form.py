"""A campaign's form: what annotators can enter about a task, and the rules for decisions.

Steps and `review open` make it, and the review store keeps it as JSON in the campaign's row. All code that shows a task
or receives a decision reads it: the store's checks, the task card, tables, Label Studio, the rules.
"""

from __future__ import annotations

import json
from functools import cached_property, lru_cache
from typing import Any, Literal

from benchwright.records import Record

from .fields.field_types import FormField, RegionField
from .fields.form import Form

_MOST_READ = 256
"""Maximum number of parsed forms that are kept in memory, because a campaign is read on every click."""


class CampaignForm(Record):
    """The form of a campaign.

    A decision is one of `decisions`, or of the task's own choices (`decisions_from`), with reasons and a note. In a
    typed form it is entered field by field (`fields`), and follows from the first field.

    Attributes:
        decisions: Possible decisions of an annotator, if the form has no fields.
        decisions_from: `choices`: the decisions on a task are the letters of the task's choices.
        fields: Fields of a typed form, in the order in which they are filled in.
        reasons: Codes of reasons that may accompany a decision; the app requires one with a rejection.
        needs_note: Decisions that require a note or edits.
        guidelines: The recipe's instructions for annotators, in Markdown; null uses those of the kind of campaign.
        edits: Whether annotators may edit the item, which makes its next version.
        rounds: Number of rounds that an item gets, each with a new version; 0 if items do not return.
        editors_verify: Whether annotators may judge a version that they edited themselves.
        explained: Whether annotators who may edit the item may also edit the explanation of its key.
        evidence: Regions that annotators mark with a decision, to justify it; null asks for none.
        blind_first: Whether annotators answer before they see the key, and fill in the other fields afterwards.
        to_writer: Whether annotators may send the item back to its writer, with the requested change.
        writer_rounds: Number of versions of an item that can go back to its writer; 0 if annotators do not send items
            back.
        states_facts: Whether the fields state facts about a picture and are therefore checked together, like a facts
            file.
    """

    decisions: tuple[str, ...] = ()
    decisions_from: Literal["choices"] | None = None
    fields: tuple[FormField, ...] | None = None
    reasons: tuple[str, ...] = ()
    needs_note: tuple[str, ...] = ()
    guidelines: str | None = None
    edits: bool = False
    rounds: int = 0
    editors_verify: bool = False
    explained: bool = False
    evidence: RegionField | None = None
    blind_first: bool = False
    to_writer: bool = False
    writer_rounds: int = 0
    states_facts: bool = False

    @cached_property
    def typed(self) -> Form | None:
        """Return the typed form with these `fields`, or None if annotators choose from decisions."""
        return None if self.fields is None else Form(fields=self.fields)

    @property
    def region_fields(self) -> tuple[RegionField, ...]:
        """Return the fields for regions: those of the typed form, or those that justify a decision."""
        if self.typed is not None:
            return self.typed.region_fields
        return () if self.evidence is None else (self.evidence,)

    @property
    def takes_choices(self) -> bool:
        """Return whether the decisions on a task are the letters of the task's choices."""
        return self.decisions_from == "choices"

    def to_json(self) -> dict[str, Any]:
        """Return the explicitly set keys as JSON values, which the store keeps and digests cover."""
        return self.model_dump(mode="json", include=self.model_fields_set)


@lru_cache(maxsize=_MOST_READ)
def read_campaign_form(text: str) -> CampaignForm:
    """Return the form in a campaign's row; keys that this version does not know are ignored.

    Raises:
        ValueError: The text does not describe a form.
    """
    document = json.loads(text)
    return CampaignForm.model_validate({name: document[name] for name in CampaignForm.model_fields if name in document})
