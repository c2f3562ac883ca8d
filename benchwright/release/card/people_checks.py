"""The card's account of how each campaign checked its annotators, from the agreement report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchwright.texts.normalization import counted

from .markdown import code, table

_CHECKED = "checked"
_MOST_PEOPLE = 200


def checks(agreement: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return paragraphs about how each campaign checked its annotators; there are none for a campaign whose report does
    not cover its checks.

    Args:
        agreement: Summary of each campaign, by name, as the release states it.
    """
    return [
        _of_campaign(name, summary[_CHECKED])
        for name, summary in sorted(agreement.items())
        if isinstance(summary.get(_CHECKED), Mapping)
    ]


def _of_campaign(name: str, checked: Mapping[str, Any]) -> str:
    known, right, aside = (_count(checked.get(key)) for key in ("known", "right", "set_aside"))
    words = (
        f"How the annotators of {code(name)} were checked: {right} of {counted(known, 'answer')} to items with "
        f"known answers, and to checks that questions are read, were right. The votes of "
        f"{counted(aside, 'person', 'people')} were set aside and do not count."
    )
    listed = checked.get("care")
    people = [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
    if not people:
        return words
    rows = [
        [f"{_share(each.get('low'))} to {_share(each.get('high'))}", str(_count(each.get("known")))]
        for each in people[:_MOST_PEOPLE]
    ]
    more = len(people) - _MOST_PEOPLE
    rest = f"\n\n{more} more people are left out here." if more > 0 else ""
    below = table(["decided with care (90 % interval)", "known answers given"], rows)
    why = (
        "Annotators whose votes count, as estimated from these answers, their pace and their agreement with the others:"
    )
    return f"{words}\n\n{why}\n\n{below}{rest}"


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else 0


def _share(value: object) -> str:
    is_share = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return f"{value:.0%}" if is_share else "not stated"
