"""Items about manipulated images: keys, options, levels, groups, evidence, and the reasons for leaving items out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pair_samples import CATEGORIES, PairContext, idea, items_of, pictures
from pydantic import ValidationError

from benchwright.construction.item_parts.idea import Change, GroundedSubject
from benchwright.construction.item_parts.pictures.side_by_side import side_by_side
from benchwright.construction.manipulation.pair_items import PairItems
from benchwright.construction.manipulation.pair_questions.kinds_of_change import ASPECTS, EDITS
from benchwright.records import Item

DOING = "what the two men is doing"
"""As `Perception.aspect_of` words it."""


def text(item: Item, key: str | None) -> str | None:
    return next((choice.text for choice in item.choices if choice.key == key), None)


def texts(item: Item) -> list[str | None]:
    return [choice.text for choice in item.choices]


def of(items: list[Item], task: str, level: str | None = None) -> list[Item]:
    return [item for item in items if item.task == task and level in {None, item.level}]


@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize("per_level", [1, 2])
def test_each_category_gives_its_items_at_both_levels(tmp_path: Path, category: str, per_level: int) -> None:
    _, items = items_of(tmp_path, idea(category), questions_per_level=per_level)
    assert len(of(items, "pair_yes_no", "low")) == len(of(items, "pair_yes_no", "high")) == 2 * per_level
    assert len(of(items, "pair_cross_image", "low")) == len(of(items, "pair_cross_image", "high")) == 1
    assert len(of(items, "pair_single_image", "high")) == 1
    assert len(items) == 3 + 4 * per_level
    assert {item.category for item in items} == {category}


def test_of_one_question_a_level_each_picture_has_one_that_is_true_of_it_and_one_that_is_not(tmp_path: Path) -> None:
    first = set()
    for seed in range(8):
        items = list(PairContext(tmp_path / str(seed), [idea()], seed=seed).outcome().items)
        keys = {(item.images[0].role, item.level): text(item, item.answer) for item in of(items, "pair_yes_no")}
        for side in ("natural", "manipulated"):
            assert sorted([str(keys[side, "low"]), str(keys[side, "high"])]) == ["No", "Yes"]
        for level in ("low", "high"):
            assert keys["natural", level] != keys["manipulated", level]
        first.add(keys["natural", "low"])
    assert first == {"Yes", "No"}


def test_one_question_a_level_has_the_id_that_it_has_among_two(tmp_path: Path) -> None:
    _, one = items_of(tmp_path / "a")
    _, two = items_of(tmp_path / "b", questions_per_level=2)
    assert {item.item_id: item.question for item in one}.items() <= {
        item.item_id: item.question for item in two
    }.items()


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_yes_no_question_has_opposite_keys_on_the_two_images(tmp_path: Path, category: str) -> None:
    context, items = items_of(tmp_path, idea(category), questions_per_level=2)
    keys: dict[str, dict[str, str | None]] = {}
    for item in of(items, "pair_yes_no"):
        [shown] = item.images
        keys.setdefault(item.question, {})[shown.role] = text(item, item.answer)
        natural = context.record.image_id
        assert shown.image_id == (natural if shown.role == "natural" else context.made[0].image_id)
    assert len(keys) == 4
    for said in keys.values():
        assert sorted(said) == ["manipulated", "natural"]
        assert sorted(map(str, said.values())) == ["No", "Yes"]


def test_the_ideas_own_questions_are_asked_and_a_template_writes_what_it_lacks(tmp_path: Path) -> None:
    _, items = items_of(tmp_path, questions_per_level=2, wordings=1)
    yes = {item.question: item.images[0].role for item in of(items, "pair_yes_no") if text(item, item.answer) == "Yes"}
    assert yes == {
        "Is the man holding a tennis racket?": "natural",
        "Is the man holding a gun?": "manipulated",
        "Is the man playing tennis?": "natural",
        "Is the man robbing a bank?": "manipulated",
    }


def test_an_aspect_of_its_own_is_asked_about_in_its_words(tmp_path: Path) -> None:
    high = idea().high.model_copy(
        update={"aspect": "what the badge stands for", "natural": "a club", "manipulated": "a love of flowers"}
    )
    _, items = items_of(tmp_path, idea("B4", high=high), questions_per_level=2)
    asked = {item.question for item in of(items, "pair_yes_no", "high")}
    assert asked == {"Is a club what the badge stands for?", "Is a love of flowers what the badge stands for?"}
    [single], [crossed] = of(items, "pair_single_image"), of(items, "pair_cross_image", "high")
    assert single.question == "What best describes what the badge stands for in the image?"
    assert crossed.question == "How do the two images differ in what the badge stands for?"


def test_the_verb_goes_with_the_subject(tmp_path: Path) -> None:
    two = idea(subject=GroundedSubject(phrase="the two men"), high=idea().high.model_copy(update={"aspect": DOING}))
    _, items = items_of(tmp_path, two, wordings=1)
    [high] = {item.question for item in of(items, "pair_yes_no", "high")}
    assert high in {"Are the two men playing tennis?", "Are the two men robbing a bank?"}
    assert of(items, "pair_single_image")[0].question == "What are the two men doing?"
    assert of(items, "pair_cross_image", "high")[0].question == "What are the two men doing in the two images?"


def test_seeds_draw_wordings_that_both_pictures_of_a_question_share_and_items_name(tmp_path: Path) -> None:
    questions: dict[str, set[str]] = {}
    for seed in range(12):
        items = list(PairContext(tmp_path / str(seed), [idea()], seed=seed).outcome().items)
        asked = of(items, "pair_yes_no", "high")
        assert len({(item.question, item.attributes["wording"]) for item in asked}) == 1
        assert "wording" not in of(items, "pair_yes_no", "low")[0].attributes  # the idea's own words
        for item in [*asked, *of(items, "pair_single_image"), *of(items, "pair_cross_image", "low")]:
            questions.setdefault(item.task, set()).add(str(item.attributes["wording"]))
    assert questions == {task: {"1", "2", "3"} for task in ("pair_yes_no", "pair_single_image", "pair_cross_image")}


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_papers_aspects_are_offered_where_they_are_asked_for(tmp_path: Path, category: str) -> None:
    _, items = items_of(tmp_path, idea(category), high_options="aspects", wordings=1)
    [high] = of(items, "pair_cross_image", "high")
    assert high.question == "Which aspect of the man or of the scene differs between the two images?"
    assert set(texts(high)) == {"Behaviour", "Role", "Identity", "Emotion", "Scenario"}
    assert text(high, high.answer) == ASPECTS[category[0]]


def test_the_natural_answer_is_among_five_options_with_three_that_the_clues_suggest(tmp_path: Path) -> None:
    _, items = items_of(tmp_path)
    [item] = of(items, "pair_single_image")
    assert [image.role for image in item.images] == ["manipulated"]
    assert text(item, item.answer) == "Robbing a bank"
    assert set(texts(item)) == {
        "Robbing a bank", "Playing tennis", "Training at a shooting range", "Selling weapons", "Shooting a film",
    }  # fmt: skip


def test_a_distractor_that_says_the_same_as_the_answer_gives_way_to_another(tmp_path: Path) -> None:
    tempting = ("Robbing the bank!", "a bank", "selling weapons", "a film", "digging for gold")
    high = idea().high.model_copy(update={"tempting": tempting, "others": ("swimming",)})
    _, items = items_of(tmp_path, idea(high=high))
    [item] = of(items, "pair_single_image")
    assert set(texts(item)) == {"Robbing a bank", "Playing tennis", "Selling weapons", "A film", "Digging for gold"}


def test_what_fits_no_clue_is_no_distractor_and_too_few_leave_the_question_out(tmp_path: Path) -> None:
    high = idea().high.model_copy(update={"tempting": ("selling weapons",), "others": ("swimming", "sleeping")})
    outcome = PairContext(tmp_path, [idea(high=high)]).outcome()
    assert not of(list(outcome.items), "pair_single_image")
    assert outcome.evidence["B2"]["left_out"] == {"single_image": "too_few_distractors"}


def test_a_question_that_is_asked_for_both_sides_alike_is_left_out(tmp_path: Path) -> None:
    low = Change(aspect="x", natural="a", manipulated="b", ask_natural="Is it red?", ask_manipulated="Is it  RED?")
    outcome = PairContext(tmp_path, [idea(low=low)]).outcome()
    assert not of(list(outcome.items), "pair_yes_no", "low")
    assert len(of(list(outcome.items), "pair_yes_no", "high")) == 2
    assert outcome.evidence["B2"]["left_out"] == {"yes_no_low": "same_question"}


@pytest.mark.parametrize("category", CATEGORIES)
def test_cross_image_questions_have_five_options(tmp_path: Path, category: str) -> None:
    _, items = items_of(tmp_path, idea(category))
    [high], [low] = of(items, "pair_cross_image", "high"), of(items, "pair_cross_image", "low")
    assert text(high, high.answer) == "Playing tennis in one, robbing a bank in the other"
    for item in (high, low):
        assert len(set(texts(item))) == 5
        assert sorted(image.role for image in item.images) == ["manipulated", "natural"]


def test_each_value_stands_in_two_options_so_that_counting_them_gives_nothing_away(tmp_path: Path) -> None:
    _, items = items_of(tmp_path)
    [item] = of(items, "pair_cross_image", "high")
    options = [str(option).lower() for option in texts(item)]
    for value in ("playing tennis", "robbing a bank", "training at a shooting range", "selling weapons"):
        assert sum(value in option for option in options) == 2


def test_an_idea_that_nobody_agrees_on_at_the_high_level_is_asked_about_at_the_low_one_only(tmp_path: Path) -> None:
    outcome = PairContext(tmp_path, [idea(levels=("low",))]).outcome()
    assert Counter(item.task for item in outcome.items) == {"pair_yes_no": 2, "pair_cross_image": 1}
    assert {item.level for item in outcome.items} == {"low"}
    assert not outcome.evidence


def test_kinds_of_edits_are_about_equally_long() -> None:
    words = [len(edit.split()) for edit in EDITS.values()]
    characters = [len(edit) for edit in EDITS.values()]
    assert max(words) - min(words) <= 3
    assert max(characters) <= 1.25 * min(characters)


def test_a_background_is_no_distractor_of_another_background(tmp_path: Path) -> None:
    for category in ("B1", "S1", "R1"):
        _, items = items_of(tmp_path / category, idea(category))
        [low] = of(items, "pair_cross_image", "low")
        replaced = {EDITS["B1"], EDITS["R1"]}
        assert len(replaced & set(texts(low))) == 1


def test_items_belong_to_their_pair_their_photograph_and_its_donor(tmp_path: Path) -> None:
    context, items = items_of(tmp_path, idea("B1"), idea("B2"))
    for item in items:
        [pair] = [key for key in item.group_keys if key.startswith("pair:")]
        assert pair == f"pair:{item.evidence['pair']}"
        lent = f"image:{context.lent.image_id}" in item.group_keys
        assert lent == (item.category == "B1")
        assert f"image:{context.record.image_id}" in item.group_keys
    assert len({item.evidence["pair"] for item in items}) == 2
    assert len({item.item_id for item in items}) == len(items) == 14


def test_evidence_says_how_the_pair_was_made_and_what_its_captions_say(tmp_path: Path) -> None:
    context, items = items_of(tmp_path)
    for item in items:
        told = item.evidence
        assert (told["natural"], told["manipulated"]) == (context.record.image_id, context.made[0].image_id)
        assert (told["idea"], told["candidate"], told["category"], told["way"]) == ("B2", 0, "B2", "partial")
        assert (told["editor"], told["made_with"]) == ("composite", {"seed": 0})
        assert told["natural_caption"].startswith("A man holds a tennis racket")
        assert told["editable"]["size"] == [60, 90]
        assert item.written_by == {"question": "template", "choices": "template"}


def test_candidates_of_an_idea_get_the_same_questions_and_keys_under_other_ids(tmp_path: Path) -> None:
    _, items = items_of(tmp_path, candidates=2)
    first, second = ([one for one in items if one.evidence["candidate"] == number] for number in (0, 1))
    assert [(one.question, one.choices, one.answer) for one in first] == [
        (one.question, one.choices, one.answer) for one in second
    ]
    assert not {one.item_id for one in first} & {one.item_id for one in second}


def test_an_items_id_does_not_depend_on_the_words_of_the_idea(tmp_path: Path) -> None:
    _, before = items_of(tmp_path / "a")
    _, after = items_of(
        tmp_path / "b", idea(natural_caption="Another.", low=idea().low.model_copy(update={"natural": "a bat"}))
    )
    assert [one.item_id for one in before] == [one.item_id for one in after]


def test_side_by_side_shows_both_on_one_picture_in_an_order_that_chance_decides(tmp_path: Path) -> None:
    orders = set()
    for seed in range(8):
        context = PairContext(tmp_path / str(seed), [idea()], seed=seed)
        outcome = context.outcome(cross_image="side_by_side")
        crossed = of(list(outcome.items), "pair_cross_image")
        assert len(crossed) == 2
        [picture] = outcome.images
        whole = context.stored[picture.image_id]
        natural, manipulated, _ = pictures()
        manipulated[20, 30] = (0, 0, 0)
        [shows] = {tuple(item.evidence["shows"]) for item in crossed}
        halves = {"natural": natural, "manipulated": manipulated}
        assert np.array_equal(whole[:, :90], halves[shows[0]])
        assert np.array_equal(whole[:, -90:], halves[shows[1]])
        assert all("left" in item.question or "half" in item.question for item in crossed)
        assert {item.attributes["image_side"] for item in crossed} == {"both"}
        orders.add(shows)
    assert len(orders) == 2


def test_both_ways_of_showing_give_two_more_items_and_keep_the_ids_of_the_others(tmp_path: Path) -> None:
    _, alone = items_of(tmp_path / "a")
    _, more = items_of(tmp_path / "b", cross_image="both")
    assert len(more) == 9
    assert {one.item_id for one in alone} < {one.item_id for one in more}


def test_a_composed_picture_is_scaled_to_the_longest_side_that_is_allowed() -> None:
    natural, manipulated, _ = pictures()
    assert side_by_side(natural, manipulated, max_side_px=4096).shape == (60, 182, 3)
    assert max(side_by_side(natural, manipulated, max_side_px=100).shape) <= 100
    with pytest.raises(ValueError, match="one size"):
        side_by_side(natural, manipulated[:-1], max_side_px=100)


def test_an_image_without_ideas_or_pairs_is_left_out(tmp_path: Path) -> None:
    context = PairContext(tmp_path, [idea()])
    context._values = {}
    outcome = context.outcome()
    assert (outcome.verdict, outcome.reason) == ("drop", "no_pairs")


@pytest.mark.slow
@given(
    words=st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=("C",)), min_size=1, max_size=40),
        min_size=5,
        max_size=12,
        unique=True,
    ),
    seed=st.integers(0, 2**31),
)
@settings(max_examples=60, deadline=None)
def test_whatever_the_words_options_are_apart_and_hold_the_natural_answer(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], seed: int
) -> None:
    from benchwright.construction.distractors.sameness import says_the_same
    from benchwright.construction.manipulation.pair_items import checked
    from benchwright.construction.manipulation.pair_questions.templates import from_template

    high = Change(
        aspect="x", natural=words[0], manipulated=words[1], tempting=tuple(words[2:5]), others=tuple(words[5:])
    )
    written, left_out = checked(from_template(idea(high=high), np.random.default_rng(seed)))
    single = written.single_image
    if single is None:
        assert left_out["single_image"] in {"same_options", "too_few_distractors"}
        return
    options = [single.right, *single.wrong]
    assert len(options) == 5
    assert single.wrong[0].casefold() == (words[0][:1].upper() + words[0][1:]).casefold()
    assert not any(says_the_same(one, other) for n, one in enumerate(options) for other in options[:n])


@pytest.mark.parametrize(
    "wrong",
    [
        {"writer": "endpoint"},
        {"chat": {"model": "m"}},
        {"cross_image": "three"},
        {"questions_per_level": 3},
        {"max_side_px": 3},
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        PairItems.model_validate(wrong)
