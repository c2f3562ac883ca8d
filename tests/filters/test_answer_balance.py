"""Right options spread evenly over all letters: the measure, the options that move, and the result."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from skimage.data import chelsea
from worded_items import gathered, item, sha

from benchwright.construction.stated_facts.facts import StatedFacts
from benchwright.diagnostics.shortcuts.answer_letters import Placing, balance, levelling_moves
from benchwright.diagnostics.wording.option_order import may_reorder, names_marks
from benchwright.filters.items.answer_balance import AnswerBalance, AnswerLetters, with_options_swapped
from benchwright.images import encode_png
from benchwright.pipeline import open_view, run_steps
from benchwright.records import LETTERS, Item, ItemImage, PromptStyle, VisualPrompt
from benchwright.steps import FOLDER

pytestmark = pytest.mark.slow

DEFAULTS: dict[str, Any] = {"per": "task", "min_p": 0.05, "mend": "reorder"}
ANIMALS = ["a cat", "a dog", "an owl", "a fox"]


def test_even_letters_are_likely_and_one_sided_ones_are_not() -> None:
    even = balance([Placing(n % 4, 4) for n in range(40)], seed=1)
    assert even.counts == dict.fromkeys("ABCD", 10)
    assert (even.chi_square, even.p) == (0.0, 1.0)
    assert balance([Placing(0, 4)] * 20, seed=1).p == pytest.approx(1e-4, rel=0.01)


def test_the_p_value_is_that_of_an_exact_count() -> None:
    """Of 8 items with two options 7 have A: 2 * (1 + 8) of 256 outcomes are at least as uneven."""
    found = balance([Placing(int(n == 0), 2) for n in range(8)], seed=1)
    assert found.p == pytest.approx(18 / 256, abs=0.01)
    assert found.chi_square == pytest.approx((7 - 4) ** 2 / 4 * 2)


def test_items_with_few_and_with_many_options_stand_together() -> None:
    """Two of two and two of four options: A and B expect 1 + 1/2 each, C and D 1/2 each."""
    found = balance([Placing(0, 2), Placing(1, 2), Placing(2, 4), Placing(3, 4)], seed=1)
    assert found.expected == {"A": 1.5, "B": 1.5, "C": 0.5, "D": 0.5}
    assert found.chi_square == pytest.approx(2 * 0.25 / 1.5 + 2 * 0.25 / 0.5)


@given(
    st.lists(st.tuples(st.integers(2, 5), st.integers(0, 4), st.booleans()), min_size=1, max_size=40),
    st.randoms(use_true_random=False),
)
@settings(max_examples=40, deadline=None)
def test_levelling_is_as_even_as_what_is_free_allows_whatever_the_order(
    drawn: list[tuple[int, int, bool]], chance: random.Random
) -> None:
    placings = [Placing(letter % options, options) for options, letter, _ in drawn]
    free = [one[2] for one in drawn]
    ranks = [sha(str(n)) for n in range(len(drawn))]
    moves = levelling_moves(placings, free, ranks)
    assert all(free[at] and letter < placings[at].options for at, letter in moves.items())
    moved = [one._replace(letter=moves.get(at, one.letter)) for at, one in enumerate(placings)]
    assert levelling_moves(moved, free, ranks) == {}
    order = chance.sample(range(len(drawn)), len(drawn))
    mixed = levelling_moves([placings[at] for at in order], [free[at] for at in order], [ranks[at] for at in order])
    assert {order[place]: letter for place, letter in mixed.items()} == moves


def test_only_as_many_move_as_must() -> None:
    placings = [Placing(0, 4)] * 8
    moves = levelling_moves(placings, [True] * 8, [sha(str(n)) for n in range(8)])
    assert Counter(moves.values()) == {1: 2, 2: 2, 3: 2}


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        (["yes", "no"], {"kind": "yes_no"}),
        (["1", "2", "3"], {}),
        (["30 km/h", "20 km/h", "10 km/h"], {}),
        (["Box A", "Box B"], {}),
        (["A", "B", "C"], {}),
        (["a cat", "a dog", "none of the above"], {}),
        (["a cat", "a dog", "Both of them"], {}),
        (["a cat", "a dog", "same as (A)"], {}),
        (["a cat", "a dog", "neither of the others"], {}),
        (ANIMALS, {"question": "Is the first option right?"}),
        (ANIMALS, {"explanation": "Option B is wrong since it barks."}),
    ],
)
def test_options_whose_order_means_something_stay(options: list[str], fields: dict[str, Any]) -> None:
    assert not may_reorder(item("x", options=options, **fields))


@pytest.mark.parametrize(
    "options", [ANIMALS, ["3", "1", "2"], ["In the lower part", "Above the sea", "First of all"], ["I see A cat", "no"]]
)
def test_other_options_may_move(options: list[str]) -> None:
    assert may_reorder(item("x", options=options))


def test_two_options_change_places_and_the_keys_with_them() -> None:
    one = item("x", options=ANIMALS, answer="A", refusal="D")
    other = with_options_swapped(one, "A", "D", evidence={"why": 1})
    assert [choice.text for choice in other.choices] == ["a fox", "a dog", "an owl", "a cat"]
    assert (other.answer, other.refusal, other.revision) == ("D", "A", 1)
    assert other.item_id == one.item_id
    assert other.content_hash != one.content_hash
    assert with_options_swapped(other, "A", "D", evidence={}).choices == one.choices


def test_pictures_that_are_options_change_places_too_so_that_the_question_still_names_them_in_order() -> None:
    one = item("x", "Which fits: <image 2> or <image 3>?", pictures=["left", "right"])
    other = with_options_swapped(one, "A", "B", evidence={})
    assert [image.image_id for image in other.images[1:]] == [choice.image_id for choice in other.choices]
    assert other.choices[1].image_id == sha("left")
    assert other.answer == "B"


def lopsided(count: int = 24, **fields: Any) -> list[Item]:
    return [item(f"{n}", f"Question {n}?", ANIMALS, "ABCD"[n % 8 == 0], **fields) for n in range(count)]


def mended(items: list[Item], **setting: Any) -> list[Item]:
    said = gathered(AnswerLetters(**{**DEFAULTS, **setting}), items)
    swaps = [said[one.item_id].values["swap"] if one.item_id in said else None for one in items]
    return [
        one if swap is None else with_options_swapped(one, *swap, evidence={})
        for one, swap in zip(items, swaps, strict=True)
    ]


def test_one_sided_keys_are_spread_evenly_and_then_nothing_more_changes() -> None:
    items = lopsided()
    once = mended(items)
    assert Counter(one.answer for one in once) == dict.fromkeys("ABCD", 6)
    assert mended(once) == once
    key_texts = [[one.text for one in x.choices if one.key == x.answer] for x in items]
    assert [[one.text for one in x.choices if one.key == x.answer] for x in once] == key_texts


@given(st.randoms(use_true_random=False))
@settings(max_examples=10, deadline=None)
def test_the_order_of_items_does_not_matter(chance: random.Random) -> None:
    items = lopsided()
    mixed = mended(chance.sample(items, len(items)))
    assert sorted(mixed, key=lambda one: one.item_id) == sorted(mended(items), key=lambda one: one.item_id)


def test_refusals_are_levelled_and_never_trade_places_with_the_answer() -> None:
    items = [item(f"{n}", f"Question {n}?", ANIMALS, "ABC"[n % 3], refusal="D") for n in range(24)]
    once = mended(items)
    assert all(one.answer != one.refusal for one in once)
    assert [one.answer for one in once] == [one.answer for one in items]
    assert max(Counter(one.refusal for one in once).values()) < 24


def test_what_may_not_move_is_asked_about_as_often_as_it_is_too_many() -> None:
    items = lopsided(24, explanation="Option A says it.")
    said = gathered(AnswerLetters(**DEFAULTS), items)
    assert {one.values["swap"] for one in said.values()} == {None}
    asked = [one for one in said.values() if one.verdict == "ask"]
    assert len(asked) == 21 - 6
    assert {one.reason for one in asked} == {"unbalanced_letters"}
    assert asked[0].evidence["counts"] == {"A": 21, "B": 3, "C": 0, "D": 0}
    assert {one.verdict for one in gathered(AnswerLetters(**DEFAULTS | {"mend": "none"}), items).values()} == {"keep"}
    only_asked = gathered(AnswerLetters(**DEFAULTS | {"mend": "ask"}), lopsided())
    assert {one.values["swap"] for one in only_asked.values()} == {None}
    assert sum(one.verdict == "ask" for one in only_asked.values()) == 15


def test_letters_that_chance_made_a_little_uneven_are_levelled_only_where_the_setting_says_so() -> None:
    chance = random.Random(3)
    keys = [chance.sample("ABCD", 2) for _ in range(402)]
    items = [item(f"{n}", f"Question {n}?", ANIMALS, key, refusal=other) for n, (key, other) in enumerate(keys)]
    assert mended(items) == items
    once = mended(items, reorders="always")
    for name in ("answer", "refusal"):
        counts = Counter(getattr(one, name) for one in once)
        assert max(counts.values()) - min(counts.values()) <= 1 < max(Counter(map(by(name), items)).values()) - 100
    assert mended(once, reorders="always") == once
    moved = sum(one.revision for one in once)
    assert 0 < moved < 60


def by(name: str) -> Callable[[Item], Any]:
    return lambda one: getattr(one, name)


def test_levelling_all_groups_asks_about_nothing_that_chance_explains() -> None:
    items = [item(f"{n}", "Is option A right?", ANIMALS, "AABC"[n % 4]) for n in range(8)]
    said = gathered(AnswerLetters(**DEFAULTS, reorders="always"), items)
    assert {(one.verdict, one.values["swap"]) for one in said.values()} == {("keep", None)}


def test_tasks_stand_for_themselves_or_together() -> None:
    first = [item(f"a{n}", f"Question {n}?", ANIMALS[:2], "A", task="one") for n in range(12)]
    second = [item(f"b{n}", f"Question {n}?", ANIMALS[:2], "B", task="two") for n in range(12)]
    assert len([1 for one in mended(first + second) if one.revision]) == 12
    assert mended(first + second, per="all") == first + second


def test_items_without_a_key_are_not_spoken_of() -> None:
    assert gathered(AnswerLetters(**DEFAULTS), [item("x", answer=None)]) == {}
    assert gathered(AnswerLetters(**DEFAULTS), []) == {}


FACTS = """
format: benchwright-facts
version: 1
images:
  cat.png:
    size_wh: [451, 300]
    unanswerable:
"""


def test_a_run_makes_a_new_revision_that_later_steps_see(tmp_path: Path) -> None:
    """Sixty questions with one refusal each: their letters are drawn, so an impossible threshold has to move some."""
    from benchwright.construction.tasks.beyond_the_image import BeyondTheImage

    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.png").write_bytes(encode_png(np.ascontiguousarray(chelsea())))
    lines = [f"      - {{name: n{n}, why: other_modality, ask: 'Why {n}?', wrong: [red, green]}}\n" for n in range(60)]
    (tmp_path / "facts.yaml").write_text(FACTS + "".join(lines), encoding="utf-8")
    facts = StatedFacts.model_validate({"file": "facts.yaml"}, context={FOLDER: tmp_path})
    steps = [facts, BeyondTheImage(), AnswerBalance(min_p=1.0)]
    done = run_steps(steps, images=tmp_path / "photos", workspace=tmp_path / "w", workers=1)
    items = [one for one, _ in open_view(tmp_path / "w").items()]
    assert Counter(one.refusal for one in items) == dict.fromkeys("ABC", 20)
    moved = [one for one in items if one.revision == 1]
    assert 0 < len(moved) == done.steps[-1].made < 30
    for one in moved:
        assert set(one.evidence["reordered"]["swapped"]) >= {one.refusal}
        assert next(choice.text for choice in one.choices if choice.key == one.refusal).startswith("The picture")
    again = run_steps(steps, images=tmp_path / "photos", workspace=tmp_path / "w", workers=1)
    assert again.executed == 0
    assert [LETTERS.index(one.refusal) for one, _ in open_view(tmp_path / "w").items() if one.refusal] == [
        LETTERS.index(one.refusal) for one in items if one.refusal
    ]


@pytest.mark.parametrize(
    "setting",
    [{"min_p": -1}, {"per": "image"}, {"mend": "drop"}, {"reorders": "never"}, {"reorders": "always", "mend": "none"}],
)
def test_wrong_settings_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AnswerBalance(**setting)


def marked_item(*, keys: str = "ABCD", kind: str = "ring", twin: str | None = None) -> Item:
    marks = [
        VisualPrompt(
            kind=kind,  # type: ignore[arg-type]
            image_id=sha("second"),
            points=((10.0 * n + 10, 20.0),),
            label=key,
            style=PromptStyle(color=("#ff0000", "#0060ff")[n % 2]),
        )
        for n, key in enumerate(keys)
    ]
    reference = VisualPrompt(kind="ring", image_id=sha("first"), points=((5.0, 5.0),), label="REF", style=PromptStyle())
    made = item("one", "Which point?", [f"Point {key}" for key in "ABCD"], "A")
    return made.model_copy(
        update={
            "images": (
                ItemImage(image_id=sha("first"), role="view", prompts=(reference,)),
                ItemImage(image_id=sha("second"), role="view", prompts=tuple(marks)),
            ),
            "group_keys": made.group_keys if twin is None else (f"twin:{twin}",),
        }
    )


def test_marks_that_options_name_trade_places_and_keep_their_colors() -> None:
    before = marked_item()
    after = with_options_swapped(before, "A", "C", evidence={"why": "test"})
    assert after.answer == "C"
    assert after.choices == before.choices
    assert after.images[0] == before.images[0]
    points = {prompt.label: prompt.points[0][0] for prompt in after.images[1].prompts}
    assert points == {"A": 30.0, "B": 20.0, "C": 10.0, "D": 40.0}
    assert [prompt.style for prompt in after.images[1].prompts] == [prompt.style for prompt in before.images[1].prompts]


@pytest.mark.parametrize("keys", ["ABC", "AABCD", "ABCE"])
def test_marks_trade_places_only_where_each_option_has_one(keys: str) -> None:
    assert not names_marks(marked_item(keys=keys))
    assert names_marks(marked_item())


def test_options_that_name_marks_are_levelled_and_those_of_twins_are_not() -> None:
    step = AnswerLetters(per="task", min_p=0.05, mend="reorder", reorders="always")
    alone = [marked_item().model_copy(update={"item_id": sha(str(n))[:32]}) for n in range(8)]
    swaps = [said.values["swap"] for said in gathered(step, alone).values()]
    assert Counter(swap for swap in swaps if swap) == {"AB": 2, "AC": 2, "AD": 2}
    twins = [marked_item(twin="t").model_copy(update={"item_id": sha(str(n))[:32]}) for n in range(8)]
    assert not any(said.values["swap"] for said in gathered(step, twins).values())
