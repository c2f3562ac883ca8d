"""Options only one of which can complete an English sentence, and options that all can."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from worded_items import item

from benchwright.diagnostics.item_faults.fault_rules import ItemFacts
from benchwright.diagnostics.item_faults.rules import faults_of_item
from benchwright.diagnostics.sentence_gaps.genders import opposite_genders
from benchwright.diagnostics.sentence_gaps.phrase_forms import phrase_forms
from benchwright.diagnostics.wording.word_forms import forms_of

_CLUES = {"number_tells_answer", "tense_tells_answer", "phrase_tells_answer", "gender_tells_answer"}


def _clues(question: str, options: Sequence[str], answer: str = "A") -> set[str]:
    facts = ItemFacts(item("7", question, options, answer), "7")
    return {rule.kind for rule, _ in faults_of_item(facts)} & _CLUES


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("halved", {"past", "participle"}),
        ("Geese", {"plural"}),
        ("photosynthesis", {"singular"}),
        ("scissors", {"plural"}),
    ],
)
def test_a_word_has_the_forms_that_it_can_be(word: str, forms: set[str]) -> None:
    assert forms <= forms_of(word)
    assert not ({"singular", "plural"} <= forms_of(word))


@pytest.mark.parametrize(
    ("phrase", "forms"),
    [("an open book", {"one", "determined"}), ("with a scepter", {"preposition with"}), ("to wave", {"to"}),
     ("gloves are on", {"clause"}), ("were rising", {"auxiliary several"}), ("two oaks", {"several", "determined"})],
)  # fmt: skip
def test_a_phrase_is_what_it_can_be_in_a_sentence(phrase: str, forms: set[str]) -> None:
    assert phrase_forms(phrase) == forms


@pytest.mark.parametrize(
    ("question", "options", "kind"),
    [("The child leans back and depends ___.", ("on a cane", "with a cane", "of a cane"), "phrase_tells_answer"),
     ("The king rests his hand on the", ("globe", "an open book", "with a scepter"), "phrase_tells_answer"),
     ("The boy is interested in", ("model trains", "to paint", "that he reads"), "phrase_tells_answer"),
     ("Each chart shows that profits", ("were rising", "is unchanged", "has stalled"), "number_tells_answer"),
     ("The lava that flows down the slope", ("cools quickly", "eroding granite", "were marble"), "number_tells_answer"),
     ("The bones marked in yellow are the", ("ribs", "sternum", "pelvis"), "number_tells_answer"),
     ("She is looking forward to", ("opening the present", "eat the cake", "danced"), "tense_tells_answer"),
     ("If the valve were opened, the water", ("would flow out", "boils over", "has turned pink"), "tense_tells_answer"),
     ("The ship ___ by two tugs.", ("is being towed", "has pushed", "steering"), "tense_tells_answer"),
     ("Who has lost her shoe?", ("The woman in white", "The man in black", "The old gentleman"), "gender_tells_answer")],
)  # fmt: skip
def test_the_only_option_that_completes_a_sentence_is_told(question: str, options: Sequence[str], kind: str) -> None:
    assert kind in _clues(question, options)


@pytest.mark.parametrize(
    ("question", "options"),
    [("The old lady relies on", ("a cane", "her nephew", "crutches")),
     ("The chart shows that profits", ("stayed unchanged", "were rising", "fell")),
     ("The device is used for", ("measuring pressure", "the storage of gas", "heating water")),
     ("If the tap were opened, the water", ("would flow out", "could not escape", "would boil")),
     ("The twins both", ("wear glasses", "cry", "hold kites")),
     ("Which child has lost a shoe?", ("The boy in green", "The girl in white", "The twin"))],
)  # fmt: skip
def test_options_that_all_complete_a_sentence_tell_nothing(question: str, options: Sequence[str]) -> None:
    assert _clues(question, options) == set()


def test_pronouns_of_both_genders_tell_nothing() -> None:
    assert opposite_genders("Who gives her his hat?", ["The man", "The woman"]) is None
