"""Splits.

- Items that share a group key, directly or through others, are never separated.
- Row order changes nothing; the seed does.
- Splits of a size count images.
- Each task comes as close to its share as whole components allow.
"""

from __future__ import annotations

import tracemalloc
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from benchwright.exports.freezing.splits import Splits, assign_sizes, assign_splits
from benchwright.steps import GatherContext

ITEM = st.tuples(
    st.lists(st.sampled_from([f"image:{n}" for n in range(12)]), max_size=3),
    st.sampled_from(["jigsaw", "correspondence", "counting"]),
)
ITEMS = st.lists(ITEM, min_size=1, max_size=40)
FRACTIONS = st.sampled_from([{"val": 0.5, "test": 0.5}, {"a": 0.7, "b": 0.2, "c": 0.1}, {"only": 1.0}])


KEYS = pa.list_(pa.string())


def column(values: list[Any], kind: pa.DataType | None = None) -> pa.ChunkedArray:
    """Return values as a column in two chunks."""
    middle = len(values) // 2
    return pa.chunked_array([values[:middle], values[middle:]], kind or pa.string())


def split_of(
    items: list[tuple[list[str], str]], fractions: dict[str, float], seed: int = 0, order: list[int] | None = None
) -> dict[str, str]:
    """Return each item's split by id, with the rows handed over in an order."""
    rows = order if order is not None else list(range(len(items)))
    ids = [f"{row:032x}" for row in rows]
    keys, tasks = ([items[row][part] for row in rows] for part in (0, 1))
    found = assign_splits(column(ids), column(keys, KEYS), column(tasks), fractions=fractions, seed=seed)
    return dict(zip(ids, found, strict=True))


@pytest.mark.slow
@given(ITEMS, FRACTIONS, st.integers(0, 9))
def test_what_shares_a_group_key_is_never_parted(items, fractions, seed):
    found = list(split_of(items, fractions, seed).values())
    assert set(found) <= fractions.keys()
    by_key: dict[str, set[str]] = {}
    for (keys, _), split in zip(items, found, strict=True):
        for key in keys:
            by_key.setdefault(key, set()).add(split)
    assert all(len(splits) == 1 for splits in by_key.values())


@pytest.mark.slow
@given(ITEMS, FRACTIONS, st.integers(0, 9), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_of_fractions_does_not_show(items, fractions, seed, rng):
    order = rng.sample(range(len(items)), k=len(items))
    mirrored = dict(reversed(fractions.items()))
    assert split_of(items, fractions, seed) == split_of(items, mirrored, seed, order)


@pytest.mark.slow
@given(st.lists(ITEM.map(lambda item: (item[0], "jigsaw")), min_size=1, max_size=40), FRACTIONS)
def test_no_split_exceeds_its_share_by_the_largest_component(items, fractions):
    counts = Counter(split_of(items, fractions).values())
    largest = max(_component_sizes(items))
    for split, share in fractions.items():
        assert counts[split] - share * len(items) < largest


def _component_sizes(items: list[tuple[list[str], str]]) -> list[int]:
    """Merge sets of keys until none meet; an independent and slow way to the components."""
    groups = [({f"item:{n}", *keys}, 1) for n, (keys, _) in enumerate(items)]
    merged: list[tuple[set[str], int]] = []
    for keys, n in groups:
        apart = [other for other in merged if not other[0] & keys]
        meeting = [other for other in merged if other[0] & keys]
        whole = set(keys).union(*(other[0] for other in meeting))
        merged = [*apart, (whole, n + sum(other[1] for other in meeting))]
    return [n for _, n in merged]


def test_each_task_is_shared_out_as_asked_where_items_stand_alone():
    items = [([], "jigsaw")] * 60 + [([], "counting")] * 20 + [([], "colour")] * 10
    found = list(split_of(items, {"train": 0.5, "val": 0.2, "test": 0.3}).values())
    counts = Counter((task, split) for (_, task), split in zip(items, found, strict=True))
    assert counts == {
        ("jigsaw", "train"): 30, ("jigsaw", "val"): 12, ("jigsaw", "test"): 18,
        ("counting", "train"): 10, ("counting", "val"): 4, ("counting", "test"): 6,
        ("colour", "train"): 5, ("colour", "val"): 2, ("colour", "test"): 3,
    }  # fmt: skip


@given(
    st.lists(
        st.tuples(st.sampled_from(["jigsaw", "counting", "depth", "art_style"]), st.integers(1, 3)),
        min_size=1, max_size=40,
    ),
    st.integers(0, 9),
)  # fmt: skip
def test_each_task_is_halved_within_one_item_or_one_of_its_groups(groups, seed):
    items = [([f"pair:{n}"], task) for n, (task, size) in enumerate(groups) for _ in range(size)]
    found = list(split_of(items, {"val": 0.5, "test": 0.5}, seed).values())
    counts = Counter((task, split) for (_, task), split in zip(items, found, strict=True))
    for task in {task for task, _ in groups}:
        largest = max(size for other, size in groups if other == task)
        has_single = (task, 1) in groups
        difference = abs(counts[task, "val"] - counts[task, "test"])
        assert difference <= largest
        assert difference <= largest - (has_single and largest > 1)


def test_odd_items_of_two_tasks_do_not_all_land_in_one_split():
    items = [([], "jigsaw")] * 3 + [([], "counting")] * 3
    assert Counter(split_of(items, {"val": 0.5, "test": 0.5}).values()) == {"val": 3, "test": 3}


def test_items_joined_through_a_chain_stay_together():
    items = [([f"link:{n}", f"link:{n + 1}"], "jigsaw") for n in range(30)] + [([], "jigsaw")] * 30
    found = list(split_of(items, {"val": 0.5, "test": 0.5}).values())
    assert len(set(found[:30])) == 1
    assert set(found[30:]) == {"val", "test"} - set(found[:30])


def test_another_seed_gives_another_assignment_of_the_same_sizes():
    items = [([], "jigsaw")] * 40
    one, other = (split_of(items, {"val": 0.5, "test": 0.5}, seed) for seed in (1, 2))
    assert one != other
    assert Counter(one.values()) == Counter(other.values()) == {"val": 20, "test": 20}


@pytest.mark.parametrize(
    "added", [[(["image:new"], "jigsaw")], [(["image:new"], "jigsaw"), (["image:new"], "counting")]]
)
@pytest.mark.parametrize("fractions", [{"val": 0.5, "test": 0.5}, {"train": 0.5, "val": 0.2, "test": 0.3}])
def test_an_image_added_moves_hardly_any_other(added, fractions):
    items = [([f"image:{n}"], task) for n in range(200) for task in ("jigsaw", "counting")[: 1 + n % 2]]
    before, after = split_of(items, fractions), split_of([*items, *added], fractions)
    # At most one component of each of both kinds at each of the borders between splits.
    assert sum(after[item_id] != split for item_id, split in before.items()) <= 3 * (len(fractions) - 1)


def test_the_step_speaks_of_every_row():
    table = pa.table(
        {
            "item_id": ["b" * 32, "a" * 32, "c" * 32],
            "group_keys": pa.array([["x"], None, ["x"]], pa.list_(pa.string())),
            "task": ["jigsaw", "jigsaw", "counting"],
        }
    )
    found = Splits().gather(table, GatherContext(seed=4, stage="splits"))
    assert found.rows.tolist() == [0, 1, 2]
    first, second, third = found.values["split"]
    assert first == third != second
    assert {first, second} == {"val", "test"}


def test_no_items_give_no_splits():
    empty = pa.table({"item_id": column([]), "group_keys": column([], KEYS), "task": column([])})
    assert Splits().gather(empty, GatherContext(0, "splits")).values == {"split": []}


@pytest.mark.parametrize(
    ("fractions", "message"),
    [
        pytest.param({"val": 0.5, "test": 0.6}, "sum to 1.1", id="too-much"),
        pytest.param({}, "sum to 0", id="none"),
        pytest.param({"val": 0.0, "test": 1.0}, "above 0", id="nothing"),
        pytest.param({"val": -1.0, "test": 2.0}, "above 0", id="negative"),
        pytest.param({"Val": 1.0}, "cannot be named 'Val'", id="upper-case"),
        pytest.param({"../val": 1.0}, "cannot be named", id="path"),
        pytest.param({"all": 1.0}, "cannot be named 'all'", id="all"),
        pytest.param({"val": float("nan")}, "finite", id="nan"),
    ],
)
def test_shares_that_are_none_are_refused(fractions, message):
    with pytest.raises(ValidationError, match=message):
        Splits(fractions=fractions)


def test_the_parameters_do_not_depend_on_the_order_of_the_shares():
    one, other = Splits(fractions={"val": 0.4, "test": 0.6}), Splits(fractions={"test": 0.6, "val": 0.4})
    assert one.operation(1).operation_id == other.operation(1).operation_id


def sized(images: list[int], sizes: dict[str, int], seed: int = 0) -> list[str]:
    """Return the splits of items, each of which is about the image of this number."""
    return assign_sizes(
        column([f"{row:032x}" for row in range(len(images))]),
        column([[f"image:{image}"] for image in images], KEYS),
        column([str(image) for image in images]),
        sizes=sizes,
        rest="test",
        seed=seed,
    )


def test_splits_of_a_size_count_images_and_never_part_their_items():
    images = [*range(100), *range(0, 100, 3)]
    splits = sized(images, {"dev": 15, "validation": 20})
    by_split = {name: {image for image, split in zip(images, splits, strict=True) if split == name} for name in splits}
    assert {name: len(held) for name, held in by_split.items()} == {"dev": 15, "validation": 20, "test": 65}
    assert sized(images, {"validation": 20, "dev": 15}) == splits
    assert sized(images, {"dev": 15, "validation": 20}, seed=1) != splits


def test_where_there_are_few_half_of_them_stay_for_the_rest(caplog):
    counts = Counter(sized(list(range(35)), {"dev": 15, "validation": 20}))
    assert counts == {"dev": 7, "validation": 10, "test": 18}
    assert "35 are fewer than twice the 35" in caplog.text
    assert set(sized([1, 2, 3], {"dev": 15, "validation": 20})) <= {"validation", "test"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sizes": {"dev": 5}, "fractions": {"dev": 1.0}}, "either `fractions` or `sizes`"),
        ({"sizes": {"test": 5}}, "gets the rest"),
        ({"sizes": {"dev": 0}}, "has the size 0"),
        ({"sizes": {"all": 3}}, "cannot be named 'all'"),
        ({"counted": "items"}, "require `sizes`"),
    ],
)
def test_sizes_that_contradict_are_refused(settings, message):
    with pytest.raises(ValidationError, match=message):
        Splits(**settings)


def test_shares_are_recorded_as_before_and_sizes_in_their_place():
    assert Splits().parameters() == {"fractions": {"test": 0.5, "val": 0.5}}
    assert Splits(sizes={"dev": 15}).parameters() == {"counted": "images", "rest": "test", "sizes": {"dev": 15}}


def test_a_split_takes_little_memory_for_each_item():
    count = 4000
    table = pa.table(
        {
            "item_id": column([f"{row:032x}" for row in range(count)]),
            "group_keys": column([[f"image:{row}"] for row in range(count)], KEYS),
            "task": column(["jigsaw"] * count),
        }
    )
    Splits().gather(table.slice(0, 1), GatherContext(0, "splits"))  # what is imported does not count
    tracemalloc.start()
    Splits().gather(table, GatherContext(0, "splits"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak / count < 200  # bytes; a list of ids and one of keys alone take 250
