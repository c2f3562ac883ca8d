"""The papers' readers read as their repositories do, mistakes included.

Facts held here: MVP-Bench cuts at the first full stop and comma; BLINK counts white-space tokens that are exactly a
choice, the last paragraph first; II-Bench takes the letter named most often, the last among equals.
"""

from __future__ import annotations

import pytest

from benchwright.evaluation.protocols.ii_bench_prompts import prompt
from benchwright.replies.readers import READERS
from benchwright.replies.readers.blink import settled_choice
from benchwright.replies.readers.ii_bench import option_label
from benchwright.replies.readers.mvp_bench import first_clause, holds, yes_or_no

PETS = [("A", "a cat"), ("B", "a dog"), ("C", "a parrot")]


@pytest.mark.parametrize(
    ("reply", "clause"),
    [("B. a dog", "B"), ("No, none. Yes.", "No"), (" B ", "B"), ("B a dog", "B a dog"), ("", ""), ("...", ""), ("(B)", "(B)")],
)  # fmt: skip
def test_mvp_bench_takes_what_stands_before_the_first_stop_and_comma(reply: str, clause: str) -> None:
    assert first_clause(reply) == clause


@pytest.mark.parametrize(("reply", "word"), [("YES.", "yes"), ("no, it is", "no"), ("No it is not", None), ("", None)])
def test_mvp_bench_reads_yes_and_no_in_any_case_and_nothing_else(reply: str, word: str | None) -> None:
    assert yes_or_no(reply) == word


def test_table_5_of_mvp_bench_finds_the_word_inside_other_words() -> None:
    assert holds("I do NOT know", "no")
    assert not holds("I do so", "no")


@pytest.mark.parametrize(
    ("output", "choice"),
    [
        ("B", "(B)"), ("(B)", "(B)"), ("b", None), ("B ", None), ("It is (B) here", "(B)"), ("It is (B).", None),
        ("(A) or (B)", None), ("(A) is dark\n(B) is not\n\nSo (B) it is", "(B)"), ("(A)\n\nSo it is", "(A)"),
        ("(A) or\n\n(B) or (C)", None), ("(D) is no choice", None), ("(B) yes, (B) indeed", "(B)"), ("", None),
        ("(A)\n  \nfirst\n\n(C) last", "(C)"),
    ],
)  # fmt: skip
def test_blink_settles_a_choice_or_leaves_it_to_its_judge(output: str, choice: str | None) -> None:
    assert settled_choice(output, "ABC") == choice


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("(B)", "B"), ("B", "B"), ("A picture (B)", "B"), ("A picture of B", "B"), ("B then A", "A"),
        ("(A) (B) (A) (B)", "B"), ("(A) (B) (A)", "A"), ("The dog, a dog", "B"), ("a cat or a dog", "B"), ("cat", "A"),
        ("G", None), ("", None), ("who knows", None), ("BOB", None),
    ],
)  # fmt: skip
def test_ii_bench_takes_the_letter_named_most_often_and_the_last_of_equals(response: str, letter: str | None) -> None:
    assert option_label(response, [text for _, text in PETS]) == letter


@pytest.mark.parametrize(
    ("reader", "letters"),
    [
        ("robust", ["B", "B", None, "C", "B"]),
        ("mvp-bench", ["B", None, None, None, None]),
        ("blink", [None, "B", None, None, None]),
        ("ii-bench", ["B", "B", "A", "C", "B"]),
    ],
)
def test_readers_can_be_chosen_by_name(reader: str, letters: list[str | None]) -> None:
    replies = ["B. a dog", "So it is (B)", "Hmm. A bird!", "a parrot", "The answer is (B)."]
    assert [READERS[reader](reply, PETS) for reply in replies] == letters


@pytest.mark.parametrize("reader", READERS)
def test_a_letter_that_is_not_offered_is_none_whoever_reads_it(reader: str) -> None:
    assert READERS[reader]("E", PETS) is None


def test_the_prompt_of_ii_bench_needs_six_options_and_labels_where_it_tells_them() -> None:
    six = ["x"] * 6
    assert prompt("rhetoric", "Why?", six, ["Contrast", "Symbolism"]).split("\n")[1:3] == [
        "Key words: Contrast,Symbolism",
        "Question: Why?",
    ]
    for mode, options, labels, words in (
        ("none", six[:5], [], "6 options, not 5"),
        ("domain", six, [], "needs the question's labels"),
        ("cot", six, ["Life"], "reveals no labels"),
    ):
        with pytest.raises(ValueError, match=words):
            prompt(mode, "Why?", options, labels)  # type: ignore[arg-type]
