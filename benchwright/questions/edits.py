"""Edits of an item and the resulting version, in the rounds of a campaign and as errata of a release."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, ValidationError

from benchwright.errors import BenchwrightError
from benchwright.records import Choice, Item, Record

_MAX_TEXT = 10_000
REVISIONS = "revisions"
"""Key of an item's evidence that contains the changes of each revision."""
_PLACED = re.compile(r"<image (\d+)>")
_Text = Annotated[str, Field(min_length=1, max_length=_MAX_TEXT)]


class EditError(BenchwrightError):
    """Edits that do not apply to an item; the message gives the reason."""


class ItemEdits(Record):
    """The changes of a revision; all other parts of the item stay the same.

    Attributes:
        question: The new question; it may place images, as the old one may.
        choices: New texts of choices, by key. Choices that are pictures do not change.
        right: Key of the choice that is now right; the refusal choice's key if nothing in the picture answers the
            question.
        explanation: Why that choice is right.
    """

    question: _Text | None = None
    choices: dict[str, _Text] = Field(default_factory=dict)
    right: str | None = None
    explanation: _Text | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the changes as JSON values."""
        return self.model_dump(mode="json", exclude_defaults=True)


def edits_of(item: Item, document: Mapping[str, Any]) -> ItemEdits:
    """Return edits checked against the item, without parts that change nothing and without surrounding spaces.

    Raises:
        EditError: The document is not edits, or they do not fit the item.
    """
    try:
        edits = ItemEdits.model_validate(_stripped(document))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "edits"
        raise EditError(f"edits of an item: {where[:60]}: {first['msg']}") from None
    texts = {choice.key: choice.text for choice in item.choices}
    for key in edits.choices:
        if texts.get(key) is None:
            raise EditError(f"edits of an item: it has no choice {key[:20]!r} with a text to change")
    if edits.right is not None and edits.right not in texts:
        raise EditError(f"edits of an item: {edits.right[:20]!r} is not among its choices {', '.join(texts)}")
    _check_texts(item, edits)
    return ItemEdits(
        question=_if_other(edits.question, item.question),
        choices={key: text for key, text in sorted(edits.choices.items()) if text != texts[key]},
        right=_if_other(edits.right, item.right_key),
        explanation=_if_other(edits.explanation, item.explanation),
    )


def revised(item: Item, edits: ItemEdits, *, simulated: bool = False) -> Item:
    """Return the next version of an item: same id, next revision, and changed texts marked as written by a person.

    Each change, with old and new value, is added to its evidence under `revisions`.

    Args:
        item: The previous version.
        edits: The changes.
        simulated: Whether a simulated annotator made the edits, so that their texts do not count as a person's; default
            False.

    Raises:
        EditError: The edits change nothing.
    """
    changed = _changed(item, edits)
    if not changed:
        raise EditError("these edits change nothing about the item")
    right = edits.right or item.right_key
    is_declined = right is not None and right == item.refusal
    author = "simulated" if simulated else "person"
    texts = {name: author for name in ("question", "choices", "explanation") if name in changed}
    update: dict[str, Any] = {
        "revision": item.revision + 1,
        "question": edits.question or item.question,
        "choices": tuple(
            Choice(key=choice.key, text=edits.choices[choice.key]) if choice.key in edits.choices else choice
            for choice in item.choices
        ),
        "answer": None if is_declined else right,
        "explanation": edits.explanation or item.explanation,
        "written_by": {**item.written_by, **texts},
        "evidence": {
            **item.evidence,
            REVISIONS: [*item.evidence.get(REVISIONS, ()), {"revision": item.revision + 1, "changed": changed}],
        },
    }
    return Item.model_validate(item.model_copy(update=update).model_dump())


def _changed(item: Item, edits: ItemEdits) -> dict[str, Any]:
    """Return the old and the new value of each part that has changed."""
    changes: dict[str, Any] = {}
    if edits.question is not None:
        changes["question"] = {"from": item.question, "to": edits.question}
    if edits.choices:
        texts = {choice.key: choice.text for choice in item.choices}
        changes["choices"] = {key: {"from": texts[key], "to": text} for key, text in sorted(edits.choices.items())}
    if edits.right is not None:
        changes["right"] = {"from": item.right_key, "to": edits.right}
    if edits.explanation is not None:
        changes["explanation"] = {"from": item.explanation, "to": edits.explanation}
    return changes


def _check_texts(item: Item, edits: ItemEdits) -> None:
    every = [edits.question, edits.explanation, *edits.choices.values()]
    if any("\0" in text for text in every if text is not None):
        raise EditError("edits of an item: a text contains a null character")
    for place in _PLACED.findall(edits.question or ""):
        if not 1 <= int(place[:6]) <= len(item.images):
            raise EditError(f"edits of an item: the question places image {place[:6]}; it has {len(item.images)}")
    texts = [edits.choices.get(choice.key, choice.text) for choice in item.choices if choice.text is not None]
    if edits.choices and len(set(texts)) < len(texts):
        raise EditError("edits of an item: two of its choices would read the same")


def _stripped(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return edits with surrounding spaces removed from all texts; empty texts are kept, to be rejected later."""
    values: dict[str, Any] = {}
    for name, value in document.items():
        if isinstance(value, str):
            values[name] = value.strip()
        elif name == "choices" and isinstance(value, Mapping):
            values[name] = {key: text.strip() if isinstance(text, str) else text for key, text in value.items()}
        else:
            values[name] = value
    return values


def _if_other(new: str | None, old: str | None) -> str | None:
    return None if new == old else new
