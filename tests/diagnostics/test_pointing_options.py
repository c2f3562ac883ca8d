"""Options that refer to others are found by letter and by position, in several languages; labels are not."""

from __future__ import annotations

import pytest
from worded_items import item

from benchwright.diagnostics.wording.option_order import may_reorder
from benchwright.diagnostics.wording.pointing_options import PointingOption, pointing_options
from benchwright.records import Item

QUESTION = "What lies on the shelf?"


def _item(*options: str, question: str = QUESTION) -> Item:
    return item("1", question, options, "A")


def _pointing(text: str, *others: str) -> PointingOption | None:
    """Return what is found of a text that stands second of four options."""
    first, *rest = others or ("a vase", "a jug", "a bowl")
    found = [option for option in pointing_options(_item(first, text, *rest)) if option.key == "B"]
    return found[0] if found else None


@pytest.mark.parametrize(
    "text",
    [
        "Either A or D", "C & D together", "(A) and (C) only", "A, C and D are all right", "See choice D",
        "Identical to option A", "All except C", "Somewhere between A and D", "D, but smaller",
        "Weder A noch C", "Nur Antwort D", "Das Gegenteil von A", "Entweder A oder D",
        "À la fois A et C", "Les réponses C et D sont correctes", "Le contraire de A", "Ni A ni D",
        "Las opciones A y D", "Lo contrario de C", "Sia A che D", "Tanto A quanto D", "Zowel A en D",
        "A、C都对", "选项C和D", "与选项D相反", "AとC",
        "The option below is right", "The first answer", "La opción anterior", "Die vorige Antwort",
    ],
)  # fmt: skip
def test_an_option_that_names_others_by_letter_or_neighbour_holds_in_one_order_only(text: str) -> None:
    found = _pointing(text)
    assert found is not None
    assert found.by_letter


@pytest.mark.parametrize(
    "text",
    [
        "All the options given above", "Neither of the previous answers", "Nothing of the above", "Any of the above",
        "Keine der vorstehenden Antworten", "Alle obigen", "Aucune des réponses précédentes",
        "Toutes les propositions ci-dessus", "Ninguna de las opciones anteriores", "Nessuna delle precedenti",
        "Nenhuma das anteriores", "Geen van bovenstaande", "以上答案都不正确", "上述全部正确", "上記のすべて",
    ],
)  # fmt: skip
def test_what_stands_for_the_options_above_is_wrong_before_others(text: str) -> None:
    found = _pointing(text)
    assert found is not None
    assert "2 options are below it" in found.fault
    assert not found.is_vague
    last = pointing_options(_item("a vase", "a jug", text))
    assert [option.fault for option in last] == [""]


@pytest.mark.parametrize("text", ["Any of these", "None of those mentioned", "Keine der genannten"])
def test_these_before_other_options_is_vague(text: str) -> None:
    found = _pointing(text)
    assert found is not None
    assert found.is_vague
    assert pointing_options(_item("a vase", "a jug", text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "Above", "The one above", "Below it", "First", "A choice", "Vitamin C", "Plan B", "A and a half", "Neither",
        "None", "All", "Both of them", "Oben", "Dessus", "Only", "以上", "上面", "I and J", "The same", "The last one",
        "None of the others", "A listed building", "The given name",
    ],
)  # fmt: skip
def test_what_says_something_of_its_own_points_at_nothing(text: str) -> None:
    assert _pointing(text) is None


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Which of the points B and D are on the circle?", ("None", "B and D", "The centre", "It has none")),
        ("Which lamp is lit?", ("A", "Both A and B", "B", "It is dark")),
        ("Which tap drips?", ("Tap A", "A and B", "Tap B", "It is dry")),
        ("Who wins?", ("Team A wins.", "A and B", "Nobody does", "It rains")),
    ],
)
def test_letters_that_are_names_in_the_picture_point_at_nothing(question: str, options: tuple[str, ...]) -> None:
    assert pointing_options(_item(*options, question=question)) == []


def test_options_that_point_at_others_in_another_language_keep_their_order() -> None:
    assert not may_reorder(_item("ein Krug", "eine Vase", "ein Topf", "Keine der obigen Antworten"))
    assert may_reorder(_item("ein Krug", "eine Vase", "ein Topf", "Keines davon"))
