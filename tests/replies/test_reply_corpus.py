"""The reader on corpora of replies that were written before it read them; `data/README.md` has their conventions.

Facts held here: at least 94 % of the readings are right, and 98 % of those in the manner of real models; hardly any
gives a wrong letter; every case is well formed.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchwright.records import LETTERS
from benchwright.replies.answers import read_answer

DATA = Path(__file__).parent / "data"
CORPORA = {
    "replies.jsonl": 465, "held_out.jsonl": 201, "held_out_again.jsonl": 132,
    "realistic.jsonl": 463, "tricky.jsonl": 206, "tricky_again.jsonl": 117, "tricky_third.jsonl": 93, "tricky_fourth.jsonl": 55, "tricky_fifth.jsonl": 43,
    "misleading.jsonl": 67, "exam.jsonl": 899, "fresh.jsonl": 136,
}  # fmt: skip
"""Files and how many cases each holds."""

SHARE_RIGHT = 0.94
"""The reader guesses nothing, so that hard prose without a statement stays unread: 94.5 % of one corpus are right."""
SHARES_RIGHT = {"realistic.jsonl": 0.98, "exam.jsonl": 0.97, "misleading.jsonl": 0.9}
"""Of replies in the manner of real models more is asked; of those that mislead, that none gives a wrong letter."""
SHARE_OF_WRONG_LETTERS = 0.003


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


@cache
def readings(name: str) -> list[tuple[dict[str, Any], str]]:
    """Return the cases of a corpus, each with the letter that is read, or the state where there is none."""
    found = []
    for case in cases(name):
        reading = read_answer(case["reply"], list(zip(LETTERS, case["choices"], strict=False)))
        found.append((case, reading.letter or reading.state))
    return found


def told(misread: list[tuple[dict[str, Any], str]]) -> str:
    """Return the confusions, and each misread case, for the message of a failure."""
    confusions = Counter((_kind(case["expected"]), _kind(got)) for case, got in misread)
    lines = [f"{expected} read as {got}: {count}" for (expected, got), count in sorted(confusions.items())]
    return "\n".join(
        [*lines, *(f"{case['id']} {case['expected']} read as {got}: {case['reply']!r}" for case, got in misread)]
    )


def _kind(reading: str) -> str:
    return "a letter" if len(reading) == 1 else reading


@pytest.mark.parametrize("name", CORPORA)
def test_nearly_all_of_the_corpus_is_read_as_a_person_reads_it(name: str) -> None:
    found = readings(name)
    misread = [(case, got) for case, got in found if got != case["expected"]]
    print(f"{name}: {len(found) - len(misread)} of {len(found)} right\n{told(misread)}")
    least = SHARES_RIGHT.get(name, SHARE_RIGHT)
    assert 1 - len(misread) / len(found) >= least, told(misread)


@pytest.mark.parametrize("name", CORPORA)
def test_hardly_a_reply_is_read_as_a_letter_that_it_does_not_mean(name: str) -> None:
    found = readings(name)
    wrong = [(case, got) for case, got in found if len(got) == 1 and got != case["expected"]]
    assert len(wrong) / len(found) <= SHARE_OF_WRONG_LETTERS, told(wrong)


@pytest.mark.parametrize("name", CORPORA)
def test_cases_of_the_corpus_are_well_formed_and_none_stands_twice(name: str) -> None:
    found = cases(name)
    assert len(found) == CORPORA[name]
    assert len({case["id"] for case in found}) == len(found)
    assert len({(case["reply"], str(case["choices"])) for case in found}) == len(found)
    for case in found:
        assert case.keys() == {"id", "language", "style", "reply", "choices", "expected", "why"}
        assert case["expected"] in {"miss", "refusal", "error", *LETTERS[: len(case["choices"])]}
