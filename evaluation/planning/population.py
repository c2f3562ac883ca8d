"""The items that a plan may ask: those of a release, with their clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.texts.normalization import counted

from ..item_sample import sample_of_ids
from ..prompting.release_files import check_files, item_facts
from ..run import sealed_splits_asked

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from benchwright.release import Release


class Population(NamedTuple):
    """The items of a release, in its order.

    Args:
        release: Name and version of the release.
        release_id: Id of the release.
        split: Name of the split; all splits if None.
        items: Facts about the items, as `item_facts` returns them.
        group: Index of each item's cluster.
    """

    release: str
    release_id: str
    split: str | None
    items: pa.Table
    group: NDArray[np.int64]

    @property
    def item_ids(self) -> pa.ChunkedArray:
        """Return the ids of the items."""
        return self.items.column("item_id")

    @property
    def size(self) -> int:
        """Return the number of items."""
        return int(self.items.num_rows)

    @property
    def clusters(self) -> int:
        """Return the number of clusters."""
        return int(self.group.max()) + 1

    @property
    def in_cluster(self) -> float:
        """Return the mean, over items, of the number of items in an item's cluster; 1 if no items share a cluster.

        It is the design effect of a mean if the items of a cluster are all right or all wrong.
        """
        import numpy as np

        sizes = np.bincount(self.group).astype(np.float64)
        return float(sizes @ sizes) / self.size

    def of_tasks(self, places: NDArray[np.int64]) -> tuple[Population, NDArray[np.int64]]:
        """Return the items in the tasks of the given items, and the new index of each item; -1 for items that are not
        included.

        Args:
            places: Indices of items; a model that takes only some tasks is asked no other tasks.
        """
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        tasks = self.items.column("task")
        held = pc.is_in(tasks, value_set=pc.unique(tasks.take(pa.array(np.unique(places))))).to_numpy()
        place = np.full(self.size, -1, dtype=np.int64)
        place[held] = np.arange(int(held.sum()))
        group = np.unique(self.group[held], return_inverse=True)[1]
        return self._replace(items=self.items.filter(pa.array(held)), group=group), place

    def drawn(self, items: int) -> list[int]:
        """Return the indices of the items that `--limit` asks, in the release's order; all items from `size` on."""
        if items >= self.size:
            return list(range(self.size))
        ids, splits, tasks = (self.items.column(name).to_pylist() for name in ("item_id", "split", "task"))
        sample = sample_of_ids(zip(ids, zip(splits, tasks, strict=True), strict=True), items)
        assert sample is not None
        return [place for place, item_id in enumerate(ids) if item_id in sample.item_ids]


def population_of(release: Release, split: str | None = None) -> Population:
    """Return the items of a release that can be asked and scored.

    Raises:
        BenchwrightError: The split does not exist, the answers of a split are sealed, or there are fewer than two
            items.
        DataError: A data file is damaged.
    """
    if split is not None and split not in release.splits:
        raise BenchwrightError(f"{release.path} has no split {split!r}; it has {', '.join(release.splits)}")
    if sealed := sealed_splits_asked(release, split):
        raise BenchwrightError(
            f"the answers of {', '.join(sealed)} are sealed, so an answer file covers all items, each once; plan on "
            "an open split (--split NAME)"
        )
    check_files(release, split)
    items = item_facts(release, split)
    if items.num_rows < 2:
        raise BenchwrightError(
            f"{release.path} has {counted(items.num_rows, 'item')} to ask; an interval needs two or more"
        )
    return Population(
        f"{release.name} {release.version}", release.release_id, split, items, items.column("group").to_numpy()
    )
