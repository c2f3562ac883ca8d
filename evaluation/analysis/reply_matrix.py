"""The replies of all models in a folder of results as a matrix with one row per model and one column per item."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.errors import BenchwrightError, DataError
from benchwright.files.parquet_tables import UnreadableParquet
from benchwright.records import LETTERS

from ..prompting.release_files import check_files, item_facts
from ..results.judged_predictions import not_of_score, open_judged
from ..results.score import PREDICTIONS_FILE, Score

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from benchwright.release import Release

_NO_LETTER = -1
_COLUMNS = ["item_id", "task", "state", "letter", "right"]
_GROUP = "group"


class ReplyMatrix(NamedTuple):
    """The replies of models to items, which take up about 3 bytes per model and item, and 100 bytes per item.

    Args:
        scores: Scores of the models, one per row.
        items: Facts about items, one row per column of the matrix: `item_id`, `task` and `group`; if a release is
            given, all columns of `item_facts`.
        asked: Whether a model was asked an item, models x items.
        right: Whether the model answered the item correctly; False for an item it was not asked.
        letter: Index of the model's letter in `LETTERS`; `_NO_LETTER` if there is none.
    """

    scores: tuple[Score, ...]
    items: pa.Table
    asked: NDArray[np.bool_]
    right: NDArray[np.bool_]
    letter: NDArray[np.int8]

    @property
    def group(self) -> NDArray[Any]:
        """Return the index of each item's cluster."""
        numbers: NDArray[Any] = self.items.column(_GROUP).to_numpy()
        return numbers

    def of_items(self, held: NDArray[np.bool_]) -> ReplyMatrix:
        """Return the replies to some items, with clusters renumbered from 0.

        Args:
            held: Whether to include each item.
        """
        import numpy as np
        import pyarrow as pa

        items = self.items.filter(pa.array(held))
        numbers = np.unique(items.column(_GROUP).to_numpy(), return_inverse=True)[1]
        items = items.set_column(items.column_names.index(_GROUP), _GROUP, pa.array(numbers))
        return ReplyMatrix(self.scores, items, self.asked[:, held], self.right[:, held], self.letter[:, held])

    def of_models(self, rows: Sequence[int]) -> ReplyMatrix:
        """Return the replies of some models, in the order given by `rows`."""
        chosen = list(rows)
        scores = tuple(self.scores[row] for row in chosen)
        return ReplyMatrix(scores, self.items, self.asked[chosen], self.right[chosen], self.letter[chosen])


def read_reply_matrix(results: Path, scores: Sequence[Score], release: Release | None = None) -> ReplyMatrix:
    """Return the models' replies, read from the predictions stored next to their scores.

    If no release is given, the items are those that any model was asked, in the order of their first occurrence.

    Raises:
        BenchwrightError: The release is not the one on which the models were scored.
        DataError: Predictions are missing, or a score was computed from different ones; or an older version of the
            program wrote them without the items' groups, and no release is given; or the release is damaged.
    """
    import numpy as np

    tables = [_read(results, score, release is None) for score in scores]
    items = _items_of(tables) if release is None else _facts(release, scores[0])
    shape = len(scores), items.num_rows
    was_asked, right = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    letter = np.full(shape, _NO_LETTER, dtype=np.int8)
    for row, (score, table) in enumerate(zip(scores, tables, strict=True)):
        places = _places(table, items, results / score.folder / PREDICTIONS_FILE)
        was_asked[row, places] = True
        right[row, places] = table.column("right").to_numpy()
        letter[row, places] = letter_numbers(table.column("letter"))
        _check_counts(results, score, was_asked[row], right[row])
    return ReplyMatrix(tuple(scores), items, was_asked, right, letter)


def _read(results: Path, score: Score, with_group: bool) -> pa.Table:

    folder = results / score.folder
    with open_judged(folder, score) as file:
        if with_group and _GROUP not in file.schema.names:
            raise DataError(
                f"{folder / PREDICTIONS_FILE} was written by an older version, which did not record the groups of "
                "items; name the scored release with --release, or score the model again"
            )
        try:
            return file.table([*_COLUMNS, *([_GROUP] if with_group else [])])
        except UnreadableParquet as error:
            raise not_of_score(folder / PREDICTIONS_FILE, f"its rows cannot be read ({error.reason})") from error


def _facts(release: Release, score: Score) -> pa.Table:
    if release.release_id != score.release_id:
        raise BenchwrightError(
            f"the results are of {score.release} (release {score.release_id[:12]}), but {release.path} is "
            f"{release.name} {release.version} (release {release.release_id[:12]}); give the release that was scored"
        )
    check_files(release, score.split)
    return item_facts(release, score.split)


def _items_of(tables: Sequence[pa.Table]) -> pa.Table:
    """Return each item that occurs in the tables once."""
    import numpy as np
    import pyarrow as pa

    every = pa.concat_tables([table.select(["item_id", "task", _GROUP]) for table in tables])
    coded = every.column("item_id").combine_chunks().dictionary_encode()
    _, firsts = np.unique(coded.indices.to_numpy(), return_index=True)
    return every.take(pa.array(np.sort(firsts)))


def _places(table: pa.Table, items: pa.Table, path: Path) -> NDArray[Any]:
    """Return the matrix column of the item in each row."""
    import numpy as np
    import pyarrow.compute as pc

    places = pc.index_in(table.column("item_id"), value_set=items.column("item_id"))
    if places.null_count:
        raise not_of_score(path, f"{places.null_count} of its rows belong to no item of the release")
    columns: NDArray[Any] = places.to_numpy()
    if len(np.unique(columns)) != len(columns):
        raise not_of_score(path, "an item has more than one row")
    return columns


def letter_numbers(letters: pa.ChunkedArray) -> NDArray[np.int8]:
    """Return the indices of letters in `LETTERS`; `_NO_LETTER` for null and for anything that is not in `LETTERS`."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    places = pc.index_in(letters, value_set=pa.array(list(LETTERS), pa.string()))
    numbers: NDArray[np.int8] = pc.fill_null(places, _NO_LETTER).to_numpy().astype(np.int8)
    return numbers


def _check_counts(results: Path, score: Score, was_asked: NDArray[np.bool_], right: NDArray[np.bool_]) -> None:
    stated = int(right.sum()) if score.right is None else score.right
    for name, counted, recorded in (("asked", int(was_asked.sum()), score.asked), ("right", int(right.sum()), stated)):
        if counted != recorded:
            path = results / score.folder / PREDICTIONS_FILE
            raise not_of_score(path, f"{name}: the rows have {counted}, the score {recorded}")
