"""What statistics need to know of the items of a release, read without a picture and without making records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright.components import components_of_column

from .release_files import columns_of

if TYPE_CHECKING:
    import pyarrow as pa

    from benchwright.release import Release


def item_facts(release: Release, split: str | None) -> pa.Table:
    """Return a row for each item of a split, or of all, in the order of the release.

    Columns: `item_id`, `split`, `task`; `key`, the letter that is right, null where none is; `options`, their number;
    `group`, the number of the item's cluster: all those with which it shares a group key, directly or through others.

    Raises:
        DataError: A data file is damaged.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    batches = columns_of(release, split, ["item_id", "split", "task", "answer", "refusal", "choices"])
    pieces = [
        pa.table(
            {
                **{name: batch.column(name) for name in ("item_id", "split", "task")},
                "key": pc.coalesce(batch.column("answer"), batch.column("refusal")),
                "options": pc.list_value_length(batch.column("choices")),
            }
        )
        for batch in batches
    ]
    return pa.concat_tables(pieces).append_column("group", pa.array(groups_of(release, split), pa.int64()))


def groups_of(release: Release, split: str | None) -> list[int]:
    """Return the number of each item's cluster, in the order of the release; numbers go up with first items.

    Raises:
        DataError: A data file is damaged.
    """
    return components_of_column([batch.column("group_keys") for batch in columns_of(release, split, ["group_keys"])])


def tasks_of(release: Release, split: str | None) -> list[str]:
    """Return the task of each item, in the order of the release.

    Raises:
        DataError: A data file is damaged.
    """
    return [task for batch in columns_of(release, split, ["task"]) for task in batch.column("task").to_pylist()]
