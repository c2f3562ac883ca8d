"""Meanings of words without network access: a WordNet's files, options related in meaning, languages, numbers and
ranges.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_wordnet import tiny_wordnet
from worded_items import item

from benchwright.diagnostics.item_faults.fault_rules import ItemFacts
from benchwright.diagnostics.item_faults.rules import faults_of_item, weight_of
from benchwright.diagnostics.meaning.asked_again import asked_again
from benchwright.diagnostics.meaning.meaning_rules import meaning_rules
from benchwright.diagnostics.meaning.wordnet import WordNet
from benchwright.diagnostics.wording.languages import language_of
from benchwright.diagnostics.wording.number_ranges import number_range
from benchwright.diagnostics.wording.quantities import quantity
from benchwright.errors import DataError, PrerequisiteError


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    return WordNet(tiny_wordnet(tmp_path_factory.mktemp("wordnet")))


@pytest.mark.parametrize(
    ("word", "means"),
    [
        ("Dogs", "dog"),
        ("mice", "mouse"),
        ("police officers", "policeman"),
        ("Colour", "color"),
        ("creatures", "animal"),
    ],
)
def test_a_form_of_a_word_has_its_senses(word: str, means: str, wordnet: WordNet) -> None:
    (sense,) = wordnet.senses(word, "noun")
    assert means in sense.words


@pytest.mark.parametrize("word", ["running", "ran", "runs"])
def test_verbs_have_irregular_and_doubled_forms(word: str, wordnet: WordNet) -> None:
    assert [sense.words for sense in wordnet.senses(word, "verb")] == [("run",)]


def test_what_is_more_general_has_its_distance(wordnet: WordNet) -> None:
    (poodle,) = wordnet.senses("poodle", "noun")
    above = {sense.words[0]: steps for sense, steps in wordnet.more_general(poodle).items()}
    assert above == {"dog": 1, "animal": 2, "thing": 3}


def test_a_folder_without_a_wordnet_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match=r"contains no WordNet: index.noun is missing"):
        WordNet(tmp_path)


def test_changed_line_ends_are_named(tmp_path: Path) -> None:
    folder = tiny_wordnet(tmp_path)
    data = folder / "data.noun"
    data.write_bytes(data.read_bytes().replace(b"\n", b"\r\n"))
    with pytest.raises(DataError, match=r"data\.noun is damaged: another line points to a sense at byte"):
        WordNet(folder).senses("poodle", "noun")


def test_a_wordnet_that_leads_in_a_circle_ends(tmp_path: Path) -> None:
    folder = tiny_wordnet(tmp_path)
    data, places = folder / "data.noun", WordNet(folder)
    (dog,), (animal,) = places.senses("dog", "noun"), places.senses("animal", "noun")
    thing = animal.pointers[0][2]
    line = f"@ {thing:08d} n 0000 | what people call animal"
    data.write_text(data.read_text().replace(line, f"@ {dog.offset:08d} n 0000 | what people call animal"))
    circular = WordNet(folder)
    assert {sense.words[0] for sense in circular.more_general(circular.senses("dog", "noun")[0])} == {"animal", "dog"}


RELATED = [
    ("medium", "same", ("car", "automobile", "horse", "mouse"), "A"),
    ("medium", "same", ("buying a car", "purchasing an automobile", "a horse", "a mouse"), "B"),
    ("low", "same", ("horse", "a car", "an automobile", "mouse"), "A"),
    ("medium", "same", ("the policeman", "a police officer", "a man", "a cat"), "A"),
    ("medium", "more_general", ("a big poodle", "a dog", "a cat", "a horse"), "A"),
    ("medium", "more_general", ("a big dog", "a dog", "a cat", "a horse"), "A"),
    ("medium", "more_general", ("furious", "angry", "big", "fast"), "A"),
]
UNRELATED = [
    ("dog", "poodle", "cat", "horse"),
    ("a dog", "a big dog", "a cat", "a horse"),
    ("a dog on a car", "a dog in a car", "a cat", "a horse"),
    ("1", "2", "3", "4"),
    ("angry", "fast", "big", "red"),
]


@pytest.mark.parametrize(("severity", "relation", "options", "key"), RELATED, ids=[row[2][1] for row in RELATED])
def test_options_related_in_meaning_are_found(
    severity: str, relation: str, options: tuple[str, ...], key: str, wordnet: WordNet
) -> None:
    ((rule, fault),) = faults_of_item(ItemFacts(item("q", "What is it?", options, key)), meaning_rules(wordnet)[:1])
    assert (weight_of(rule, fault)[0], fault.evidence["relation"]) == (severity, relation)


@pytest.mark.parametrize("options", UNRELATED, ids=[row[1] for row in UNRELATED])
def test_options_that_only_look_related_are_not_accused(options: tuple[str, ...], wordnet: WordNet) -> None:
    assert faults_of_item(ItemFacts(item("q", "What is it?", options, "A")), meaning_rules(wordnet)) == []


@pytest.mark.parametrize(
    ("question", "options", "certainty"),
    [
        ("What is shown?", ("a dog", "a cat", "a horse", "a hammer"), "possible"),
        ("Which animal is it?", ("a dog", "a cat", "a horse", "a hammer"), "likely"),
        ("How many?", ("1", "2", "3", "a cat"), "possible"),
    ],
)
def test_a_wrong_option_of_another_kind_is_found(
    question: str, options: tuple[str, ...], certainty: str, wordnet: WordNet
) -> None:
    ((rule, fault),) = faults_of_item(ItemFacts(item("q", question, options, "A")), meaning_rules(wordnet))
    assert (rule.kind, weight_of(rule, fault)[1], fault.evidence["option"]) == (
        "option_of_another_kind",
        certainty,
        "D",
    )


def test_no_other_kind_is_what_is_right_or_says_no_kind(wordnet: WordNet) -> None:
    for options, key in (("a dog", "a cat", "a horse", "a hammer"), "D"), (("1", "2", "3", "none of these"), "A"):
        assert faults_of_item(ItemFacts(item("q", "What is it?", options, key)), meaning_rules(wordnet)) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [("half", "50%"), ("a quarter", "1/4"), ("3rd", "third"), ("19th century", "nineteenth century"), ("1.5 million",
     "1,500,000"), ("half past three", "3:30"), ("3 p.m.", "15:00"), ("36 km/h", "10 m/s"), ("0 °C", "32 °F"), ("$2.50",
     "250 cents"), ("1 GB", "1000 MB"), ("0.5 V", "500 mV"), ("1 m³", "1000 l"), ("12 inches", "1 foot"), ("twice",
     "two times")],
)  # fmt: skip
def test_numbers_in_two_forms_are_equal(first: str, second: str) -> None:
    assert quantity(first) == quantity(second) is not None


@pytest.mark.parametrize(
    ("first", "second"), [("1 mW", "1 MW"), ("3:30", "330"), ("second", "2"), ("1 V", "1 A"), ("3 a.m.", "15:00")]
)
def test_numbers_of_other_things_are_not(first: str, second: str) -> None:
    assert quantity(first) != quantity(second)


@pytest.mark.parametrize(
    ("options", "found"),
    [(("7", "more than 5", "3"), True), (("6 m", "5-10 m", "20 m"), True), (("over 60", "65", "30"), False),
     (("7", "fewer than 7", "3"), False), (("7", "at most 7", "3"), True), (("10-20", "20-30", "30-40"), False)],
)  # fmt: skip
def test_a_range_that_holds_the_right_number_is_right_as_well(options: tuple[str, ...], found: bool) -> None:
    kinds = [rule.kind for rule, _ in faults_of_item(ItemFacts(item("q", "How many?", options, "A")))]
    assert ("range_holds_right_option" in kinds) == found


def test_text_is_no_range() -> None:
    assert [number_range(text) for text in ("over the table", "A-B", "more", "10-5")] == [None] * 4


@pytest.mark.parametrize(
    ("language", "question"),
    [("en", "How many dogs are there?"), ("de", "Wie viele Hunde sind zu sehen?"), ("fr", "De quelle couleur est la voiture ?"),
     ("es", "¿De qué color es el coche?"), ("nl", "Hoeveel honden zijn er te zien?"), ("pt", "De que cor é o carro?"),
     ("it", "Quanti cani ci sono?"), ("ru", "Сколько здесь собак?"), ("zh", "有几只狗?"), ("ja", "車は何色ですか?"),
     (None, "Rome?"), (None, "12 + 4 = ?")],
)  # fmt: skip
def test_the_language_of_a_question_is_told(language: str | None, question: str) -> None:
    assert language_of(question) == language


def test_questions_in_two_languages_with_the_same_numbers_are_perhaps_one() -> None:
    asked = [
        item("a", "How many dogs are there?", ("2", "3", "4"), "A", picture="p"),
        item("b", "Wie viele Hunde gibt es?", ("4", "3", "2"), "C", picture="p"),
        item("c", "Wie viele Katzen gibt es?", ("2", "3", "4"), "B", picture="p"),
        item("d", "Wie viele Hunde gibt es?", ("2", "3", "4"), "A", picture="other"),
    ]
    (pair,) = asked_again(asked)
    assert (set(pair.items), pair.way) == ({asked[0].item_id, asked[1].item_id}, "languages")
    assert set(pair.languages or ()) == {"de", "en"}


@pytest.mark.parametrize(
    ("options", "again", "key", "found"),
    [(("Granite", "Marble", "Basalt", "Slate"), ("Basalt", "Schiefer", "Granit", "Marmor"), "C", True),
     (("Granite", "Marble", "Basalt", "Slate"), ("Basalt", "Schiefer", "Granit", "Marmor"), "A", False),
     (("red", "blue", "green"), ("grün", "rot", "blau"), "B", True),
     (("a coffee", "a beer", "a cake"), ("ein Löffel", "ein Messer", "eine Gabel"), "A", False),
     (("Yes", "No"), ("Ja", "Nein"), "A", False)],
)  # fmt: skip
def test_questions_in_two_languages_with_options_that_say_the_same_are_perhaps_one(
    options: tuple[str, ...], again: tuple[str, ...], key: str, found: bool
) -> None:
    asked = [
        item("a", "What is lying on the old table?", options, "A", picture="p"),
        item("b", "Was liegt auf dem alten Tisch?", again, key, picture="p"),
    ]
    assert bool(list(asked_again(asked))) == found


@pytest.mark.parametrize(
    ("question", "again", "found"),
    [("What color is the car?", "Which colour does the automobile have?", True),
     ("What color is the car?", "What color is the horse?", False),
     ("Where does the dog sit?", "Where is the dog sitting?", True),
     ("What does the cat see in 2010?", "What does the cat see in 2015?", False)],
)  # fmt: skip
def test_other_words_ask_the_same_where_they_mean_the_same(
    question: str, again: str, found: bool, wordnet: WordNet
) -> None:
    asked = [
        item("a", question, ("red", "a tool", "a mouse"), "A", picture="p"),
        item("b", again, ("a hammer", "red", "a thing"), "B", picture="p"),
    ]
    assert [pair.way for pair in asked_again(asked, wordnet=wordnet)] == ["words"] * found


@pytest.mark.parametrize(
    ("question", "options", "key", "again", "others", "other_key", "found"),
    [("How tall is the tower?", ("12 m", "15 m"), "A", "What is the height of the tower?", ("10 m", "12 m"), "B", True),
     ("How tall is the tower?", ("12 m", "15 m"), "A", "How wide is the tower?", ("12 m", "15 m"), "A", False),
     ("Is the gate open?", ("Yes", "No"), "A", "Is the gate closed?", ("Yes", "No"), "B", True),
     ("Is the gate open?", ("Yes", "No"), "A", "Is the gate closed?", ("Yes", "No"), "A", False),
     ("Where is the dog?", ("A car", "A tool"), "A", "In what place is the dog?", ("A hammer", "An automobile"), "B", True),
     ("Where is the dog?", ("A car", "A tool"), "A", "Where is the horse?", ("A car", "A tool"), "A", False),
     ("What is left of the car?", ("A dog", "A cat"), "A", "What is right of the car?", ("A dog", "A cat"), "A", False),
     ("When did World War II end?", ("1945", "1939"), "A", "When was the Second World War over?", ("1945", "1914"), "A",
      True),
     ("When did World War II end?", ("1945", "1939"), "A", "When did World War I end?", ("1945", "1939"), "A", False),
     ("What is 7 times 8?", ("56", "54"), "A", "How much is seven multiplied by eight?", ("56", "54"), "A", True),
     ("What is 2 times 4?", ("8", "6"), "A", "What is 2 plus 6?", ("8", "6"), "A", False),
     ("Which dog is farthest from the car?", ("Rex", "Max"), "A", "Which is the biggest dog by the car?", ("Rex", "Max"),
      "A", False),
     ("What is the man wearing on his head?", ("a hat", "a bag"), "A", "What is the man holding over his head?",
      ("a hat", "a bag"), "A", False)],
)  # fmt: skip
def test_questions_without_pictures_are_compared_by_what_they_are_about(
    question: str,
    options: tuple[str, ...],
    key: str,
    again: str,
    others: tuple[str, ...],
    other_key: str,
    found: bool,
    wordnet: WordNet,
) -> None:
    asked = [item("a", question, options, key, picture="p"), item("b", again, others, other_key, picture="q")]
    of_pictures = list(asked_again(asked, wordnet=wordnet))
    without = list(asked_again(asked, wordnet=wordnet, without_pictures={each.item_id for each in asked}))
    assert (of_pictures, [pair.way for pair in without]) == ([], ["words"] * found)


def test_a_set_that_asks_one_question_of_many_pictures_is_not_compared(wordnet: WordNet) -> None:
    asked = [
        item(f"s{n}", "How many dogs are there?", ("1", "2", "3"), "ABC"[n % 3], picture=f"p{n}") for n in range(18)
    ]
    asked += [
        item("a", "How tall is the tower?", ("12 m", "15 m"), "A", picture="p"),
        item("b", "What is the height of the tower?", ("12 m", "15 m"), "A", picture="q"),
    ]
    assert list(asked_again(asked, wordnet=wordnet, without_pictures={each.item_id for each in asked})) == []
