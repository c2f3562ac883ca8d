"""A campaign's form as Label Studio's label config: what its annotators see, and what they can say.

Texts of items reach it as data of `Text` tags, which show them as they are; only images, choices and guidelines are
rendered. Names of the controls are what `replies` reads back.
"""

from __future__ import annotations

import html
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.errors import BenchwrightError

from ..forms.form import Form, FormField, Lines, OneChoice, OneOf, PhotographField, SeveralOf, TextField, form_of
from ..store import CHOICES
from ..store.submissions.pre_key_answers import ANSWER as ANSWER_FIELD
from ..store.submissions.pre_key_answers import BLIND_FIRST
from .editing import add_edit_fields

DECISION, REASON, NOTE, ANSWER = "decision", "reason", "note", "answer"
EDITING, AS_IT_IS, TO_BE_EDITED = "editing", "Leave the item as it is", "Edit the item"
"""Where no decision says that an item is to be revised, this does."""
NO_REASON = "no reason"
"""Beside a lone reason: Label Studio refuses a single choice. It says nothing."""
REVISE = "revise"
_HOTKEYS = {"accept": "y", "revise": "v", "reject": "x"}
"""As in the review app: no letter that options have."""


def label_config(form: Mapping[str, Any], *, letters: Sequence[str] = (), votes: bool = False) -> str:
    """Return the config of a campaign's form, as XML.

    Args:
        form: Of the campaign. One that asks for an answer first has two configs: that of the answer, and that of the
            votes.
        letters: Keys of choices that its items have, for the fields of edits.
        votes: The config of what is said once the key is shown.

    Raises:
        BenchwrightError: The form asks for photographs, which a form in Label Studio cannot take.
    """
    view = ET.Element("View")
    if form.get("guidelines"):
        panel = ET.SubElement(ET.SubElement(view, "Collapse"), "Panel", value="Guidelines")
        ET.SubElement(panel, "HyperText", name="guidelines", value="$guidelines", inline="true")
    columns = ET.SubElement(view, "View", style="display:grid;grid-template-columns:3fr 2fr;gap:16px")
    shown = ET.SubElement(columns, "View", style="min-width:0")
    ET.SubElement(shown, "Image", name="images", valueList="$images", zoom="true", zoomControl="true")
    asked = ET.SubElement(columns, "View", style="min-width:0")
    ET.SubElement(asked, "Text", name="question", value="$question", valueType="text")
    if is_answered_blind(form, votes=votes):
        _answer(asked)
    elif votes:
        _votes(asked, form, letters)
    elif (typed := form_of(form)) is not None:
        _typed(asked, typed)
    else:
        _verdict(asked, form, letters)
    return ET.tostring(view, encoding="unicode")


def is_answered_blind(form: Mapping[str, Any], *, votes: bool) -> bool:
    """Return whether a project asks for nothing but the answer, without the key."""
    return form.get("decisions_from") == CHOICES or (bool(form.get(BLIND_FIRST)) and not votes)


def voted_on(form: Mapping[str, Any]) -> Form:
    """Return the part of a form that is filled in once the key is shown."""
    typed = form_of(form)
    assert typed is not None  # forms that ask for an answer first have fields
    return Form(fields=tuple(field for field in typed.fields if field.name != ANSWER_FIELD))


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


def _votes(view: ET.Element, form: Mapping[str, Any], letters: Sequence[str]) -> None:
    """Add what is asked of those who have answered: their votes, and edits."""
    ET.SubElement(view, "Text", name="reviewers", value="$reviewers", valueType="text")
    _typed(view, voted_on(form))
    if form.get("edits"):
        editing = ET.SubElement(view, "Choices", name=EDITING, toName="question", choice="single-radio")
        for value in (AS_IT_IS, TO_BE_EDITED):
            ET.SubElement(editing, "Choice", value=value)
        add_edit_fields(view, letters, shown_when=selected(EDITING, TO_BE_EDITED), with_explanation=True)


def _verdict(view: ET.Element, form: Mapping[str, Any], letters: Sequence[str]) -> None:
    ET.SubElement(view, "Text", name="choices", value="$choices", valueType="text")
    decisions = form["decisions"]
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
    if reasons := form.get("reasons"):
        ET.SubElement(view, "Header", value="Reasons", size="5")
        given = ET.SubElement(view, "Choices", name=REASON, toName="question", choice="multiple", showInline="true")
        for reason in reasons if len(reasons) > 1 else [*reasons, NO_REASON]:
            ET.SubElement(given, "Choice", value=reason)
    if form.get("edits") and letters:
        add_edit_fields(view, letters, shown_when=selected(DECISION, REVISE), with_explanation=False)
    needed = ", ".join(form.get("needs_note", ())) + (" without edits" if form.get("edits") else "")
    ET.SubElement(
        view,
        "TextArea",
        name=NOTE,
        toName="question",
        rows="2",
        maxSubmissions="1",
        editable="true",
        placeholder=f"Note (needed for: {needed})" if form.get("needs_note") else "Note",
    )


def plain(text: str) -> str:
    """Return a text in which Label Studio looks for no field of the task's data."""
    return text.replace("$", "\N{FULLWIDTH DOLLAR SIGN}")


def control_of(field: FormField) -> str:
    """Return what the control of a typed form's field is called: no name of another part of the config."""
    return f"field_{field.name}"


def codes_by_words(field: OneOf | SeveralOf) -> dict[str, str]:
    """Return the codes of a field's options by what people choose: their words, unless two read the same."""
    words = [plain(option.words) for option in field.options]
    return {
        plain(option.words) if words.count(plain(option.words)) == 1 else option.code: option.code
        for option in field.options
    }


def _typed(view: ET.Element, form: Form) -> None:
    """Add a typed form: its fields in their order, each under its label."""
    ET.SubElement(view, "Text", name="choices", value="$choices", valueType="text")
    ET.SubElement(view, "Text", name="beside", value="$beside", valueType="text")
    add_fields(view, form, of="question")


def add_fields(view: ET.Element, form: Form, *, of: str) -> None:
    """Add the fields of a typed form, each under its label and shown where it applies.

    Args:
        view: Where they go.
        form: The form.
        of: Name of the object that they are said of.

    Raises:
        BenchwrightError: A field is one that Label Studio does not have.
    """
    by_name = {field.name: field for field in form.fields}
    for field in form.fields:
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
    """Return the attributes that show a field only where it applies, if Label Studio can be told so."""
    if field.only_if is None:
        return {}
    other = by_name[field.only_if.field]
    if not isinstance(other, OneOf | SeveralOf):
        return {}
    words = [words for words, code in codes_by_words(other).items() if code in field.only_if.codes]
    if any("," in one for one in words):  # it parts them by commas
        return {}
    return selected(control_of(other), *words)


def selected(control: str, *values: str) -> dict[str, str]:
    """Return the attributes that show a part where one of these values is chosen."""
    return {"visibleWhen": "choice-selected", "whenTagName": control, "whenChoiceValue": ",".join(values)}


def pictures_config() -> str:
    """Return the config of a project that only holds uploaded pictures: no other project takes uploads as they are."""
    view = ET.Element("View")
    ET.SubElement(view, "Image", name="image", value="$image")
    only = ET.SubElement(view, "Choices", name="only_pictures", toName="image")
    for value in ("nothing", "to_do"):
        ET.SubElement(only, "Choice", value=value)
    return ET.tostring(view, encoding="unicode")


def guidelines_html(text: str) -> str:
    """Return guidelines as harmless HTML: Markdown stays as it was written, line by line."""
    return f"<div style='white-space:pre-wrap'>{html.escape(text)}</div>"
