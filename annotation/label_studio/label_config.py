"""A campaign's form as a Label Studio config: the annotators' view, and the controls that they fill in.

Texts of items are the data of `Text` tags, which show them unchanged; only images, choices and guidelines are rendered.
`replies` reads annotations by the names of the controls.
"""

from __future__ import annotations

import html
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence

from benchwright.errors import BenchwrightError

from ..forms.campaign_form import CampaignForm
from ..forms.fields.field_types import (
    DraftsField,
    FormField,
    Lines,
    OneChoice,
    OneOf,
    PhotographField,
    PicturesField,
    RegionField,
    Repeated,
    SeveralOf,
    TextField,
)
from ..forms.fields.field_words import takes_in_words
from ..forms.fields.form import Form
from ..forms.fields.numbered_fields import with_numbered_fields
from ..store.submissions.pre_key_answers import voted_on
from .drawn_regions import add_drawing, is_drawn
from .editing import add_edit_fields

DECISION, REASON, NOTE, ANSWER = "decision", "reason", "note", "answer"
EDITING, AS_IT_IS, TO_BE_EDITED = "editing", "Leave the item as it is", "Edit the item"
"""Control that asks whether to edit an item, and its choices, for forms that have no such decision."""
NO_REASON = "no reason"
"""Meaningless choice added to a single reason, since Label Studio refuses a list with only one choice."""
REVISE = "revise"
_HOTKEYS = {"accept": "y", "revise": "v", "reject": "x"}
"""The keyboard keys of the review app, which differ from the letters of options."""


def label_config(form: CampaignForm, *, letters: Sequence[str] = (), votes: bool = False) -> str:
    """Return the config of a campaign's form, as XML.

    Args:
        form: Form of the campaign. A form that asks for an answer first has two configs, one for the answer and one
            for the votes.
        letters: Keys of the items' choices, for the edit fields; default none.
        votes: Whether to return the config of the votes, which follow once the key is shown; default False.

    Raises:
        BenchwrightError: The form asks for photographs, which Label Studio cannot accept.
    """
    view = ET.Element("View")
    if form.guidelines:
        panel = ET.SubElement(ET.SubElement(view, "Collapse"), "Panel", value="Guidelines")
        ET.SubElement(panel, "HyperText", name="guidelines", value="$guidelines", inline="true")
    columns = ET.SubElement(view, "View", style="display:grid;grid-template-columns:3fr 2fr;gap:16px")
    pictures_column = ET.SubElement(columns, "View", style="min-width:0")
    ET.SubElement(pictures_column, "Image", name="images", valueList="$images", zoom="true", zoomControl="true")
    form_column = ET.SubElement(columns, "View", style="min-width:0")
    ET.SubElement(form_column, "Text", name="question", value="$question", valueType="text")
    if is_answered_blind(form, votes=votes):
        _answer(form_column)
    elif votes:
        _votes(form_column, form, letters)
    elif (typed := form.typed) is not None:
        _typed(form_column, typed)
    else:
        _verdict(form_column, form, letters)
    return ET.tostring(view, encoding="unicode")


def is_answered_blind(form: CampaignForm, *, votes: bool) -> bool:
    """Return whether a project asks only for the answer, without showing the key."""
    return form.takes_choices or (form.blind_first and not votes)


def _answer(view: ET.Element) -> None:
    ET.SubElement(
        view,
        "Choices",
        name=ANSWER,
        toName="question",
        value="$options",
        choice="single-radio",
        required="true",
        requiredMessage="Choose an answer",
    )


def _votes(view: ET.Element, form: CampaignForm, letters: Sequence[str]) -> None:
    """Add the controls for annotators who have answered: votes and edits."""
    ET.SubElement(view, "Text", name="reviewers", value="$reviewers", valueType="text")
    _typed(view, voted_on(form))
    if form.edits:
        editing = ET.SubElement(view, "Choices", name=EDITING, toName="question", choice="single-radio")
        for value in (AS_IT_IS, TO_BE_EDITED):
            ET.SubElement(editing, "Choice", value=value)
        add_edit_fields(view, letters, shown_when=selected(EDITING, TO_BE_EDITED), with_explanation=True)


def _verdict(view: ET.Element, form: CampaignForm, letters: Sequence[str]) -> None:
    ET.SubElement(view, "Text", name="choices", value="$choices", valueType="text")
    if form.explained:
        ET.SubElement(view, "Text", name="beside", value="$beside", valueType="text")
    decisions = form.decisions
    verdict = ET.SubElement(
        view,
        "Choices",
        name=DECISION,
        toName="question",
        choice="single-radio",
        required="true",
        showInline="true",
        requiredMessage="Choose a decision",
    )
    for decision in decisions:
        choice = ET.SubElement(verdict, "Choice", value=decision)
        if decision in _HOTKEYS:
            choice.set("hotkey", _HOTKEYS[decision])
    if reasons := form.reasons:
        ET.SubElement(view, "Header", value="Reasons", size="5")
        reason_choices = ET.SubElement(
            view, "Choices", name=REASON, toName="question", choice="multiple", showInline="true"
        )
        for reason in reasons if len(reasons) > 1 else [*reasons, NO_REASON]:
            ET.SubElement(reason_choices, "Choice", value=reason)
    if form.edits and letters:
        add_edit_fields(view, letters, shown_when=selected(DECISION, REVISE), with_explanation=form.explained)
    needed = ", ".join(form.needs_note) + (" without edits" if form.edits else "")
    ET.SubElement(
        view,
        "TextArea",
        name=NOTE,
        toName="question",
        rows="2",
        maxSubmissions="1",
        editable="true",
        placeholder=f"Note (needed for: {needed})" if form.needs_note else "Note",
    )


def plain(text: str) -> str:
    """Return a text in which Label Studio finds no reference to a field of the task data."""
    return text.replace("$", "\N{FULLWIDTH DOLLAR SIGN}")


def control_of(field: FormField) -> str:
    """Return the name of the control for a typed form's field, which no other part of the config uses."""
    return f"field_{field.name}"


def codes_by_words(field: OneOf | SeveralOf | RegionField) -> dict[str, str]:
    """Return the codes of a field's options by the text of the corresponding choices.

    The text is the option's words, or its code if two options have equal words.
    """
    words = [plain(option.words) for option in field.options]
    return {
        plain(option.words) if words.count(plain(option.words)) == 1 else option.code: option.code
        for option in field.options
    }


def _typed(view: ET.Element, form: Form) -> None:
    """Add the fields of a typed form in order, each below its label."""
    ET.SubElement(view, "Text", name="choices", value="$choices", valueType="text")
    ET.SubElement(view, "Text", name="beside", value="$beside", valueType="text")
    add_fields(view, with_numbered_fields(form), of="question")


def add_fields(view: ET.Element, form: Form, *, of: str) -> None:
    """Add the fields of a typed form, each below its label and shown if it applies.

    Args:
        view: Element that receives the fields.
        form: Typed form.
        of: Name of the object that the fields describe.

    Raises:
        BenchwrightError: A field is a photograph, which Label Studio cannot accept.
    """
    by_name = {field.name: field for field in form.fields}
    for field in form.fields:
        if isinstance(field, DraftsField):  # the other fields hold the drafts, as a prediction
            continue
        part = ET.SubElement(view, "View", _shown_when(field, by_name))
        ET.SubElement(part, "Header", value=field.label, size="5")
        required = "true" if field.is_required and field.only_if is None else "false"
        common = {"name": control_of(field), "toName": of, "required": required}
        if isinstance(field, TextField):
            rows = "1" if field.is_line else "2"
            ET.SubElement(part, "TextArea", common, rows=rows, maxSubmissions="1", placeholder=field.hint)
        elif isinstance(field, PhotographField):
            raise BenchwrightError("a form in Label Studio takes no photographs; collect them in the app")
        elif isinstance(field, Lines):
            most = str(field.count)
            ET.SubElement(part, "TextArea", common, rows=most, maxSubmissions=most, placeholder=field.hint)
        elif isinstance(field, RegionField) and is_drawn(field):
            add_drawing(part, field, control_of(field), codes_by_words(field))
        elif isinstance(field, Repeated | RegionField | PicturesField):
            lacks = {Repeated: "repeats no fields", RegionField: "marks no such regions here"}
            lack, wanted = lacks.get(type(field), "offers no list of pictures"), plain(takes_in_words(field))
            hint = f"Label Studio {lack}; write {wanted}"
            ET.SubElement(part, "TextArea", common, rows="6", maxSubmissions="1", placeholder=hint)
        elif isinstance(field, OneChoice):
            ET.SubElement(part, "Choices", common, value="$options", choice="single-radio")
        else:
            _options(part, field, common)


def _options(part: ET.Element, field: OneOf | SeveralOf, common: Mapping[str, str]) -> None:
    kind = "multiple" if isinstance(field, SeveralOf) else "single-radio"
    choices = ET.SubElement(part, "Choices", dict(common), choice=kind)
    help_of = {option.code: option.help for option in field.options}
    for words, code in codes_by_words(field).items():
        ET.SubElement(choices, "Choice", value=words, hint=help_of[code])
    if len(field.options) == 1:
        ET.SubElement(choices, "Choice", value=NO_REASON)


def _shown_when(field: FormField, by_name: Mapping[str, FormField]) -> dict[str, str]:
    """Return the attributes that show a field only if it applies; none if Label Studio cannot express the condition."""
    if field.only_if is None:
        return {}
    condition = by_name[field.only_if.field]
    if not isinstance(condition, OneOf | SeveralOf):
        return {}
    words = [words for words, code in codes_by_words(condition).items() if code in field.only_if.codes]
    if any("," in text for text in words):  # Label Studio separates values by commas
        return {}
    return selected(control_of(condition), *words)


def selected(control: str, *values: str) -> dict[str, str]:
    """Return the attributes that show a part if one of these values is chosen."""
    return {"visibleWhen": "choice-selected", "whenTagName": control, "whenChoiceValue": ",".join(values)}


def pictures_config() -> str:
    """Return the config for a project that contains only pictures, the only kind that accepts uploaded files."""
    view = ET.Element("View")
    ET.SubElement(view, "Image", name="image", value="$image")
    only = ET.SubElement(view, "Choices", name="only_pictures", toName="image")
    for value in ("nothing", "to_do"):
        ET.SubElement(only, "Choice", value=value)
    return ET.tostring(view, encoding="unicode")


def guidelines_html(text: str) -> str:
    """Return guidelines as escaped HTML that shows the original Markdown, line by line."""
    return f"<div style='white-space:pre-wrap'>{html.escape(text)}</div>"
