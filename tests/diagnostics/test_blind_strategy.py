"""The best blind strategy: the planted facts of a set yield one figure, which luck does not increase."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from worded_items import item

from benchwright.diagnostics.item_report import report_on
from benchwright.diagnostics.shortcuts import blind_strategy as measuring
from benchwright.diagnostics.shortcuts.blind_strategy import blind_strategy, measured_items
from benchwright.exports.freezing.shortcut_note import blind_note, shortcut_note
from benchwright.records import LETTERS, Item
from benchwright.release.format.blind_strategy import BlindStrategy

WORDS = ["river", "table", "stone", "cloud", "tiger", "glass", "paper", "chair", "bread", "horse", "plant", "knife"]


def items(
    number: int, key: Callable[[int, np.random.Generator], int], *, tasks: int = 1, options: int = 4, seed: int = 1
) -> list[Item]:
    """Return items whose options are words drawn at random."""
    rng = np.random.default_rng(seed)
    return [
        item(
            f"{seed} {place}",
            f"What is beside the {' and the '.join(rng.choice(WORDS, 2))}?",
            [f"the {word}" for word in rng.choice(WORDS, options, replace=False)],
            LETTERS[key(place, rng)],
            task=f"task_{place % tasks}",
        )
        for place in range(number)
    ]


def mostly_a(_: int, rng: np.random.Generator) -> int:
    return 0 if rng.random() < 0.65 else int(rng.integers(1, 4))


def evenly(_: int, rng: np.random.Generator) -> int:
    return int(rng.integers(0, 4))


@pytest.mark.slow
def test_two_hundred_items_in_forty_tasks_with_most_keys_under_a_do_not_pass() -> None:
    of_forty = items(200, mostly_a, tasks=40)
    blind = blind_strategy(of_forty)
    assert blind is not None
    assert blind.strategy == "always A"
    assert blind.exceeds(0.05)
    assert blind.accuracy == pytest.approx(0.65, abs=0.06)
    uneven = [letters.group for letters in report_on(of_forty).letters if letters.is_uneven]
    assert [group.task for group in uneven] == [None]


def test_thirty_own_questions_that_a_constant_answers_have_no_card_that_says_no_cue() -> None:
    own = items(30, lambda place, _: int(place >= 22), options=2)
    said = blind_note(own)
    assert said.blind is not None
    assert said.blind.beats_chance
    assert "always A" in said.paragraph(None)
    note = shortcut_note(((one, {"shortcuts.solvers.solvers": ()}) for one in own), blind=said.blind)
    assert "no cue" not in note
    assert "beats chance" in note


@pytest.mark.slow
def test_a_set_without_a_cue_has_chance_however_many_strategies_are_tried() -> None:
    measured = [blind_strategy(items(40, evenly, tasks=4, seed=seed)) for seed in range(20)]
    gains = [blind.accuracy - blind.chance for blind in measured if blind is not None]
    assert len(gains) == 20
    assert np.mean(gains) < 0.05  # the best of as many, measured where it was chosen, has .1 and more
    assert sum(blind is not None and blind.beats_chance for blind in measured) <= 3


def test_the_luck_of_choosing_among_strategies_is_no_cue() -> None:
    lucky = BlindStrategy(strategy="always A", accuracy=0.4286, ci=(0.2651, 0.6093), chance=0.25, items=28, tried=30)
    telling = lucky.model_copy(update={"accuracy": 0.6429, "ci": (0.4584, 0.7929)})
    assert [blind.beats_chance for blind in (lucky, telling)] == [False, True]


def test_items_that_share_a_picture_are_chosen_on_and_measured_together() -> None:
    # Each picture has one right word, which a strategy would know from the other items of that picture alone.
    rng = np.random.default_rng(3)
    shared = []
    for picture in range(30):
        right, *wrong = rng.choice(WORDS, 4, replace=False)
        for number in range(4):
            options = [*rng.permutation(wrong)]
            place = int(rng.integers(0, 4))
            options.insert(place, right)
            shared.append(item(f"{picture} {number}", "What?", options, LETTERS[place], picture=f"picture {picture}"))
    blind = blind_strategy(shared)
    assert blind is not None
    assert not blind.exceeds(0.05)


def test_the_order_of_items_changes_nothing_and_few_items_have_no_figure() -> None:
    of_one = items(60, mostly_a)
    assert blind_strategy(of_one) == blind_strategy(of_one[::-1])
    assert blind_strategy(of_one[:9]) is None


def test_of_many_items_those_with_the_smallest_ids_and_a_key_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "MOST_ITEMS", 3)
    some = items(8, lambda place, _: place % 4)
    some[0] = some[0].model_copy(update={"answer": None})
    keyed = [each for each in some if each.right_key is not None]
    assert len(keyed) == 7
    assert measured_items(reversed(some)) == sorted(keyed, key=lambda each: each.item_id)[:3]
