"""Remarks of authors in a question or an option."""

from __future__ import annotations

import pytest

from benchwright.diagnostics.wording.authors_notes import authors_note


@pytest.mark.parametrize(
    "text",
    [
        "Which bird is it? (AK: pls swap image, license unclear)",
        "Seven [verify w/ Marta]",
        "What is it? NOTE: botanist should double check",
        "need one more wrong answer here",
        "On the rug (kept from v1, maybe drop)",
        "What colour is it? -- JS 12/3: key disputed",
        "What is the boy riding? I'm not happy with this question yet.",
        "What is behind the fence? Reviewer 2: ambiguous",
        "Which meal is shown? *pending translation*",
        "How many wait? -> count again, I get 6",
        "What is shown? @review",
    ],
)
def test_a_remark_of_authors_is_found(text: str) -> None:
    assert authors_note(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Which is it? (Choose one option.)",
        "What does the notice say? (Read carefully.)",
        "Pizza (with cheese)",
        "Summer (1563)",
        "What is the area? (Use π = 3.14.)",
        "Because he wants to double-check the ingredients",
        "He is not sure of the way",
        "What does the reviewer hold?",
        "What is f(x) if g(x) = x - 1?",
        "A mail to anna@example.com",
        "What is missing in the picture?",
    ],
)
def test_what_readers_are_to_know_is_no_remark(text: str) -> None:
    assert authors_note(text) is None
