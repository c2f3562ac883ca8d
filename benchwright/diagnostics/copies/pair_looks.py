"""Comparison of proposed pairs outside a recipe: workers compare the pixels, and a cache keeps the results.

A result is stored under the contents of both pictures, so that a second search compares only new pairs.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from benchwright.errors import BenchwrightError, UnreadableImage
from benchwright.images.decode import decode_luma
from benchwright.progress import Progress, Silent
from benchwright.raised import RaisedError
from benchwright.texts.normalization import counted

from .verification import BEST_FIRST, DECODED_AT_LEAST_PX, PreparedPictures, compare_pictures

if TYPE_CHECKING:
    from benchwright.engines import Attempt
    from benchwright.workspace.item_cache import ItemCache

_LOOK = "pair look 3"
_STAGE = "looks"
_PAIRS_A_JOB = 24
_PRELOAD = ("benchwright.diagnostics.copies.verification", "cv2")

Verdict = Literal["confirmed", "unsure", "scene", "different", "unreadable"]
T = TypeVar("T")


class PairToLookAt(NamedTuple):
    """Two pictures to compare, given by their ids, and whether to compare one of them mirrored as well."""

    first: str
    second: str
    mirrored: bool


class LookedAt(NamedTuple):
    """Two pictures after a comparison of their pixels.

    Args:
        first: Id of a picture.
        second: Id of the other picture.
        verdict: One of the verdicts of `verification`; `unreadable` if a picture could not be decoded or its worker
            died.
        alike: Proportion of the aligned overlap, 0-1, that shows the same content.
    """

    first: str
    second: str
    verdict: Verdict
    alike: float


class FileToLookAt(NamedTuple):
    """The file of a picture, and its number of pixels; of two pictures, the larger is not transformed."""

    path: str
    pixels: int


class FailedPair(NamedTuple):
    """A pair whose comparison raised an exception, and the exception."""

    first: str
    second: str
    error: RaisedError


@dataclass(frozen=True)
class Looking:
    """The workers that compare pairs, and the cache for results.

    Args:
        workers: Number of processes.
        progress: Receiver of progress.
        cache: Cache of results, by content; None if results are not kept.
        failed: Pairs whose comparison raised an exception; `look_at` appends to it.
    """

    workers: int = 1
    progress: Progress = field(default_factory=Silent)
    cache: ItemCache | None = None
    failed: list[FailedPair] = field(default_factory=list)


def look_at(
    pairs: Sequence[PairToLookAt], files: Mapping[str, FileToLookAt], looking: Looking
) -> dict[tuple[str, str], LookedAt]:
    """Return the result of comparing each pair, by its ids; workers compare the pairs missing from the cache.

    Args:
        pairs: The pairs.
        files: File of each picture, by an id that names its content.
        looking: Workers, progress and cache.
    """
    looks: dict[tuple[str, str], LookedAt] = {}
    missing: list[PairToLookAt] = []
    for pair in pairs:
        data = None if looking.cache is None else looking.cache.get(_LOOK, list(pair))
        if data is None:
            missing.append(pair)
        else:
            looks[pair.first, pair.second] = LookedAt(pair.first, pair.second, *json.loads(data))
    if missing:
        looking.progress.phase("likely copies", len(missing), "pairs")
    jobs = [
        _LookAtPairs(tuple(batch), {name: files[name] for pair in batch for name in pair[:2]})
        for batch in in_batches(missing, _PAIRS_A_JOB)
    ]
    for results in run_jobs(jobs, workers=looking.workers, progress=looking.progress, preload=_PRELOAD):
        for pair, verdict, alike, error in results:
            if error is not None:
                looking.failed.append(FailedPair(pair.first, pair.second, error))
            looks[pair.first, pair.second] = LookedAt(pair.first, pair.second, verdict, alike)
            if verdict != "unreadable" and looking.cache is not None:
                looking.cache.put(_LOOK, list(pair), json.dumps([verdict, alike]).encode())
    return looks


def by_certainty(look: LookedAt) -> tuple[int, float, str]:
    """Return a sort key: confirmed copies first, then unsure ones, then views of one scene, by similarity and id."""
    return BEST_FIRST.get(look.verdict, len(BEST_FIRST)), -look.alike, look.second


def likeliest(looks: Iterable[LookedAt]) -> dict[str, LookedAt]:
    """Return, for each first picture, its most certain comparison with a picture that shares content with it."""
    best: dict[str, LookedAt] = {}
    for look in sorted(looks, key=by_certainty):
        if look.verdict in ("confirmed", "unsure", "scene"):
            best.setdefault(look.first, look)
    return best


@dataclass(frozen=True)
class _LookAtPairs:
    """A job that compares pairs of pictures.

    Args:
        pairs: The pairs.
        files: File of each picture, by id.
    """

    pairs: tuple[PairToLookAt, ...]
    files: Mapping[str, FileToLookAt]

    @property
    def name(self) -> str:
        """Return the job's name for logs, on one line."""
        return f"{counted(len(self.pairs), 'pair')} from {self.pairs[0].first[:12]}"

    @property
    def size(self) -> int:
        """Return the number of pairs."""
        return len(self.pairs)

    def run(self, worker: Any, attempt: Attempt) -> list[tuple[PairToLookAt, Verdict, float, RaisedError | None]]:
        """Return the verdict and similarity of each pair, and the exception raised, if any."""
        del worker
        kept = PreparedPictures()
        results: list[tuple[PairToLookAt, Verdict, float, RaisedError | None]] = []
        for pair in self.pairs:
            place = (_STAGE, f"{pair.first} {pair.second}")
            if place in attempt.blamed:
                results.append((pair, "unreadable", 0.0, None))
                continue
            attempt.at(place)
            try:
                results.append((pair, *self._compared(pair, kept), None))
            except (BenchwrightError, MemoryError):
                raise
            except Exception as error:  # noqa: BLE001 - recorded with its place, and one pair loses no other
                results.append((pair, "unreadable", 0.0, RaisedError.of(error)))
        return results

    def _compared(self, pair: PairToLookAt, kept: PreparedPictures) -> tuple[Verdict, float]:
        def prepared(name: str) -> Any:
            path = Path(self.files[name].path)
            return kept.prepared(name, lambda: decode_luma(path, at_least_px=DECODED_AT_LEAST_PX))

        # The larger picture is the fixed one, so that the result does not depend on the order of the pair.
        fixed, moving = sorted(pair[:2], key=lambda name: (-self.files[name].pixels, name))
        try:
            comparison = compare_pictures(prepared(fixed), prepared(moving), mirrored=pair.mirrored)
        except (UnreadableImage, OSError):
            return "unreadable", 0.0
        return comparison.verdict, round(comparison.likeness, 4)


def run_jobs(jobs: Sequence[Any], *, workers: int, progress: Progress, preload: Sequence[str]) -> Iterator[Any]:
    """Yield the results of jobs, run by workers that are replaced when they die.

    Args:
        jobs: The jobs.
        workers: Number of processes.
        progress: Receiver of progress; each job advances it by the job's size.
        preload: Modules that a worker imports before its first job.
    """
    if not jobs:
        return
    from benchwright.engines import LocalEngine

    with (
        tempfile.TemporaryDirectory(prefix="benchwright-") as logs,
        LocalEngine(None, workers=workers, log_folder=Path(logs), preload=preload) as engine,
    ):
        for done in engine.run(jobs):
            progress.advance(done.job.size)
            yield done.result


def in_batches(values: Sequence[T], size: int) -> Iterator[list[T]]:
    """Yield the values in lists of at most `size`."""
    iterator = iter(values)
    while batch := list(islice(iterator, size)):
        yield batch
