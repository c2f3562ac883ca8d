"""A message contains every picture once, names each, and reveals nothing that a model must not know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchwright.evaluation.prompting.prompts import vanilla
from benchwright.evaluation.prompting.question import QuestionImage, Reply, question_of

SHADES = [np.full((4 + k, 6 + 2 * k, 3), 40 * k, dtype=np.uint8) for k in range(4)]


def spelt(bench: Any, tmp_path: Path, **item: Any) -> list[str]:
    """Return an item's message with each picture as <n>, its number in the item."""
    bench.add(**item)
    (released,) = bench.release(tmp_path / "release").items()
    question = question_of(released)
    number = {picture.image_id: k for k, picture in enumerate(question.pictures, start=1)}
    return [f"<{number[part.image_id]}>" if isinstance(part, QuestionImage) else part for part in vanilla(question)]


LAST = "Reply with the letter of the right option, in parentheses, and nothing else."


def test_one_picture_comes_first_and_needs_no_name(bench: Any, tmp_path: Path) -> None:
    message = spelt(bench, tmp_path, question="What is it?", options=("cat", "dog"))
    assert message == ["<1>", f"What is it?\n(A) cat\n(B) dog\n{LAST}"]


def test_several_pictures_follow_their_names(bench: Any, tmp_path: Path) -> None:
    message = spelt(bench, tmp_path, question="Same place?", pictures=SHADES[:2], options=("yes", "no"))
    assert message == ["Image 1:", "<1>", "Image 2:", "<2>", f"Same place?\n(A) yes\n(B) no\n{LAST}"]


def test_a_picture_that_is_an_option_stands_behind_its_letter(bench: Any, tmp_path: Path) -> None:
    message = spelt(bench, tmp_path, question="Which fits?", pictures=SHADES[:3], options=(2, 1))
    assert message == ["Image 1:", "<1>", "Which fits?\n(A) Image 3:", "<3>", "(B) Image 2:", "<2>", LAST]


def test_a_placed_picture_stands_where_the_question_names_it_first(bench: Any, tmp_path: Path) -> None:
    message = spelt(
        bench,
        tmp_path,
        pictures=SHADES[:3],
        options=("yes", "no"),
        question="Is <image 3> like <image 1>? Look at <image 3> again.",
    )
    assert message == [
        "Image 2:",
        "<2>",
        "Is Image 3:",
        "<3>",
        "like Image 1:",
        "<1>",
        f"? Look at Image 3 again.\n(A) yes\n(B) no\n{LAST}",
    ]


def test_a_placed_picture_that_is_an_option_is_only_named_there(bench: Any, tmp_path: Path) -> None:
    message = spelt(
        bench, tmp_path, pictures=SHADES[:2], options=(0, 1), question="<image 1> or <image 2>?", answer="A"
    )
    assert message == ["Image 1:", "<1>", "or Image 2:", "<2>", f"?\n(A) Image 1\n(B) Image 2\n{LAST}"]


def test_a_single_placed_picture_has_no_name(bench: Any, tmp_path: Path) -> None:
    message = spelt(bench, tmp_path, question="In <image 1>, what is left? <image 1>", options=("cat", "dog"))
    assert message == ["In", "<1>", f", what is left? the image\n(A) cat\n(B) dog\n{LAST}"]


def test_a_place_for_a_picture_that_is_not_there_stays_as_words(bench: Any, tmp_path: Path) -> None:
    message = spelt(bench, tmp_path, question="What does <image 9> say?", options=("cat", "dog"))
    assert message == ["<1>", f"What does <image 9> say?\n(A) cat\n(B) dog\n{LAST}"]


def test_a_question_holds_neither_answer_nor_evidence(bench: Any, tmp_path: Path) -> None:
    bench.add(answer="C")
    (released,) = bench.release(tmp_path / "release").items()
    question = question_of(released)
    assert {name for name in dir(question) if not name.startswith("_")} == {
        "item_id",
        "task",
        "text",
        "pictures",
        "choices",
        "message",
        "picture_of",
        "content",
        "draw",
    }
    assert question.content().keys() == {"task", "text", "pictures", "choices", "message"}


@pytest.mark.parametrize("both", [{}, {"text": "A", "error": "none"}])
def test_a_reply_is_a_text_or_an_error(both: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="either a text or an error"):
        Reply("0" * 32, **both)
