"""Edits of items in tables that people fill in: three columns, empty where nothing is to change.

A fourth says which version of an item a row is about: an item that was revised meanwhile is another question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from benchwright.errors import BenchwrightError

from ..store import Campaign, RefusedError

VERSION = "version"
EDIT_COLUMNS = ("new_question", "new_choices", "new_right")
_CHOICE = re.compile(r"\s*([A-Z])\s*:\s*(.*?)\s*", re.S)


def edit_columns_of(campaign: Campaign) -> tuple[str, ...]:
    """Return the columns for edits that a campaign's table has, and that of the version."""
    return (*EDIT_COLUMNS, VERSION) if campaign.form.edits else ()


def check_by_table(campaign: Campaign) -> None:
    """Refuse a campaign that shows the key only after the answer: a table cannot hold it back until then.

    Raises:
        BenchwrightError: It is such a campaign.
    """
    if campaign.form.blind_first:
        raise BenchwrightError(
            f"campaign {campaign.name!r} shows the key once an answer is stored, which no table can; open it "
            "with `benchwright review serve`, or send it to Label Studio"
        )


def version_of(content_hash: str) -> str:
    """Return how a table calls a content of an item."""
    return content_hash[:12]


def edits_in_row(values: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the edits in a row of a table; None where it has none.

    `new_choices` holds those that change, spelled as in the column `choices`: `B: a red cup | D: a blue one`.

    Raises:
        RefusedError: The choices are spelled otherwise.
    """
    found: dict[str, Any] = {}
    if question := values.get("new_question", ""):
        found["question"] = question
    if right := values.get("new_right", ""):
        found["right"] = right.upper()
    if choices := values.get("new_choices", ""):
        found["choices"] = {}
        for part in choices.split(" | "):
            match = _CHOICE.fullmatch(part)
            if match is None or match[1] in found["choices"]:
                raise RefusedError(
                    f"new_choices {ascii(part)[:60]}: spell choices as `A: text`, each once, parted by ` | `"
                )
            found["choices"][match[1]] = match[2]
    return found or None
