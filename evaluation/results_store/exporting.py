"""Runs of a store as a folder of results, in the format that `evaluate` writes and all `evaluate` commands read."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchwright.errors import BenchwrightError
from benchwright.texts.normalization import printable
from benchwright.workspace.atomic import write_json

from ..results.score import SCORE_FILE, read_score
from .store import StoredRun, copy_files, plain_files


def export_runs(runs: Sequence[StoredRun], out: Path) -> list[Path]:
    """Write runs to a folder of results, under the users' names for them, and return the folders of the runs.

    Raises:
        BenchwrightError: The runs and the folder's contents belong to several releases or splits, or a run's folder
            already exists.
    """
    held = [read_score(path.parent) for path in out.glob(f"*/{SCORE_FILE}")]
    kinds = {
        (score.release, score.release_id[:12], score.split or "all splits")
        for score in [*held, *(run.score for run in runs)]
    }
    if len(kinds) > 1:
        listed = "; ".join(f"{printable(release)} ({its_id}), {split}" for release, its_id, split in sorted(kinds))
        raise BenchwrightError(
            f"a folder of results covers one release and split, but these cover {listed}; export them separately"
        )
    shared = [run.score.folder for run in runs]
    places = [
        out / (name if shared.count(name) == 1 else f"{name}~{run.run}") for run, name in zip(runs, shared, strict=True)
    ]
    if there := [place for place in places if place.exists()]:
        raise BenchwrightError(f"{there[0]} already exists and is kept; give another --out")
    out.mkdir(parents=True, exist_ok=True)
    for run, place in zip(runs, places, strict=True):
        draft = Path(tempfile.mkdtemp(dir=out, prefix=".draft-"))
        try:
            copy_files(run.folder, draft / "run")
            _name(draft / "run", run)
            os.rename(draft / "run", place)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return places


def link_runs(runs: Sequence[StoredRun], folder: Path) -> None:
    """Link runs into a folder of results for reading, without copying their predictions."""
    for run in runs:
        place = folder / run.run
        place.mkdir()
        for path in plain_files(run.folder):
            if path.name != SCORE_FILE:
                (place / path.name).symlink_to(path.resolve())
        shutil.copyfile(run.folder / SCORE_FILE, place / SCORE_FILE)
        _name(place, run)


def _name(folder: Path, run: StoredRun) -> None:
    """Write the user's name into a score of any version, leaving everything else unchanged."""
    if run.name is not None:
        document = json.loads((folder / SCORE_FILE).read_text(encoding="utf-8"))
        write_json(folder / SCORE_FILE, {**document, "name": run.name})
