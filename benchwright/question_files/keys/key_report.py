"""Reports on the reading of keys and on the counts of rows, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchwright.texts.normalization import counted

from .key_reading import READING_WORDS

_FILES = 3
_EXAMPLES = 5
_FEW_FILES = 20
"""Largest number of files that are each listed on a separate line."""


def key_summaries(tables: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return one line on the reading of keys for each group of files with the same reading (`KeyTable.document`)."""
    lines = []
    for table in tables:
        reading = table["reading"]
        how = "none names an option" if reading is None else f"read as {READING_WORDS[reading]}"
        stated = ", as stated" if table["is_stated"] else ""
        lines.append(f"keys of {_named(table['files'])} ({table['origin']}): {how}{stated}")
    return lines


def key_lines(tables: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a table for each group of files with the same reading (`KeyTable.document`)."""
    lines = []
    for table, summary in zip(tables, key_summaries(tables), strict=True):
        lines.append(summary)
        for fit in table["readings"]:
            spread = ", ".join(f"{letter} {n / fit['valid']:.0%}" for letter, n in fit["spread"].items())
            other = f"; option differs from the chosen reading's: {fit['differing']:,}" if fit["differing"] else ""
            valid = f"{fit['valid']:,} of {counted(table['keys'], 'key')}"
            lines.append(f"  {READING_WORDS[fit['reading']]}: {valid}{other}; {spread}")
        if table["in_words"]:
            lines.append(f"  {counted(table['in_words'], 'key')} in words, read as the text of an option")
        if table["other_reading"]:
            number = counted(table["other_reading"], "key")
            lines.append(f"  {number} valid under another reading only: left out, other_reading")
        if not table["is_stated"]:
            lines += [f"  {_example(example)}" for example in table["differing"][:_EXAMPLES]]
    return lines


def _named(files: Sequence[str]) -> str:
    more = f" and {len(files) - _FILES:,} more" if len(files) > _FILES else ""
    return ", ".join(files[:_FILES]) + more


def _example(example: Mapping[str, Any]) -> str:
    which = ", ".join(f"{option} as {READING_WORDS[reading]}" for reading, option in example["options"].items())
    named = f" ({example['source_id']})" if example["source_id"] != example["entry"] else ""
    return f"readings differ: {example['file']}, {example['entry']}{named}: key {example['key']!r} is {which}"


def row_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the counts of rows by outcome: in total, and for each file if there are few files."""
    if not rows:
        return []
    lines = [f"{counted(sum(row['read'] for row in rows), 'row')} read = {_sum(rows)}"]
    if 1 < len(rows) <= _FEW_FILES:
        lines += [f"  {row['file']}: {row['read']:,} = {_sum([row])}" for row in rows]
    return lines


def _sum(rows: Sequence[Mapping[str, Any]]) -> str:
    items = counted(sum(row["items"] for row in rows), "item")
    no_item, left_out = (_by_reason(summed(row[kind] for row in rows)) for kind in ("no_item", "left_out"))
    number, reasons = no_item
    questions = f"{counted(number, 'question')} that {'is not an item' if number == 1 else 'are not items'}{reasons}"
    return f"{items} + {questions} + {left_out[0]:,} left out{left_out[1]}"


def _by_reason(numbers: Mapping[str, int]) -> tuple[int, str]:
    """Return a total, followed by the number for each reason in parentheses."""
    reasons = ", ".join(f"{reason} {number:,}" for reason, number in numbers.items())
    return sum(numbers.values()), f" ({reasons})" if reasons else ""


def summed(numbers: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return the sum of numbers by reason, sorted by reason."""
    total: Counter[str] = Counter()
    for each in numbers:
        total.update(each)
    return dict(sorted(total.items()))
