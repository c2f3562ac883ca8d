"""Columns for edits of items in tables that annotators fill in, which stay empty if nothing changes.

A fourth column names the version of the item in a row, since a revised item is a different question.
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
    """Return the columns for edits and the version in a campaign's table; none if the campaign accepts no edits.

    The explanation can be edited if annotators judge it after the key is shown and the form allows edits of it.
    """
    if not campaign.form.edits:
        return ()
    explanation = (NEW_EXPLANATION,) if campaign.form.blind_first or campaign.form.explained else ()
    return (*_EDIT_COLUMNS, *explanation, VERSION)


def version_of(content_hash: str) -> str:
    """Return the version of an item as stated in tables: the first 12 digits of the content hash."""
    return content_hash[:12]


def edits_in_row(values: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the edits in a row of a table, or None if there are none.

    `new_choices` contains the changed choices, written as in the column `choices`: `B: a red cup | D: a blue one`.

    Raises:
        RefusedError: The choices are not written in this form.
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
