"""Counts of pairs as in MVP-Bench's figure 3, and the words of captions, found without a tagger."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pair_samples import idea, items_of

from benchwright.construction.paper_tables.caption_words import count_words, singular, words_of
from benchwright.construction.paper_tables.pair_chart import statistics_chart
from benchwright.construction.paper_tables.pair_counts import PUBLISHED, PUBLISHED_TYPES, PairStatistics, count_pairs
from benchwright.construction.tasks.background_substitution import LEVEL
from benchwright.facts import CODES
from benchwright.records import Item

LEVELS = {"low": 3, "high": 4}
"""Items of a pair by level: a yes/no question on both pictures, one across both, at the high level one on one."""


def said(caption: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"adjective": [], "noun": []}
    for kind, word in words_of(caption):
        found[kind].append(word)
    return found


@pytest.mark.parametrize(
    ("caption", "adjectives", "nouns"),
    [
        ("An angry man holds two red flags in front of the old station.", "angry red old", "man flag station"),
        ("A smiling woman is playing tennis on a sunny court", "smiling sunny", "woman tennis court"),
        ("Police officers march along a crowded street.", "crowded", "police officer street"),
        ("The children's toys lie on wooden shelves", "wooden", "child toy shelf"),
        ("a peaceful, quiet park with benches", "peaceful quiet", "park bench"),
        (
            "The astronaut in her orange suit, in front of a colourful building",
            "orange colourful",
            "astronaut suit building",
        ),
        ("", "", ""),
        ("42 <b>!!</b>", "", ""),
    ],
)
def test_adjectives_and_nouns_of_plain_captions_are_found(caption: str, adjectives: str, nouns: str) -> None:
    assert said(caption) == {"adjective": adjectives.split(), "noun": nouns.split()}


def test_small_words_are_neither() -> None:
    found = said("He is with her and they are on it, over there, between this and that.")
    assert found == {"adjective": [], "noun": []}


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("flags", "flag"),
        ("benches", "bench"),
        ("cities", "city"),
        ("women", "woman"),
        ("glass", "glass"),
        ("bus", "bus"),
        ("foxes", "fox"),
    ],
)
def test_plurals_are_counted_with_their_singular(plural: str, one: str) -> None:
    assert singular(plural) == one


def test_a_word_counts_once_a_caption_and_ties_go_by_alphabet() -> None:
    found = count_words(["a red car and a red bus", "a red car", "a blue bus"])
    assert found.top("adjective", 5) == [("red", 2), ("blue", 1)]
    assert found.top("noun", 1) == [("bus", 2)]


@given(st.text(max_size=200))
def test_any_caption_gives_words_without_spaces_in_lower_case(caption: str) -> None:
    for _, word in words_of(caption):
        assert word == word.lower()
        assert not re.search(r"\s", word)


def statistics_of(items: Iterable[Item]) -> PairStatistics:
    found = count_pairs(items)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> list[Item]:
    ideas = [idea("B1"), idea("B2"), idea("S2", natural_caption="A calm lake.", manipulated_caption="A stormy sea.")]
    return items_of(tmp_path_factory.mktemp("pairs"), *ideas)[1]


@pytest.fixture(scope="module")
def counted(items: list[Item]) -> PairStatistics:
    return statistics_of(items)


def test_pairs_items_categories_types_and_levels_are_counted(counted: PairStatistics) -> None:
    assert (counted.pairs, counted.items, counted.images) == (3, 21, 4)
    assert counted.by_category == {"B1": 1, "B2": 1, "S2": 1}
    assert counted.by_type == {
        ("yes_no", "high"): 6, ("yes_no", "low"): 6, ("single_image", "high"): 3, ("cross_image", "high"): 3,
        ("cross_image", "low"): 3,
    }  # fmt: skip
    assert sum(counted.by_type.values()) == counted.items
    assert counted.editors == {"composite": 3}


def test_questions_of_each_level_are_counted_by_category_beside_the_papers(counted: PairStatistics) -> None:
    assert counted.by_category_level == {(code, level): n for code in ("B1", "B2", "S2") for level, n in LEVELS.items()}
    assert counted.by_way == {"background": 1, "partial": 1, "direct": 1}
    document = counted.to_json()
    assert document["categories"][0] == {
        "category": "B1", "aspect": "Behaviour", "pairs": 1, "low": 3, "high": 4,
        "published": {"pairs": 46, "low": 85, "high": 129},
    }  # fmt: skip
    assert document["types"][0] == {"type": "yes_no", "level": "high", "items": 6, "published": 460}


def test_the_published_counts_are_those_of_the_paper(counted: PairStatistics) -> None:
    assert tuple(PUBLISHED) == CODES
    assert sum(each.pairs for each in PUBLISHED.values()) == 530
    assert sum(each.low + each.high for each in PUBLISHED.values()) == sum(PUBLISHED_TYPES.values()) == 1872
    for level in ("low", "high"):
        of_types = sum(count for (_, its), count in PUBLISHED_TYPES.items() if its == level)
        assert of_types == sum(getattr(each, level) for each in PUBLISHED.values())


def test_words_are_those_of_each_sides_captions_a_pairs_once(counted: PairStatistics) -> None:
    assert counted.words["natural"].adjectives["calm"] == 1
    assert counted.words["natural"].nouns == {"man": 2, "racket": 2, "court": 2, "lake": 1, "tennis": 2}
    assert counted.words["manipulated"].adjectives == {"dark": 2, "stormy": 1}
    assert "gun" not in counted.words["natural"].nouns


def test_an_image_has_both_levels_where_either_is_asked_about_it(items: list[Item]) -> None:
    whole = statistics_of(items)
    assert whole.images_with_both_levels.to_json() == {"value": 1.0, "numerator": 4, "denominator": 4}
    low = [item for item in items if item.level == LEVEL]
    assert statistics_of(low).images_with_both_levels.numerator == 0
    one_of_three = [item for item in items if item.level == LEVEL or item.category == "B1"]
    found = statistics_of(one_of_three)
    assert (found.pairs_with_both_levels.numerator, found.pairs_with_both_levels.denominator) == (1, 3)
    assert found.images_with_both_levels.numerator == 2  # the natural image is that of all three pairs


def test_the_drawing_is_xml_in_which_words_are_text(items: list[Item], tmp_path: Path) -> None:
    hostile = [
        item.model_copy(
            update={
                "category": "<script>x</script>",
                "evidence": {**item.evidence, "natural_caption": "a <b>bold & wild</b> cat"},
            }
        )
        for item in items
    ]
    text = statistics_chart(statistics_of(hostile), top=5).file
    root = ElementTree.fromstring(text)
    words = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "<script>x</script>" in words
    assert "<script" not in text
    assert "wild" in words


def test_what_is_missing_is_named(counted: PairStatistics, items: list[Item]) -> None:
    assert counted.to_json()["gaps"] == {
        "categories": ["B3", "B4", "R1", "R2", "R3", "I1", "I2", "E1", "E2", "S1"],
        "aspects": ["Role", "Identity", "Emotion"],
    }
    assert counted.whole_picture.numerator == 1
    low = statistics_of(item for item in items if item.level == LEVEL)
    assert low.missing_aspects == ("Behaviour", "Role", "Identity", "Emotion", "Scenario")
