"""Language errors: each kind is found; clean texts and other languages yield no findings."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from worded_items import item

from benchwright.diagnostics.wording.grammar import grammar_faults
from benchwright.diagnostics.wording.spelling import Spelling
from benchwright.diagnostics.wording.text_checks import names_answer
from benchwright.diagnostics.wording.wording_faults import WordingRules, faults_of
from benchwright.filters.language.step import Language
from benchwright.records import Item
from benchwright.steps import Measured, Outcome


class Opened(NamedTuple):
    opened: Any


def measured(asked: Item, step: Language) -> Measured:
    return step.measure(asked, Opened(Spelling(step.words)))  # type: ignore[arg-type]  # needs nothing else of it


def judged(question: str, options: tuple[str, ...] = ("a tall ladder", "an owl"), **settings: Any) -> Outcome:
    step = Language.model_validate(settings)
    return step.judge(measured(item("x", question, options), step).values)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What is hanging on teh wall?", "spelling"),
        ("Is there a umbrella in the picture?", "article"),
        ("How many cat are in the picture?", "agreement"),
        ("What is the the man holding?", "doubled_word"),
        ("what is the man holding?", "capital"),
        ("What is the man holding", "end_mark"),
        ("Why?", "too_short"),
        ("Which bird is shown here? " * 40, "too_long"),
        ("What colour has the tall ladder that stands there?", "names_answer"),
    ],
)
def test_each_kind_of_fault_is_the_reason(question: str, kind: str) -> None:
    assert judged(question).reason == kind


@pytest.mark.parametrize("question", ["The man is holding", "The shelf is made of", "This tool is called a"])
def test_a_sentence_that_the_options_complete_needs_no_mark_at_its_end(question: str) -> None:
    assert judged(question, ("hammer", "spade")).reason is None


@pytest.mark.parametrize("limit", ["max_characters", "max_option_characters"])
def test_how_long_questions_and_options_may_be_is_the_curators(limit: str) -> None:
    question, options = "What leans on the wall there?", ("a very long wooden ladder", "a smaller one made of steel")
    assert judged(question, options).verdict == "keep"
    assert judged(question, options, **{limit: 20}).reason == "too_long"


@pytest.mark.parametrize(
    "question",
    [
        "How does an hour pass at a university in Vladivostok?",
        "What does the sign “Wellcom frends” say?",
        "Which of these buildings was designed by Gaudí?",
        "Is A or B closer to the camera?",
        "Did the colour of the windowsill change in the centre?",
    ],
)
def test_right_english_is_left_in_peace(question: str) -> None:
    assert judged(question, ("the first", "the second")).verdict == "keep"


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("图片里的男人拿着什么？", ("一把伞", "一本书")),
        ("ماذا يحمل الرجل في الصورة؟", ("مظلة", "كتاب")),
        ("Was hält der Mann in der Hand?", ("einen Schirm", "ein Buch")),
        ("Que tient l'homme dans la main ?", ("un parapluie", "un livre")),
        ("¿Qué lleva el hombre en la mano?", ("un paraguas", "un libro")),
    ],
)
def test_other_languages_pass_by_the_checks_that_hold_in_any(question: str, options: tuple[str, ...]) -> None:
    found = measured(item("x", question, options), Language())
    assert found.values == {"faults": [], "checked_as": "any"}


@pytest.mark.parametrize(
    "words",
    [
        "The humor of colorful neighbors is their favorite flavor.",
        "A traveler canceled the enrollment and unraveled a catalog.",
        "Skeptics analyze the defense of a theater in the center.",
        "Mom wears gray pajamas and jewelry beside the plow.",
        "An estrogen level, anesthesia, leukemia and pediatric care",
        "It tells about mom's armor.",
    ],
)
def test_american_spelling_is_right_too(words: str) -> None:
    assert Spelling().misspellings(words) == []


@pytest.mark.parametrize(
    "words",
    [
        "An airplane lands beside the checkered licorice.",
        "The weaponization of influencers has inclusivity in mind.",
        "A minimalistic design infantilizes the neuroscientists.",
        "Its socio-economic frame is customizable and impactful.",
        "The direwolf's howl and a reanalyzed, uncluttered room",
    ],
)
def test_words_that_one_list_lacks_or_that_are_formed_by_rule_are_right(words: str) -> None:
    assert Spelling().misspellings(words) == []


@pytest.mark.parametrize(
    "word",
    [
        "happyness",
        "beginer",
        "noticable",
        "truely",
        "informations",
        "wepaonization",
        "mozarella",
        "beautifull",
        "writting",
    ],
)
def test_a_misspelling_that_has_a_usual_ending_is_found(word: str) -> None:
    assert [fault.word for fault in Spelling().misspellings(f"It is {word} here.")] == [word]


@pytest.mark.parametrize(
    ("word", "correction"),
    [("brocolli", "broccoli"), ("proffesion", "profession"), ("bycicle", "bicycle")],
)
def test_a_misspelling_of_the_same_sound_has_its_correction(word: str, correction: str) -> None:
    assert Spelling().misspellings(f"It is {word} here.") == [(word, correction)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Febuary", ["Febuary"]),
        ("the Mediterranian", ["Mediterranian"]),
        ("San Fransisco", ["Fransisco"]),
        ("Florian", []),
        ("Christoph", []),
        ("Fransisco Xqzwt", []),
    ],
)
def test_a_long_word_with_a_capital_is_misspelled_if_one_letter_within_it_differs(text: str, found: list[str]) -> None:
    assert [fault.word for fault in Spelling().misspellings(text)] == found


def test_short_parts_of_hyphenated_words_are_not_judged() -> None:
    assert Spelling().misspellings("a dik-dik and a sumi-e print") == []


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("kintsugi", "a vase", "a bowl"), []),
        (("a lader", "a vase", "a bowl"), ["lader"]),
        (("sumi", "maki", "a bowl"), []),
        (("sumi", "a vase that stands on a tabel", "a bowl"), ["sumi", "tabel"]),
    ],
)
def test_unknown_words_of_options_are_terms_if_nothing_corrects_them_or_others_are_unknown_too(
    options: tuple[str, ...], found: list[str]
) -> None:
    faults, _ = faults_of(item("x", "What is the thing on the table?", options), Spelling(), WordingRules())
    assert [fault.words for fault in faults if fault.kind == "spelling"] == found


@pytest.mark.parametrize(
    "word",
    [
        "controled",
        "compeled",
        "propeled",
        "jornal",
        "sorce",
        "retorn",
        "humer",
        "begining",
        "excelent",
        "ofense",
        "theator",
    ],
)
def test_a_misspelling_near_american_spelling_is_found(word: str) -> None:
    assert [fault.word for fault in Spelling().misspellings(f"It is {word} here.")] == [word]


@pytest.mark.parametrize(
    "text",
    [
        "It shows aspects that are hidden.",
        "The sign suggests that women were first.",
        "Addressing these issues is urgent.",
        "There is both good and bad in them.",
    ],
)
def test_that_may_begin_a_clause_about_many(text: str) -> None:
    assert grammar_faults(text) == []


@pytest.mark.parametrize(
    "text", ["That are two cats.", "What is it? That were dogs.", "This are cats.", "That men is old."]
)
def test_that_and_this_point_at_one_thing_where_a_sentence_begins(text: str) -> None:
    assert [fault.kind for fault in grammar_faults(text)] == ["agreement"]


def test_a_chinese_question_that_names_its_answer_is_found() -> None:
    assert names_answer(item("x", "图中的雨伞是什么颜色的雨伞？", ("雨伞", "书本"))) == "雨伞"


def test_a_question_that_names_a_wrong_option_too_is_a_choice() -> None:
    assert names_answer(item("x", "Is the cat or the dog larger?", ("the cat", "the dog"))) is None


def test_evidence_has_the_word_that_may_be_meant() -> None:
    [fault] = measured(item("x", "What is in the kitchn?"), Language()).evidence["faults"]
    assert (fault["place"], fault["words"], fault["correction"]) == ("question", "kitchn", "kitchen")


def test_own_words_are_right_and_chosen_kinds_are_dropped() -> None:
    assert judged("What is on the flurbl?", words=["Flurbl"]).verdict == "keep"
    assert judged("What is on the flurbl?", drop=["spelling"]).verdict == "drop"
    assert judged("What is on the flurbl?", checks=["article"]).verdict == "keep"


def test_a_text_of_100000_characters_and_smileys_is_a_recorded_reason() -> None:
    assert judged("a " * 50_000 + "?").reason == "too_long"
    assert judged("What does 😀 mean here?", ("😀😀", "🙈")).verdict == "keep"


def test_a_letter_before_a_verb_is_no_article() -> None:
    assert grammar_faults("A is closer than B.") == []
