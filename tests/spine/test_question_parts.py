"""Places of pictures in a question: placed or before it, by their names, each at its first mention."""

from __future__ import annotations

import pytest

from benchwright.questions.picture_places import (
    beside_options,
    option_in_words,
    option_pictures,
    placed_pictures,
    question_in_words,
    question_parts,
)
from benchwright.records import Choice, ItemImage

IDS = ("a" * 64, "b" * 64, "c" * 64)


@pytest.mark.parametrize(
    ("text", "pictures", "parts"),
    [
        pytest.param("What is it?", 1, [1, "What is it?"], id="one-picture-comes-first"),
        pytest.param("In <image 1>, what?", 1, ["In ", 1, ", what?"], id="one-placed-has-no-name"),
        pytest.param("And <image 1> in <image 1>", 1, ["And ", 1, " in the image"], id="mentioned-again"),
        pytest.param("<image 2>?", 2, ["Image 1:", 1, "Image 2:", 2, "?"], id="others-first"),
        pytest.param("<image 3>?", 2, ["Image 1:", 1, "Image 2:", 2, "<image 3>?"], id="not-there"),
    ],
)
def test_pictures_stand_where_the_question_places_them_else_before(
    text: str, pictures: int, parts: list[str | int]
) -> None:
    assert question_parts(text, pictures) == parts


def test_pictures_beside_options_are_left_to_them_unless_placed() -> None:
    assert question_parts("Which fits?", 3, later={2, 3}) == ["Image 1:", 1, "Which fits?"]
    assert question_parts("<image 3>?", 3, later={2, 3}) == ["Image 1:", 1, "Image 3:", 3, "?"]


def test_in_words_pictures_have_their_names() -> None:
    assert question_in_words("<image 2> or <image 1> or <image 9>?", 2) == "Image 2 or Image 1 or <image 9>?"
    assert question_in_words("<image 1>?", 1) == "the image?"
    assert placed_pictures("<image 2> <image 9>", 2) == {2}


def test_an_option_that_is_a_picture_has_the_number_of_its_first_place() -> None:
    images = [ItemImage(image_id=image_id, role="view") for image_id in (IDS[0], IDS[1], IDS[1])]
    choices = (Choice(key="A", image_id=IDS[1]), Choice(key="B", text="Image 1"), Choice(key="C", image_id=IDS[2]))
    numbers = option_pictures(choices, images)
    assert numbers == {"A": 2}
    assert beside_options(choices, images) == {2, 3}
    assert [option_in_words(choice, numbers) for choice in choices[:2]] == ["Image 2", "Image 1"]
