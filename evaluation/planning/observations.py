"""Answers in stored results as rows: right or wrong, with the item, order, wording, sample and reader of each.

Each run folder contains some of these answers. `shuffle`, `mm-sap` and `circular` ask in several orders; `wording=` and
`--system` in several wordings. `--samples` and repeated runs draw several replies; `--reader` and `--judge` read them
in other ways. Runs under other conditions (without pictures, with captions) are not repetitions and are left out by
name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.canonical import canonical_json, digest
from benchwright.errors import BenchwrightError
from benchwright.files.parquet_tables import UnreadableParquet
from benchwright.replies.readers import ROBUST
from benchwright.statistics.variance_components import grouping_of

from ..results.judged_predictions import not_of_score, open_judged
from ..results.score import PREDICTIONS_FILE, Score, read_score, with_reading
from .facets import ASKED, SYSTEM_MARK, Facet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .population import Population

_ONCE = frozenset({"vanilla", "forced", "blink", "mvp-bench", "ii-bench"})
"""Protocols whose first question shows the options in the item's own order."""
_ORDERED = frozenset({"shuffle", "mm-sap", "circular"})
_SAME_WORDS = {"mm-sap": "mvp-bench"}
"""Wordings whose text equals that of another one (`protocols.wordings`)."""
_NO_OTHER_SYSTEM = frozenset({"samples", "limit", "seed", "system", "judge"})
"""Settings in which runs of the same system may differ, because they are facets or select a part of the items."""
OWN, FIRST_ROTATION, NO_SAMPLE = "own", "r0", ""
_COLUMNS = ["item_id", "right", "robust_right"]
_PARTS = ("variant", "round", "right", "robust_right")
_PAIRED: tuple[Facet, ...] = ("orders", "wordings", "readers")


class UnusedResult(NamedTuple):
    """A result, or some of its rows, that the plan does not use, with the reason."""

    name: str
    why: str


class Observations(NamedTuple):
    """Answers of one system, or differences between those of two, one per row.

    Args:
        title: Name of the system.
        value: Right (1) or wrong (0); for a difference, -1, 0 or 1.
        levels: Index of each row's item in the population, and of its order, wording, sample and reader in `names`.
        names: Names of orders, wordings, samples and readers, by index.
        scores: Scores of the runs.
        folders: Folders of these scores.
    """

    title: str
    value: NDArray[np.float64]
    levels: Mapping[Facet, NDArray[np.int64]]
    names: Mapping[Facet, tuple[str, ...]]
    scores: tuple[Score, ...]
    folders: tuple[Path, ...]

    @property
    def reader(self) -> str:
        """Return the reader on which the score is based: the reader of most runs or, if readers tie, the robust one."""
        of_runs = Counter(score.reader for score in self.scores if score.reader in self.names["readers"])
        return max(self.names["readers"], key=lambda name: (of_runs[name], name == ROBUST))

    def read_by(self, reader: str) -> NDArray[np.bool_]:
        """Return whether a given reader read each row."""
        is_read: NDArray[np.bool_] = self.levels["readers"] == self.names["readers"].index(reader)
        return is_read


class _UsableRun(NamedTuple):
    """A usable run: its score, folder, system and wording, and the identity that distinguishes its samples from those
    of other runs.
    """

    score: Score
    folder: Path
    system: str
    wording: str
    asking: str


def read_observations(folders: Sequence[Path], population: Population) -> tuple[list[Observations], list[UnusedResult]]:
    """Return the answers of each system in some run folders, by title, and the runs that were left out.

    Args:
        folders: Folders of single results.
        population: Items of the release.

    Raises:
        BenchwrightError: A result belongs to a different release.
        DataError: A result is damaged.
    """
    runs: list[_UsableRun] = []
    left_out: list[UnusedResult] = []
    repeats: Counter[str] = Counter()
    for folder in folders:
        score = with_reading(read_score(folder), folder)
        if score.release_id != population.release_id:
            raise BenchwrightError(
                f"{folder} is a result on {score.release} (release {score.release_id[:12]}), not on the planned "
                f"release ({population.release_id[:12]}); give results on that one"
            )
        why = _why_not(score, population)
        if why is not None:
            left_out.append(UnusedResult(f"{score.title} ({folder.name})", why))
            continue
        asking = digest([str(folder.parent), score.protocol, dict(score.asked_with) | {"judge": None}])
        repeats[asking + score.reader] += 1
        drawn = f"{folder.parent}|{score.asked_with.get('seed')}|{repeats[asking + score.reader]}"
        runs.append(_UsableRun(score, folder, _system_of(score), _wording_of(score), drawn))
    by_system: dict[str, list[_UsableRun]] = {}
    for run in runs:
        by_system.setdefault(run.system, []).append(run)
    titles = _titles(by_system)
    systems = [_observed(titles[key], runs_of_one, population) for key, runs_of_one in by_system.items()]
    return sorted(systems, key=lambda system: system.title), left_out


def difference_of(first: Observations, second: Observations) -> tuple[Observations, int]:
    """Return the differences between two systems' answers to the same questions, and the number of unpaired answers.

    Answers are paired if their item, order, wording and reader are equal; samples are paired in their order.

    Raises:
        BenchwrightError: No answers can be paired.
    """
    import numpy as np

    names: dict[Facet, tuple[str, ...]] = {
        facet: tuple(sorted({*first.names[facet], *second.names[facet]})) for facet in _PAIRED
    }
    numbered = [_renumbered(system, names) for system in (first, second)]
    width = [int(max(levels[facet].max() for levels in numbered)) + 1 for facet in ASKED]
    keys = [np.ravel_multi_index([levels[facet] for facet in ASKED], width) for levels in numbered]
    shared, at_first, at_second = np.intersect1d(keys[0], keys[1], return_indices=True)
    if not len(shared):
        raise BenchwrightError(
            f"{first.title} and {second.title} have no question in common; give runs of both under the same protocol "
            "and reader"
        )
    levels: dict[Facet, NDArray[np.int64]] = {}
    kept_names: dict[Facet, tuple[str, ...]] = {}
    for facet, codes in numbered[0].items():
        used, levels[facet] = np.unique(codes[at_first], return_inverse=True)
        if facet == "items":
            levels[facet] = codes[at_first]
        else:
            kept_names[facet] = tuple(names[facet][k] if facet in names else str(k) for k in used)
    paired = Observations(
        f"{first.title} less {second.title}",
        first.value[at_first] - second.value[at_second],
        levels,
        kept_names,
        (*first.scores, *second.scores),
        (*first.folders, *second.folders),
    )
    return paired, len(keys[0]) + len(keys[1]) - 2 * len(shared)


def shown_settings(score: Score) -> dict[str, Any]:
    """Return the unusual settings of a score's protocol, except for order and wording."""
    settings = score.settings.get("protocol", {})
    names = ("joined", "shots", "examples", *(("seed",) if settings.get("shots") else ()))
    return {name: settings[name] for name in names if settings.get(name)}


def _why_not(score: Score, population: Population) -> str | None:
    """Return the reason why a result is not a repetition of the plain question, or None if it is one."""
    settings = score.settings.get("protocol", {})
    name = settings.get("name", score.protocol.partition(":")[0])
    if score.split != population.split:
        return f"it is of {score.split or 'all splits'}, the plan of {population.split or 'all splits'}"
    if name not in _ONCE | _ORDERED:
        return f"{score.protocol} changes the conditions"
    if name == "ii-bench" and settings.get("mode") not in {"none", "cot"}:
        return f"{score.protocol} reveals labels of the item"
    if score.unfit:
        return f"it is unfit: {score.why_unfit()}"
    return None


def _system_of(score: Score) -> str:
    """Return a text that is the same for all runs that ask the same system under the same conditions."""
    settings = score.settings.get("protocol", {})
    asked_with = {name: value for name, value in score.asked_with.items() if name not in _NO_OTHER_SYSTEM}
    digest_of_examples = settings.get("examples_sha256")
    return canonical_json([score.model, score.name, asked_with, shown_settings(score), digest_of_examples])


def _wording_of(score: Score) -> str:
    """Return the name of a run's wording: the protocol's wording, with the start of the digest of the run's system
    message.
    """
    settings = score.settings.get("protocol", {})
    name = settings.get("wording") or (f"ii-bench:mode={settings['mode']}" if "mode" in settings else "vanilla")
    name = "mvp-bench-commonsense" if settings.get("commonsense") is True else _SAME_WORDS.get(name, name)
    system = score.asked_with.get("system")
    return name if system is None else f"{name}{SYSTEM_MARK}{digest(system)[:8]}"


def _titles(by_system: Mapping[str, Sequence[_UsableRun]]) -> dict[str, str]:
    from ..backends.result_names import differing_settings

    names = {key: runs[0].score.name or runs[0].score.model for key, runs in by_system.items()}
    titles: dict[str, str] = {}
    for name in sorted(set(names.values())):
        keys = [key for key in by_system if names[key] == name]
        settings = [
            {k: v for k, v in score.asked_with.items() if k not in _NO_OTHER_SYSTEM} | shown_settings(score)
            for score in (by_system[key][0].score for key in keys)
        ]
        words = differing_settings(settings) if len(keys) > 1 else [""]
        titles |= {key: f"{name} ({word})" if word else name for key, word in zip(keys, words, strict=True)}
    return titles


def _observed(title: str, runs: Sequence[_UsableRun], population: Population) -> Observations:
    """Return the observed answers from the runs of one system; an answer in several runs is used only once."""
    import numpy as np

    pieces = [piece for run in runs for piece in _rows_of(run, population)]
    value = np.concatenate([piece.value for piece in pieces])
    levels: dict[Facet, NDArray[np.int64]] = {"items": np.concatenate([piece.item for piece in pieces])}
    names: dict[Facet, tuple[str, ...]] = {}
    lengths = [len(piece.item) for piece in pieces]
    labels: dict[Facet, NDArray[Any]] = {
        "orders": np.concatenate([piece.order for piece in pieces]),
        "wordings": np.repeat([piece.wording for piece in pieces], lengths),
        "samples": np.concatenate([piece.sample for piece in pieces]),
        "readers": np.repeat([piece.reader for piece in pieces], lengths),
    }
    for facet, label in labels.items():
        used, levels[facet] = np.unique(label, return_inverse=True)
        names[facet] = tuple(used.tolist())
    kept = np.sort(np.unique(grouping_of(*(levels[facet] for facet in ASKED)), return_index=True)[1])
    levels = {facet: codes[kept] for facet, codes in levels.items()}
    return Observations(
        title, value[kept], levels, names, tuple(run.score for run in runs), tuple(run.folder for run in runs)
    )


class _Piece(NamedTuple):
    """Rows from one run as read by one reader."""

    item: NDArray[np.int64]
    value: NDArray[np.float64]
    order: NDArray[Any]
    sample: NDArray[Any]
    wording: str
    reader: str


def _rows_of(run: _UsableRun, population: Population) -> list[_Piece]:
    """Return a run's rows as read by the reader that it names and, if that is another reader, by the robust one."""
    import numpy as np
    import pyarrow.compute as pc

    path = run.folder / PREDICTIONS_FILE
    with open_judged(run.folder, run.score) as file:
        held = [name for name in _COLUMNS if name in file.schema.names]
        parts = [f"attempts.list.element.{name}" for name in _PARTS] if "attempts" in file.schema.names else []
        try:
            table = file.table([*held, *parts]).combine_chunks()
        except UnreadableParquet as error:
            raise not_of_score(path, f"its rows cannot be read ({error.reason})") from error
    places = pc.index_in(table.column("item_id"), value_set=population.item_ids)
    if places.null_count:
        raise not_of_score(path, f"{places.null_count} of its rows belong to no item of the release")
    if table.num_rows != run.score.asked:
        raise not_of_score(path, f"asked: the rows have {table.num_rows}, the score {run.score.asked}")
    item = places.to_numpy().astype(np.int64)
    rows: dict[str, list[Any]] = {"item": [], "right": [], "robust": [], "variant": []}
    _add_single(rows, table, item)
    _add_attempts(rows, table, item)
    order, sample = _labels(run, rows["variant"])
    pieces = []
    robust = np.array([value is not None for value in rows["robust"]], dtype=bool)
    for reader, values, kept in (
        (run.score.reader, rows["right"], np.ones(len(robust), dtype=bool)),
        (ROBUST, rows["robust"], robust),
    ):
        if kept.any():
            value = np.array([bool(right) for right in values], dtype=np.float64)
            columns = np.array(rows["item"], dtype=np.int64)[kept], value[kept], order[kept], sample[kept]
            pieces.append(_Piece(*columns, run.wording, reader))
    return pieces


def _add_single(rows: dict[str, list[Any]], table: Any, item: NDArray[np.int64]) -> None:
    """Add the items that were asked a single question."""
    import pyarrow.compute as pc

    alone = table if "attempts" not in table.column_names else table.filter(pc.is_null(table.column("attempts")))
    places = item if alone is table else item[pc.is_null(table.column("attempts")).to_numpy()]
    rows["item"] += places.tolist()
    rows["right"] += alone.column("right").to_pylist()
    has_robust = "robust_right" in alone.column_names
    rows["robust"] += alone.column("robust_right").to_pylist() if has_robust else [None] * alone.num_rows
    rows["variant"] += [""] * alone.num_rows


def _add_attempts(rows: dict[str, list[Any]], table: Any, item: NDArray[np.int64]) -> None:
    """Add the first questions of items that were asked several questions."""
    import pyarrow.compute as pc

    if "attempts" not in table.column_names:
        return
    lists = table.column("attempts").combine_chunks()
    flat = lists.flatten()
    of_item = item[pc.list_parent_indices(lists).to_numpy()]
    first = pc.equal(flat.field("round"), 0)
    rows["item"] += of_item[first.to_numpy(zero_copy_only=False)].tolist()
    for name, column in (("right", "right"), ("robust", "robust_right"), ("variant", "variant")):
        rows[name] += flat.field(column).filter(first).to_pylist()


def _labels(run: _UsableRun, variants: Sequence[str]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the order and the sample of each row."""
    import numpy as np

    name = run.score.settings.get("protocol", {}).get("name", run.score.protocol.partition(":")[0])
    own = {FIRST_ROTATION: OWN}
    orders = [own.get(variant, variant) for variant in variants] if name in _ORDERED else [OWN] * len(variants)
    drawn = variants if run.score.samples > 1 else [NO_SAMPLE] * len(variants)
    return np.array(orders, dtype=str), np.array([f"{run.asking}|{draw}" for draw in drawn], dtype=str)


def _renumbered(system: Observations, names: Mapping[Facet, tuple[str, ...]]) -> dict[Facet, NDArray[np.int64]]:
    """Return a system's levels with indices shared by both systems; samples are numbered within their question."""
    import numpy as np

    levels = {"items": system.levels["items"], "samples": _ranks(system)} | {
        facet: np.array([names[facet].index(name) for name in system.names[facet]])[system.levels[facet]]
        for facet in _PAIRED
    }
    return {facet: levels[facet] for facet in ASKED}


def _ranks(system: Observations) -> NDArray[np.int64]:
    """Return the rank of each row's sample among those with the same item, order, wording and reader."""
    import numpy as np

    cell = grouping_of(*(system.levels[facet] for facet in ASKED if facet != "samples"))
    in_order = np.lexsort((system.levels["samples"], cell))
    sizes = np.bincount(cell)
    ranks = np.empty(len(cell), dtype=np.int64)
    ranks[in_order] = np.arange(len(cell)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return ranks
