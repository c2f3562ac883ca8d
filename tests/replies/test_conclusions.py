"""Conclusions that close a reply, in seventeen languages: pictures named by place, and labels, after both were described.

Facts held here: nearly every conclusion is read, and none as the other option, whether it follows in the paragraph or
stands alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright.replies.answers import read_answer

CONCLUSIONS = json.loads((Path(__file__).parent / "data" / "conclusions.json").read_text(encoding="utf-8"))
SHARE_READ = 0.95
ENGLISH = ("the second image", "the third image")


def replies(language: str) -> Iterator[tuple[str, list[tuple[str, str | None]], str]]:
    """Yield replies with their options and their right letters: options in English, in the language, without words."""
    row = CONCLUSIONS[language]
    for texts, names in (
        (ENGLISH, row["pictures"]),
        (row["pictures"], row["pictures"]),
        ((None, None), ("(A)", "(B)")),
    ):
        body = opened(row["body"].format(S=names[0], T=names[1])).replace(". " + names[0], ". " + opened(names[0]))
        for conclusion in row["conclusions"]:
            for name, letter in zip(names, "AB", strict=True):
                for gap in (" ", "\n\n"):
                    reply = body + gap + opened(conclusion.format(X=name))
                    yield reply, list(zip("AB", texts, strict=True)), letter


def opened(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


@pytest.mark.parametrize("language", CONCLUSIONS)
def test_a_conclusion_that_closes_a_reply_is_read(language: str) -> None:
    readings = [(read_answer(reply, choices).letter, letter, reply) for reply, choices, letter in replies(language)]
    missed = [reply for read, _, reply in readings if read is None]
    assert [reply for read, letter, reply in readings if read not in {None, letter}] == []
    assert len(missed) <= (1 - SHARE_READ) * len(readings), missed
