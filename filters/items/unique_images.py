"""Choice of the items to keep if several tasks show the same images, so that no two items of the set use the same
source image.

The choice is greedy; apart from sorting, it takes time in proportion to the number of items. Tasks take turns, the one
with the fewest items first. In its turn, a task takes, among the items whose right letter it has chosen least often,
the one whose images are needed least by tasks with few items. A task with few items therefore gets images even if a
task with many items precedes it.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from benchwright.seeds import seed_for
from benchwright.statistics.components import components_of
from benchwright.steps import GatherContext, Gathered, GatherStep, Stream, Verdict

if TYPE_CHECKING:
    import pyarrow as pa

_USED_ALREADY, _ENOUGH = "used_already", "enough"
IMAGE, _PAIR = "image:", "pair:"


class ItemUse(NamedTuple):
    """The facts about an item on which the choice depends.

    Args:
        item_id: Id of the item.
        task: Its task.
        answer: Key of the right option; None if there is none.
        group_keys: Its group keys; `image:...` names source images and `pair:...` items that belong together.
        root_image_id: Source image from which the item was made.
    """

    item_id: str
    task: str
    answer: str | None
    group_keys: tuple[str, ...]
    root_image_id: str

    @property
    def images(self) -> set[str]:
        """Return the source images of the item."""
        named = {key.removeprefix(IMAGE) for key in self.group_keys if key.startswith(IMAGE)}
        return named | {self.root_image_id}


class Refusal(NamedTuple):
    """The reason for leaving an item out.

    Args:
        reason: `used_already` or `enough`.
        evidence: For the former, the source image and one item that shows it.
    """

    reason: str
    evidence: dict[str, Any]


class _Unit(NamedTuple):
    """Items that are kept or left out together; each of their images is used once.

    Args:
        rows: Rows of the items.
        images: Source images, sorted.
        tasks: Number of its items by task.
        letters: Letters of the right options, in the order of rows.
        name: Smallest of its item ids.
    """

    rows: tuple[int, ...]
    images: tuple[str, ...]
    tasks: Mapping[str, int]
    letters: str
    name: str


def choose_unique(items: Sequence[ItemUse], *, uses: int | None, most: int | None, seed: int) -> dict[int, Refusal]:
    """Return the items to leave out, by row, so that no source image is used too often.

    Args:
        items: Items, in any order; the result depends on their content only.
        uses: Number of items, or groups of items of one pair, that may use an image; None for any number.
        most: Largest number of items of a task; None for any number.
        seed: The run's seed.
    """
    units = _units(items)
    totals: Counter[str] = Counter(item.task for item in items)
    queues = _queues(units, totals, seed)
    scarcity = {task: (total, seed_for(seed, UniqueImages.name, task, "turn")) for task, total in totals.items()}
    taken: Counter[str] = Counter()
    letters: dict[str, Counter[str]] = defaultdict(Counter)
    used: Counter[str] = Counter()
    user: dict[str, str] = {}
    left_out: dict[int, Refusal] = {}
    turns = [(0, scarcity[task], task) for task in queues]
    heapq.heapify(turns)
    while turns:
        count, _, task = heapq.heappop(turns)
        if not queues[task]:
            continue
        if count < taken[task]:  # a unit of several tasks came in between
            heapq.heappush(turns, (taken[task], scarcity[task], task))
            continue
        letter = min(queues[task], key=lambda name: (letters[task][name], -len(queues[task][name]), name))
        unit = units[queues[task][letter].pop()]
        if not queues[task][letter]:
            del queues[task][letter]
        refusal = None
        full = [image for image in unit.images if uses is not None and used[image] >= uses]
        if full:
            refusal = Refusal(_USED_ALREADY, {"image": full[0], "shown_by": user[full[0]]})
        elif most is not None and any(taken[name] + number > most for name, number in unit.tasks.items()):
            refusal = Refusal(_ENOUGH, {"items": most})
        if refusal is not None:
            left_out |= dict.fromkeys(unit.rows, refusal)
        else:
            taken.update(unit.tasks)
            letters[task][letter] += 1
            used.update(unit.images)
            for image in unit.images:
                user.setdefault(image, unit.name)
        heapq.heappush(turns, (taken[task], scarcity[task], task))
    return left_out


def _units(items: Sequence[ItemUse]) -> list[_Unit]:
    """Return the groups of items that share a pair's key, directly or through other items."""
    rows: dict[int, list[int]] = defaultdict(list)
    pairs = ([key for key in item.group_keys if key.startswith(_PAIR)] for item in items)
    for row, component in enumerate(components_of(pairs)):
        rows[component].append(row)
    units = []
    for members in rows.values():
        members.sort(key=lambda row: items[row].item_id)
        units.append(
            _Unit(
                tuple(members),
                tuple(sorted(set[str]().union(*(items[row].images for row in members)))),
                Counter(items[row].task for row in members),
                "".join(items[row].answer or "-" for row in members),
                items[members[0]].item_id,
            )
        )
    return units


def _queues(units: Sequence[_Unit], totals: Mapping[str, int], seed: int) -> dict[str, dict[str, list[int]]]:
    """Return the units of each task by letter, in reverse order of use."""
    need: dict[str, float] = defaultdict(float)
    own = [max(number / totals[task] for task, number in unit.tasks.items()) for unit in units]
    # Sums of fractions depend on their order, so they follow the order of names instead of rows.
    for place in sorted(range(len(units)), key=lambda number: units[number].name):
        for image in units[place].images:
            need[image] += own[place]
    cost = [round(sum(need[image] - own[place] for image in unit.images), 9) for place, unit in enumerate(units)]
    draw = [seed_for(seed, UniqueImages.name, unit.name) for unit in units]
    queues: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place in sorted(range(len(units)), key=lambda number: (-cost[number], draw[number])):
        scarcest = min(units[place].tasks, key=lambda task: (totals[task], task))
        queues[scarcest][units[place].letters].append(place)
    return {task: dict(letters) for task, letters in sorted(queues.items())}


class UniqueImages(GatherStep):
    """Keep each source image in one item of the whole set, and limit the number of items of each task.

    BLINK shows an image once. Tasks of one run may compete for the same photographs: this step considers the items of
    all tasks before it, and chooses by the seed. Tasks take turns, so that each gets its share; letters of right
    options stay as even as the choice allows. Items of a pair (`pair:` among their group keys), such as the
    concatenated and single pictures of `multi_view_reasoning`, are kept or dropped together and use their images once.

    Args:
        uses: Number of items, or groups of items of one pair, that may use the same source image; null for any number.
        items: Largest number of items of a task; null for any number.

    Reasons:
        used_already (drop): Items chosen earlier use a source image of the item, or of its pair.
        enough (drop): The task has `items` items without it, or would exceed them with its pair.
    """

    name: ClassVar[str] = "unique_images"
    consumes: ClassVar[Stream] = "items"
    columns: ClassVar[tuple[str, ...]] = ("item_id", "task", "answer", "group_keys", "root_image_id")

    uses: int | None = Field(1, ge=1)
    items: int | None = Field(None, ge=1)

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Choose the items to keep from all items."""
        left_out = choose_unique(list(_read(columns)), uses=self.uses, most=self.items, seed=ctx.seed)
        rows = sorted(left_out)
        verdicts: list[Verdict] = ["drop"] * len(rows)
        return Gathered(
            rows=np.array(rows, np.int64),
            verdicts=verdicts,
            reasons=[left_out[row].reason for row in rows],
            evidence=[left_out[row].evidence for row in rows],
        )


def _read(columns: pa.Table) -> Iterable[ItemUse]:
    values = (columns[name].to_pylist() for name in UniqueImages.columns)
    for item_id, task, answer, group_keys, root_image_id in zip(*values, strict=True):
        yield ItemUse(item_id, task, answer, tuple(group_keys or ()), root_image_id)
