"""Texts, hints, alternative texts and names that state the right option are found; those that only seem to are not."""

from __future__ import annotations

import pytest
from worded_items import item

from benchwright.diagnostics.item_faults.fault_rules import ItemFacts, ItemPicture
from benchwright.diagnostics.item_faults.rules import faults_of_item, faults_of_set

TREES = ("an oak", "a birch", "a larch", "a yew")


def _facts(question: str = "Which tree is it?", *, own_id: str = "7", name: str = "7.png", **more: object) -> ItemFacts:
    return ItemFacts(item(own_id, question, TREES, "C", **more), own_id, (ItemPicture(name),))  # type: ignore[arg-type]


def _kinds(*items: ItemFacts) -> list[tuple[str, int]]:
    """Return the kinds of what gives an answer away, each with the place of its item."""
    found = [(rule.kind, place) for place, one in enumerate(items) for rule, _ in faults_of_item(one)]
    return found + [(rule.kind, place) for rule, fault in faults_of_set(items) for place in fault.items]


@pytest.mark.parametrize(
    "question",
    [
        "Choose option C. Which tree is it?",
        "Number 3 grows here, i.e. C.\nWhich tree is it?",
        "Knowing that C is right, say which tree it is.",
        "Choice C must be correct. Which tree is it?",
        "Which tree is it? Option C fits best.",
        "Which tree is it? (C)",
        "C\nWhich tree is it?",
        "Welcher Baum ist es? Lösung: C",
        "La bonne réponse est C. Quel arbre est-ce ?",
        "¿Qué árbol es? Respuesta correcta: C",
        "这是什么树？正确答案：C",
        "Der larch steht am Weg. Was ist es?",
    ],
)
def test_a_question_that_states_its_key_gives_it_away(question: str) -> None:
    assert ("question_names_answer", 0) in _kinds(_facts(question))


@pytest.mark.parametrize(
    "question",
    [
        "Choose A, B, C or D.",
        "Is tree C taller than tree D?",
        "Select C for coniferous and D for deciduous: which is it?",
        "Which claim about C is correct?",
        "If the answer is A or C, which tree is it?",
        "Answer: A, C and D are trees. Which one is shown?",
        "What is marked (C) on the map?",
        "Is B right? The answer is B.",
    ],
)
def test_a_question_that_names_letters_for_other_reasons_does_not(question: str) -> None:
    assert _kinds(_facts(question)) == []


@pytest.mark.parametrize(
    "column", ["alt", "Alt text", "image_caption", "Picture description", "figure-title", "img_alt"]
)
@pytest.mark.parametrize("text", ["Photo of a larch in autumn", "option C"])
def test_words_that_pages_show_with_a_picture_give_the_answer_away(column: str, text: str) -> None:
    assert _kinds(_facts(attributes={column: text})) == [("alt_text_names_answer", 0)]
    assert _kinds(_facts(attributes={column: "option B", "topic": text})) == []


@pytest.mark.parametrize("name", ["q9_answer_c", "gtC-0012", "CORRECT-c", "park/ans_C_3", "key=C", "the%20larch"])
def test_a_name_that_says_the_key_gives_it_away(name: str) -> None:
    assert _kinds(_facts(own_id=name)) == [("id_names_answer", 0)]
    assert _kinds(_facts(name=f"{name}.jpg")) == [("file_name_names_answer", 0)]


@pytest.mark.parametrize("name", ["keyboard_c", "answer_sheet_3", "monkey_C", "group_c", "larch-and-birch", "gt_7"])
def test_a_name_that_says_something_else_does_not(name: str) -> None:
    assert _kinds(_facts(own_id=name)) == []


def test_letters_after_a_word_for_answers_count_only_where_most_are_the_key() -> None:
    wrong = [_facts(own_id=f"{number}_key_{letter}") for number, letter in enumerate("ABD")]
    assert _kinds(_facts(own_id="9_key_C"), *wrong) == []


def test_numbers_count_where_two_or_more_all_count_alike() -> None:
    assert _kinds(_facts(own_id="ans_3_17")) == []
    assert _kinds(_facts(own_id="ans_3_17"), _facts(own_id="ans_3_18")) == [
        ("id_names_answer", 0),
        ("id_names_answer", 1),
    ]
    assert _kinds(_facts(own_id="ans_3_17"), _facts(own_id="ans_4_18")) == []


@pytest.mark.parametrize(
    ("right", "text"),
    [("eine Lärche", "Die Lärche im Park"), ("un tejo", "el tejo"), ("la forêt", "Une forêt dense")],
)
def test_articles_of_other_languages_make_no_difference(right: str, text: str) -> None:
    one = ItemFacts(item("7", "?", ("xxxx", right), "B", attributes={"alt": text}), "7", (ItemPicture("7.png"),))
    assert ("alt_text_names_answer", 0) in _kinds(one)
