"""Edits of an item in Label Studio, with its texts in prefilled text areas and the right choice.

A text that comes back unchanged is not an edit. Label Studio returns a prefilled text area as soon as it was on the
screen, and nothing for an emptied one. So if some text areas of an item are returned, a missing one is empty.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchwright.errors import DataError
from benchwright.texts.normalization import counted

from ..forms.payloads import item_in
from ..forms.task_content import TaskContent, content_in
from ..store.database.records import Task

QUESTION, EXPLANATION, _RIGHT = "edit_question", "edit_explanation", "edit_right"
"""Names of controls; the first two are also the names of text fields in a task's data."""
_CHOICE = "edit_choice_"
KEYS = "edit_keys"
"""Field of a task's data that contains the choices offered by `_RIGHT`."""


def letters_of(tasks: Iterable[Task]) -> tuple[str, ...]:
    """Return the keys of the choices in all items of these tasks, sorted."""
    return tuple(sorted({choice["key"] for task in tasks for choice in item_in(task.payload).get("choices", ())}))


def add_edit_fields(
    view: ET.Element, letters: Sequence[str], *, shown_when: Mapping[str, str], with_explanation: bool
) -> None:
    """Add the fields for edits to a config; they are shown only after a certain choice."""
    part = ET.SubElement(view, "View", dict(shown_when))
    ET.SubElement(part, "Header", value="Edit the item; unchanged parts are not edits", size="4")
    areas = {QUESTION: "Question", **{_CHOICE + letter: f"Choice {letter}" for letter in letters}}
    if with_explanation:
        areas[EXPLANATION] = "Explanation"
    for name, label in areas.items():
        ET.SubElement(part, "Header", value=label, size="5")
        ET.SubElement(
            part,
            "TextArea",
            name=name,
            toName="question",
            value=f"${name}",
            rows="2",
            maxSubmissions="1",
            editable="true",
        )
    ET.SubElement(part, "Header", value="New right option (leave open if unchanged)", size="5")
    ET.SubElement(part, "Choices", name=_RIGHT, toName="question", value=f"${KEYS}", choice="single-radio")


def edit_data(payload: Mapping[str, Any], letters: Sequence[str], *, with_explanation: bool) -> dict[str, Any]:
    """Return the data that the edit fields of a task need; choices without text have empty text areas."""
    item = content_in(payload)
    texts = _texts(item)
    areas = [QUESTION, *(_CHOICE + letter for letter in letters), *([EXPLANATION] if with_explanation else [])]
    return {
        **{name: texts.get(name, "") for name in areas},
        KEYS: [{"value": choice.key} for choice in item.choices],
    }


def take_edits(
    values: dict[str, list[str]], payload: Mapping[str, Any], *, is_shown: bool, with_explanation: bool
) -> dict[str, Any] | None:
    """Remove the edits from an annotation, and return them as the app would send them; None if there are no edits.

    Args:
        values: Values of the annotation by control, from which the edits are removed.
        payload: Payload of the task.
        is_shown: Whether the annotator saw the fields, so that a missing one was emptied.
        with_explanation: Whether the explanation was editable.

    Raises:
        DataError: A field has several values, or was emptied.
    """
    names = [name for name in values if name in {QUESTION, _RIGHT} or name.startswith(_CHOICE)]
    names += [EXPLANATION] if with_explanation and EXPLANATION in values else []
    texts = {name: _single_value(name, values.pop(name)) for name in names}
    was = _texts(content_in(payload))
    right = texts.pop(_RIGHT, None)
    if is_shown and texts:
        texts = {name: "" for name in was if name != EXPLANATION or with_explanation} | texts
    changed = {name: text for name, text in texts.items() if _normal(text) != _normal(was.get(name, ""))}
    for name, text in changed.items():
        if not text.strip() and name in was:
            raise DataError(f"{_words(name)} is empty; write it again, or leave it as it was")
    edits: dict[str, Any] = {
        name.removeprefix("edit_"): changed[name] for name in (QUESTION, EXPLANATION) if name in changed
    }
    if choices := {name.removeprefix(_CHOICE): text for name, text in changed.items() if name.startswith(_CHOICE)}:
        edits["choices"] = choices
    if right is not None:
        edits["right"] = right
    return edits or None


def _texts(item: TaskContent) -> dict[str, str]:
    """Return the editable texts of an item, by control."""
    texts = {QUESTION: item.question}
    texts |= {_CHOICE + choice.key: choice.text for choice in item.choices if choice.text is not None}
    return texts if item.explanation is None else {**texts, EXPLANATION: item.explanation}


def _normal(text: str) -> str:
    """Return a text with normalized line ends and without surrounding spaces, as browsers return it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _words(name: str) -> str:
    return f"choice {name.removeprefix(_CHOICE)}" if name.startswith(_CHOICE) else f"the {name.removeprefix('edit_')}"


def _single_value(name: str, values: Sequence[str]) -> str:
    if len(values) != 1:
        raise DataError(f"it gives {_words(name)} {counted(len(values), 'time')}; give it once")
    return values[0]
