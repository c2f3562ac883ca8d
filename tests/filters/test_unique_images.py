"""Each source image in one item of the whole set, with a share for every task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from worded_items import sha

from benchwright.filters.items.unique_images import ItemUse, Refusal, UniqueImages, choose_unique
from benchwright.steps import GatherContext

pytestmark = pytest.mark.slow


def use(
    name: str, images: Sequence[str], *, task: str = "naming", answer: str | None = "A", pair: str | None = None
) -> ItemUse:
    """Return an item that shows these images."""
    keys = [f"image:{sha(image)}" for image in images] + ([f"pair:{pair}"] if pair else [])
    return ItemUse(sha(f"item {name}")[:32], task, answer, tuple(sorted(keys)), sha(images[0]))


def kept(items: Sequence[ItemUse], *, uses: int | None = 1, most: int | None = None, seed: int = 5) -> list[ItemUse]:
    left_out = choose_unique(items, uses=uses, most=most, seed=seed)
    return [item for row, item in enumerate(items) if row not in left_out]


@st.composite
def sets_of_items(draw: st.DrawFn) -> list[ItemUse]:
    number = draw(st.integers(0, 40))
    return [
        use(
            str(place),
            draw(st.lists(st.sampled_from("abcdefghijklmnop"), min_size=1, max_size=3)),
            task=draw(st.sampled_from(["counting", "jigsaw", "depth"])),
            answer=draw(st.sampled_from(["A", "B", "C", None])),
            pair=draw(st.sampled_from([None, None, None, "p", "q", "r"])),
        )
        for place in range(number)
    ]


def units(items: Sequence[ItemUse]) -> dict[str, list[ItemUse]]:
    """Return items by their pair; those of none by their own id."""
    found: dict[str, list[ItemUse]] = {}
    for item in items:
        pairs = [key for key in item.group_keys if key.startswith("pair:")]
        found.setdefault(pairs[0] if pairs else item.item_id, []).append(item)
    return found


def images_of(items: Sequence[ItemUse]) -> set[str]:
    return {key for item in items for key in item.group_keys if key.startswith("image:")}


@given(items=sets_of_items(), uses=st.integers(1, 3), most=st.sampled_from([None, 1, 2, 5]), seed=st.integers(0, 99))
def test_limits_hold_pairs_are_whole_and_nothing_that_fits_is_left_out(
    items: list[ItemUse], uses: int, most: int | None, seed: int
) -> None:
    chosen = kept(items, uses=uses, most=most, seed=seed)
    names = {item.item_id for item in chosen}
    used = Counter(image for unit in units(chosen).values() for image in images_of(unit))
    tasks = Counter(item.task for item in chosen)
    assert max(used.values(), default=0) <= uses
    assert most is None or max(tasks.values(), default=0) <= most
    for unit in units(items).values():
        states = {item.item_id in names for item in unit}
        assert len(states) == 1
        if states == {False}:
            has_room = all(used[image] < uses for image in images_of(unit))
            more = tasks + Counter(item.task for item in unit)
            assert not (has_room and (most is None or max(more[item.task] for item in unit) <= most))


@given(items=sets_of_items(), seed=st.integers(0, 99), order=st.randoms(use_true_random=False))
def test_the_choice_depends_on_content_and_seed_only(items: list[ItemUse], seed: int, order: object) -> None:
    shuffled = list(items)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    assert set(kept(shuffled, seed=seed)) == set(kept(items, seed=seed))


@given(items=sets_of_items(), most=st.sampled_from([None, 2]), seed=st.integers(0, 99))
def test_a_second_pass_changes_nothing(items: list[ItemUse], most: int | None, seed: int) -> None:
    chosen = kept(items, most=most, seed=seed)
    assert kept(chosen, most=most, seed=seed) == chosen


@given(seed=st.integers(0, 99))
def test_a_scarce_task_gets_the_images_that_only_it_can_use(seed: int) -> None:
    plenty = [use(f"plenty {number}", [f"{number}"], task="jigsaw") for number in range(60)]
    scarce = [use(f"scarce {number}", [f"{number}"], task="counting") for number in range(20)]
    tasks = Counter(item.task for item in kept([*plenty, *scarce], seed=seed))
    assert tasks == {"jigsaw": 40, "counting": 20}


@given(seed=st.integers(0, 99))
def test_tasks_with_the_same_images_share_them_within_one(seed: int) -> None:
    items = [use(f"{task} {n}", [f"{n}"], task=task) for task in ("jigsaw", "depth", "counting") for n in range(50)]
    tasks = Counter(item.task for item in kept(items, seed=seed))
    assert sum(tasks.values()) == 50
    assert max(tasks.values()) - min(tasks.values()) <= 1


@given(seed=st.integers(0, 99))
def test_letters_are_even_as_far_as_the_choice_allows(seed: int) -> None:
    letters = "A" * 30 + "B" * 10 + "C" * 10 + "D" * 10
    items = [use(str(number), [f"{number}"], answer=letter) for number, letter in enumerate(letters)]
    assert Counter(item.answer for item in kept(items, most=24, seed=seed)) == dict.fromkeys("ABCD", 6)


def test_another_seed_chooses_other_items() -> None:
    items = [use(f"{task} {n}", [f"{n}"], task=task) for task in ("jigsaw", "depth") for n in range(30)]
    choices = {frozenset(item.item_id for item in kept(items, seed=seed)) for seed in range(5)}
    assert len(choices) == 5


def test_both_items_of_a_pair_use_their_image_once() -> None:
    pair = [use("single", ["x"], pair="p"), use("concatenated", ["x"], pair="p")]
    assert kept(pair) == pair
    assert kept([*pair, use("more", ["y"], pair="p")], most=2) == []


def test_each_reason_names_what_stands_against_an_item() -> None:
    first, second, other = use("1", ["x"]), use("2", ["x"]), use("3", ["y"])
    left_out = choose_unique([first, second], uses=1, most=None, seed=5)
    [(row, refusal)] = left_out.items()
    shown_by = (first, second)[1 - row].item_id
    assert refusal == Refusal("used_already", {"image": sha("x"), "shown_by": shown_by})
    [refusal] = choose_unique([first, other], uses=1, most=1, seed=5).values()
    assert refusal == Refusal("enough", {"items": 1})
    assert choose_unique([first, second], uses=None, most=None, seed=5) == {}
    assert choose_unique([], uses=1, most=1, seed=5) == {}


def test_the_step_drops_what_is_left_out() -> None:
    items = [use("1", ["x"]), use("2", ["x"]), use("3", ["y"])]
    table = pa.table({name: [getattr(item, name) for item in items] for name in UniqueImages.columns})
    gathered = UniqueImages().gather(table, GatherContext(5, "unique_images"))
    assert (gathered.verdicts, gathered.reasons) == (["drop"], ["used_already"])
    assert gathered.rows.tolist() in ([0], [1])


@pytest.mark.parametrize("settings", [{"uses": 0}, {"items": 0}, {"other": 1}])
def test_wrong_settings_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        UniqueImages(**settings)  # type: ignore[arg-type]
