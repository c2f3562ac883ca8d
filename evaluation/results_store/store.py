"""A store of results: a folder of runs, each identified by the digest of everything that determines it.

A run is a result folder from `evaluate`, copied whole to `runs/ID`. The id is the digest of the release, the model, all
settings and the judged predictions. Equal results are therefore the same run, different results never collide, and
merging is the union of two sets. A file next to the runs contains the users' names. Writers hold the lock of the store;
each run is moved into place by renaming, so readers need no lock. Nothing is deleted: removed runs go to `trash/`.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.canonical import digest, file_digest
from benchwright.errors import BenchwrightError, DataError
from benchwright.machine.file_locks import lock
from benchwright.texts.normalization import printable
from benchwright.workspace.atomic import write_json

from ..results.judged_predictions import open_judged
from ..results.score import PREDICTIONS_FILE, SCORE_FILE, Score, read_score

FORMAT, VERSION = "benchwright/results-store", 1
_NAMES, _LOCK, _RUNS, _TRASH = "names.json", "lock", "runs", "trash"
_ID_LENGTH, _LEAST_PREFIX = 16, 4
_LONGEST_NAME = 200


class StoredRun(NamedTuple):
    """A run in the store.

    Args:
        run: Id of the run: the beginning of the digest of everything that determines it.
        setup: The beginning of the digest of release, model and settings only; runs that share it are repetitions.
        name: Name given by the user; None if there is none.
        score: Score of the run.
        folder: Folder of the run in the store.
    """

    run: str
    setup: str
    name: str | None
    score: Score
    folder: Path

    @property
    def title(self) -> str:
        """Return the run's name in lists: the user's name or, if there is none, the title of its score."""
        return self.name or self.score.title

    @property
    def column(self) -> tuple[str, str | None, str, str]:
        """Return the release, split, reader and reader version; runs with equal values can be compared."""
        return self.score.release_id, self.score.split, self.score.reader, digest(self.score.settings.get("reader"))

    def document(self) -> dict[str, Any]:
        """Return the run, without its metrics, as JSON values."""
        score, accuracy = self.score, self.score.metrics.get("accuracy")
        return {
            "run": self.run,
            "setup": self.setup,
            "name": self.name,
            "system": self.title,
            "model": score.model,
            "protocol": score.protocol,
            "reader": score.reader,
            "release": score.release,
            "release_id": score.release_id,
            "split": score.split,
            "accuracy": None if accuracy is None else accuracy.model_dump(mode="json"),
            "unfit": score.unfit,
            "folder": str(self.folder),
        }


class MergedRuns(NamedTuple):
    """The result of a merge.

    Args:
        added: Ids of runs that are new in the store.
        known: Ids of runs that the store already had.
        unnamed: Names that were not taken over because other runs in the store have them.
    """

    added: tuple[str, ...]
    known: tuple[str, ...]
    unnamed: tuple[str, ...]


def is_store(folder: Path) -> bool:
    """Return whether a folder is a store of results rather than a folder of results."""
    return (folder / _NAMES).is_file() and (folder / _RUNS).is_dir()


class ResultsStore:
    """A folder of runs, which is created by the first merge into it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def runs(self) -> list[StoredRun]:
        """Return all runs, ordered by release, split and title.

        Raises:
            DataError: The folder is not a store, or a run in it is damaged.
        """
        names = self._names()
        folders = (path.parent for path in (self.folder / _RUNS).glob(f"*/{SCORE_FILE}"))
        runs = [self._run(folder, names.get(folder.name)) for folder in folders]
        return sorted(runs, key=lambda run: (run.score.release, run.score.split or "", run.title, run.run))

    def find(self, wanted: str) -> StoredRun:
        """Return the run with a given name or id; the beginning of an id suffices.

        Raises:
            DataError: No run or several runs match.
        """
        runs = self.runs()
        found = [run for run in runs if wanted in {run.name, run.run}]
        if not found and len(wanted) >= _LEAST_PREFIX:
            found = [run for run in runs if run.run.startswith(wanted)]
        if not found:
            found = [run for run in runs if run.title == wanted]
        if not found:
            raise DataError(
                f"{self.folder} contains no run {printable(wanted)!r}; `benchwright results list --store "
                f"{self.folder}` "
                "shows names and ids"
            )
        if len(found) > 1:
            listed = ", ".join(run.run for run in found)
            raise DataError(f"several runs are named {printable(wanted)!r}: {listed}; give the id of one")
        return found[0]

    def merge(self, sources: Sequence[Path]) -> MergedRuns:
        """Copy runs from other stores, folders of results or single results into the store; the sources stay unchanged.

        All sources are read before the first run is copied.

        Raises:
            DataError: A source contains no results or damaged ones.
        """
        found = [pair for source in sources for pair in _read_source(source)]
        added: list[str] = []
        known: list[str] = []
        unnamed: list[str] = []
        with self._locked():
            names = self._names()
            for run, name in found:
                is_new = not (self.folder / _RUNS / run.run).exists()
                (added if is_new and run.run not in added else known).append(run.run)
                self._take(run)
                if name is not None and run.run not in names:
                    if name in names.values():
                        unnamed.append(name)
                    else:
                        names[run.run] = name
            self._write_names(names)
        return MergedRuns(tuple(added), tuple(known), tuple(unnamed))

    def rename(self, wanted: str, name: str) -> StoredRun:
        """Give a run a name that replaces its current one.

        Raises:
            BenchwrightError: The name is empty, too long, or already used by another run.
            DataError: The run does not exist.
        """
        if not name.strip() or len(name) > _LONGEST_NAME:
            raise BenchwrightError(f"a run's name has 1 to {_LONGEST_NAME} characters, not {len(name)}")
        with self._locked():
            run, names = self.find(wanted), self._names()
            if taken := [other for other, its in names.items() if its == name and other != run.run]:
                raise BenchwrightError(f"{printable(name)!r} is already the name of run {taken[0]}; give another")
            self._write_names({**names, run.run: name})
        return run._replace(name=name)

    def remove(self, wanted: str) -> tuple[StoredRun, Path]:
        """Move a run to the store's trash, where it is kept; return the run and its path there. Its name can be reused.

        Raises:
            DataError: The run does not exist.
        """
        with self._locked():
            run, names = self.find(wanted), self._names()
            trash = self.folder / _TRASH
            trash.mkdir(exist_ok=True)
            number = 1
            while (place := trash / f"{run.run}.{number}").exists():
                number += 1
            os.rename(run.folder, place)
            names.pop(run.run, None)
            self._write_names(names)
        return run, place

    def _run(self, folder: Path, name: str | None) -> StoredRun:
        score = read_score(folder)
        return StoredRun(folder.name, setup_of(score), name, score, folder)

    def _take(self, run: StoredRun) -> None:
        """Copy a run; if it already exists, add only missing files, and add files that differ under new names."""
        place = self.folder / _RUNS / run.run
        if not place.exists():
            draft = Path(tempfile.mkdtemp(dir=self.folder, prefix=".draft-"))
            try:
                copy_files(run.folder, draft / run.run)
                os.rename(draft / run.run, place)
            finally:
                shutil.rmtree(draft, ignore_errors=True)
            return
        for path in plain_files(run.folder):
            if path.name in {SCORE_FILE, PREDICTIONS_FILE}:
                continue  # equal in everything that determines the id
            target = place / path.name
            if target.exists() and file_digest(target) != (own := file_digest(path)):
                target = place / f"{path.stem}~{own[:8]}{path.suffix}"
            if not target.exists():
                draft_file = target.with_name(f".{target.name}.draft")
                shutil.copyfile(path, draft_file)
                os.replace(draft_file, target)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock of the store, creating the store if necessary; other writers have to wait."""
        try:
            (self.folder / _RUNS).mkdir(parents=True, exist_ok=True)
            handle = (self.folder / _LOCK).open("a")
        except OSError as error:
            raise BenchwrightError(f"{self.folder}: the store cannot be written: {error.strerror}") from error
        with handle:
            lock(handle, self.folder / _LOCK)
            if not (self.folder / _NAMES).exists():
                self._write_names({})
            yield

    def _names(self) -> dict[str, str]:
        path = self.folder / _NAMES
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            names = document["names"]
            if document["format"] != FORMAT or not all(isinstance(name, str) for name in names.values()):
                raise ValueError("its fields differ")
            if document["version"] > VERSION:
                raise DataError(f"{path} has version {document['version']}, but this program reads up to {VERSION}")
            return {run: name for run, name in names.items() if (self.folder / _RUNS / run).is_dir()}
        except FileNotFoundError as error:
            raise DataError(
                f"{self.folder} is not a store of results; `benchwright results merge RESULTS --store {self.folder}` "
                "makes one from a folder of results"
            ) from error
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise DataError(f"{path} is damaged ({error}); restore it from a backup: the runs are intact") from error

    def _write_names(self, names: dict[str, str]) -> None:
        write_json(self.folder / _NAMES, {"format": FORMAT, "version": VERSION, "names": names})


def setup_of(score: Score) -> str:
    """Return the first digits of the digest of the release, the model and the settings, excluding the user's name for
    the result.
    """
    decisive = ("model", "protocol", "reader", "release_id", "split", "settings", "samples", "limit", "max_errors")
    document = score.model_dump(mode="json", include=set(decisive))
    return digest({**document, "identity": score.asked_with})[:_ID_LENGTH]


def runs_in(source: Path) -> list[StoredRun]:
    """Return the runs in a store, in a folder of results or in a single result, under the names that they have there.

    Raises:
        DataError: The source contains no results or damaged ones.
    """
    return [run._replace(name=name) for run, name in _read_source(source)]


def _read_source(source: Path) -> list[tuple[StoredRun, str | None]]:
    """Return the contents of a source: the runs in their folders, with the ids that a store gives the runs, and their
    names.
    """
    if is_store(source):
        return [(identified(run.folder), run.name) for run in ResultsStore(source).runs()]
    folders = [source] if (source / SCORE_FILE).is_file() else [p.parent for p in source.glob(f"*/{SCORE_FILE}")]
    if not folders:
        raise DataError(f"{source} is neither a store, nor a folder of results, nor a result")
    return [(identified(folder), None) for folder in sorted(folders)]


def identified(folder: Path) -> StoredRun:
    """Return the result in a folder under the id computed from its contents.

    Raises:
        DataError: The score or its predictions are missing or damaged, or the folder contains links or folders.
    """
    score = read_score(folder)
    open_judged(folder, score).close()
    plain_files(folder)
    setup = setup_of(score)
    of_all = digest({"setup": setup, "predictions": file_digest(folder / PREDICTIONS_FILE)})
    return StoredRun(of_all[:_ID_LENGTH], setup, None, score, folder)


def plain_files(folder: Path) -> list[Path]:
    """Return the files of a result, which must be regular files.

    Raises:
        DataError: They include a link or a folder, which could lead outside the result.
    """
    paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    if strange := [path for path in paths if path.is_symlink() or not path.is_file()]:
        raise DataError(f"{strange[0]} is not a plain file, which results of the store never contain; remove it")
    return paths


def copy_files(folder: Path, place: Path) -> None:
    """Copy the files of a result to a new folder."""
    place.mkdir()
    for path in plain_files(folder):
        shutil.copyfile(path, place / path.name)
