"""Scoring a model on a release: ask, read, judge, count, write."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.atomic import replacing, write_json
from benchwright.canonical import bytes_digest
from benchwright.errors import BenchwrightError, DataError
from benchwright.progress import Progress, Silent
from benchwright.release import Release
from benchwright.release.files import open_inside
from benchwright.rooms import catalogue

from .backends.base import Asking, Backend, Options, parse_model
from .backends.labels import labelled
from .judged import JudgedWriter, judge, read_judged
from .prompts import VANILLA
from .questions import Question, question_of
from .score import PREDICTIONS_FILE, SCORE_FILE, Score, figures, read_score
from .watching import Spent, Watched

if TYPE_CHECKING:
    import pyarrow as pa

    from benchwright.records import Item

    from .statistics import Estimate

READER_VERSION = 1
"""Raised when a reply may be read otherwise than before; part of a score's settings."""


def evaluate(
    release: Release | Path,
    model: str | Backend,
    *,
    split: str | None = None,
    out: Path | None = None,
    log_folder: Path | None = None,
    options: Options | None = None,
    replace: bool = False,
    progress: Progress | None = None,
) -> Score:
    """Score a model on a release.

    Files that are read are compared with the release's manifest first. Memory does not grow with the release but for
    about 100 bytes an item while metrics are taken. A backend that answers alike gives equal bytes.

    Args:
        release: A release, or its folder.
        model: A backend, or its name, such as `constant:A`.
        split: Only this split; all where None.
        out: Results go to `<out>/<model>/`, as predictions.parquet and score.json; nowhere where None.
        log_folder: Where a backend keeps what it was told, below a folder named by the model; `out` where None.
        options: What the backend may need.
        replace: Whether the results of another release or split may be overwritten.
        progress: Who wants to know how far it is.

    Raises:
        BenchwrightError: There is no such model or split, or `out` holds results of something else.
        DataError: The release is damaged, or predictions do not fit it.
    """
    opened = release if isinstance(release, Release) else Release.open(release)
    backend = parse_model(model, options) if isinstance(model, str) else model
    if split is not None and split not in opened.splits:
        raise BenchwrightError(f"{opened.path} has no split {split!r}; it has {', '.join(opened.splits)}")
    folder = None if out is None else out / slug(backend.name)
    if folder is not None and not replace:
        _refuse_others(folder, backend, opened, split)
    check_files(opened, split)
    logs = log_folder or out
    asking = Asking(
        release_id=opened.release_id,
        content_id=opened.content_id,
        item_ids=cache(lambda: _item_ids(opened)),
        log_folder=None if logs is None else logs / slug(backend.name),
        other_releases=replace,
        labelled=partial(labelled, opened),
    )
    spent = Spent((options or Options()).prices)
    with _results_folder(folder) as place:
        # A score must never stand beside predictions that it was not made from.
        (place / SCORE_FILE).unlink(missing_ok=True)
        with replacing(place / PREDICTIONS_FILE) as draft:
            _ask_all(opened, backend, split, asking, draft, Watched(progress or Silent(), spent))
            judged = read_judged(draft)
        score = _score(opened, backend, split, judged, spent)
        write_json(place / SCORE_FILE, score.document())
    return score


def slug(model: str) -> str:
    """Return a model's name as a folder's name; names that differ stay different."""
    name = re.sub(r"[^A-Za-z0-9._-]", "-", model)[:80].lstrip(".")
    is_plain = re.fullmatch(r"[a-z_]+(:[A-Za-z0-9._-]+)?", model) is not None and len(model) <= 80
    return name if is_plain else f"{name}-{bytes_digest(model.encode('utf-8', 'surrogatepass'))[:8]}"


def check_files(release: Release, split: str | None) -> None:
    """Compare the data files of a split, or of all, with the release's manifest.

    Raises:
        DataError: One is missing or changed.
    """
    for name in data_files(release, split):
        with open_inside(release.path, name) as handle:
            found = hashlib.file_digest(handle, "sha256").hexdigest()
        expected = release.manifest.files[name].sha256
        if found != expected:
            raise DataError(
                f"{release.path}: {name} is not as it was frozen (its SHA-256 is {found}, the manifest says "
                f"{expected}); nothing is scored on a changed release; `benchwright release verify` says more"
            )


def take_metrics(judged: pa.Table) -> dict[str, Estimate]:
    """Return every metric that the rooms bring, by name.

    Raises:
        BenchwrightError: Two metrics give a figure of the same name.
    """
    found: dict[str, Estimate] = {}
    for name, metric in catalogue("metrics").items():
        figures_of: Mapping[str, Estimate] = metric.load()(judged)
        if twice := sorted(found.keys() & figures_of):
            raise BenchwrightError(
                f"metric {name!r} gives a figure {twice[0]!r} that another metric gives too; rename it"
            )
        found |= figures_of
    return found


def _ask_all(
    release: Release, backend: Backend, split: str | None, asking: Asking, draft: Path, watched: Watched
) -> None:
    """Ask every item that the backend can take, judge the replies and write the rows to `draft`."""
    waiting: deque[tuple[Item, str]] = deque()

    def questions() -> Iterator[Question]:
        for released in release.items(split):
            if backend.tasks is None or released.item.task in backend.tasks:
                waiting.append((released.item, released.split))
                yield question_of(released)

    stamp = {
        "model": backend.name,
        "protocol": VANILLA,
        "release_id": release.release_id,
        "content_id": release.content_id,
    }
    watched.phase(backend.name, _askable(release, backend, split))
    with JudgedWriter(draft, stamp) as writer, closing(backend.answer(questions(), asking)) as replies:
        for reply in replies:
            item, its_split = waiting.popleft()
            if reply.item_id != item.item_id:
                raise RuntimeError(f"backend {backend.name} answered {reply.item_id} where {item.item_id} was next")
            writer.add(judge(item, its_split, reply))
            watched.add(reply)
    if waiting:
        raise RuntimeError(f"backend {backend.name} left {len(waiting)} questions without a reply")


def _score(release: Release, backend: Backend, split: str | None, judged: pa.Table, spent: Spent) -> Score:
    import pyarrow.compute as pc

    states = {row["values"]: row["counts"] for row in pc.value_counts(judged.column("state")).to_pylist()}
    return Score(
        model=backend.name,
        protocol=VANILLA,
        release=f"{release.name} {release.version}",
        release_id=release.release_id,
        content_id=release.content_id,
        split=split,
        settings={"backend": dict(backend.settings), "reader": READER_VERSION},
        metrics=figures(take_metrics(judged)),
        miss=states.get("miss", 0),
        refusal=states.get("refusal", 0),
        error=states.get("error", 0),
        asked=judged.num_rows,
        items=sum(_counts(release, split).values()),
        usage=spent.usage(),
    )


def _askable(release: Release, backend: Backend, split: str | None) -> int:
    return sum(n for task, n in _counts(release, split).items() if backend.tasks is None or task in backend.tasks)


def _counts(release: Release, split: str | None) -> dict[str, int]:
    """Return the number of items by task."""
    found: dict[str, int] = {}
    for name, counts in release.manifest.counts.splits.items():
        if split is None or name == split:
            for task, n in counts.tasks.items():
                found[task] = found.get(task, 0) + n
    return found


def data_files(release: Release, split: str | None) -> list[str]:
    """Return the names of the Parquet files of a split, or of all."""
    splits = release.splits if split is None else (split,)
    return [name for one in splits for name in release.manifest.data_files(one)]


def _item_ids(release: Release) -> frozenset[str]:
    """Return the ids of all items of all splits, without reading a picture."""
    import pyarrow.parquet as pq

    check_files(release, None)
    found: set[str] = set()
    for name in data_files(release, None):
        with open_inside(release.path, name) as handle:
            found.update(pq.read_table(handle, columns=["item_id"]).column("item_id").to_pylist())
    return frozenset(found)


def _refuse_others(folder: Path, backend: Backend, release: Release, split: str | None) -> None:
    if not (folder / SCORE_FILE).exists():
        return
    there = read_score(folder)
    wanted: dict[str, Any] = {"model": backend.name, "release_id": release.release_id, "split": split}
    for name, value in wanted.items():
        if getattr(there, name) != value:
            raise BenchwrightError(
                f"{folder} holds the score of {name} {getattr(there, name)!r}, this one is of {value!r}; "
                "give another folder with --out"
            )


@contextmanager
def _results_folder(folder: Path | None) -> Iterator[Path]:
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="benchwright-") as place:
            yield Path(place)
        return
    folder.mkdir(parents=True, exist_ok=True)
    yield folder
