"""Columns for edits of items in tables that annotators fill in, empty without changes.

A fourth column names a row's version of the item, since a revised item is another question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..store.database.records import Campaign, RefusedError

VERSION = "version"
_EDIT_COLUMNS = ("new_question", "new_choices", "new_right")
NEW_EXPLANATION = "new_explanation"
_CHOICE = re.compile(r"\s*([A-Z])\s*:\s*(.*?)\s*", re.S)


def edit_columns_of(campaign: Campaign) -> tuple[str, ...]:
    """Return the columns for edits and for the version in a campaign's table; none if it accepts no edits.

    The explanation can be edited if annotators judge it, once the key is shown, and if the form allows it.
    """
    if not campaign.form.edits:
        return ()
    explanation = (NEW_EXPLANATION,) if campaign.form.blind_first or campaign.form.explained else ()
    return (*_EDIT_COLUMNS, *explanation, VERSION)


def version_of(content_hash: str) -> str:
    """Return the version of an item as tables state it: the first 12 digits of its content hash."""
    return content_hash[:12]


def edits_in_row(values: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the edits in a row of a table; None without any.

    `new_choices` holds the changed choices, written as in the column `choices`: `B: a red cup | D: a blue one`.

    Raises:
        RefusedError: The choices are written differently.
    """
    edits: dict[str, Any] = {}
    if question := values.get("new_question", ""):
        edits["question"] = question
    if right := values.get("new_right", ""):
        edits["right"] = right.upper()
    if explanation := values.get(NEW_EXPLANATION, ""):
        edits["explanation"] = explanation
    if choices := values.get("new_choices", ""):
        edits["choices"] = {}
        for part in choices.split(" | "):
            match = _CHOICE.fullmatch(part)
            if match is None or match[1] in edits["choices"]:
                raise RefusedError(
                    f"new_choices {ascii(part)[:60]}: write choices as `A: text`, each once, separated by ` | `"
                )
            edits["choices"][match[1]] = match[2]
    return edits or None
