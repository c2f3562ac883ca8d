"""The stored runs that reveal a benchmark's health, and their roles."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchwright.diagnostics.keys.suspected_keys import LEAST_VOICES
from benchwright.errors import BenchwrightError
from benchwright.texts.normalization import counted

from ..analysis.label_issues import LabelIssues, find_suspects, model_name, one_run_a_model, protocol_name
from ..analysis.reply_matrix import ReplyMatrix, read_reply_matrix
from ..report.content.reference_points import kind_of
from ..results.score import read_scores
from ..results_store.exporting import link_runs
from ..results_store.store import StoredRun, runs_in

if TYPE_CHECKING:
    from benchwright.release import Release

_BLIND = "blind"
_ORDERS = frozenset({"circular", "shuffle", "mm-sap"})
_CHANGED = {"wrong-image": "with other pictures", "caption": "with captions", "stated-caption": "with captions"}


class LeftOutRun(NamedTuple):
    """A run that has no role in the health of the benchmark, and the reason."""

    run: str
    title: str
    why: str


class HealthRuns(NamedTuple):
    """Runs of one release and split, grouped by their roles; rows refer to `sheet`.

    Args:
        issues: Keys that these runs put in doubt, as found by `evaluate suspects`.
        sheet: Replies of all runs.
        stored: The stored run for each row.
        systems: Rows of the current systems, with one plain run per model.
        blind: Rows of runs without pictures.
        ordered: Rows of runs with the options in different orders.
        baselines: Rows of baselines that do not use pictures.
        left_out: Runs of the release that have none of these roles.
        elsewhere: Runs on other releases.
    """

    issues: LabelIssues
    sheet: ReplyMatrix
    stored: tuple[StoredRun, ...]
    systems: tuple[int, ...]
    blind: tuple[int, ...]
    ordered: tuple[int, ...]
    baselines: tuple[int, ...]
    left_out: tuple[LeftOutRun, ...]
    elsewhere: tuple[StoredRun, ...]

    @property
    def are_keys_judged(self) -> bool:
        """Return whether there are enough systems to judge keys: two that were asked the questions as published."""
        return len(self.systems) >= LEAST_VOICES

    def name(self, row: int) -> str:
        """Return the name of a row's model, regardless of the protocol."""
        return model_name(self.sheet.scores[row])

    def system_of(self, row: int) -> int | None:
        """Return the row of the system with the same model as a given row, or None if there is none."""
        return next((system for system in self.systems if self.name(system) == self.name(row)), None)


def gather_runs(release: Release, sources: Sequence[Path], split: str | None = None) -> HealthRuns:
    """Return the runs of a release from stores, folders of results and single results.

    Args:
        release: The release.
        sources: Stores, folders of results or single results.
        split: Split whose runs are used; by default, the split of most runs.

    Raises:
        BenchwrightError: No run belongs to the release, or none to the split.
        DataError: A source contains no results or damaged ones.
    """
    by_id = {run.run: run for source in sources for run in runs_in(source)}
    own = [run for run in by_id.values() if run.score.release_id == release.release_id]
    if not own:
        found = sorted({f"{run.score.release} ({run.score.release_id[:12]})" for run in by_id.values()})
        raise BenchwrightError(
            f"none of these results belongs to {release.name} {release.version} ({release.release_id[:12]}): they "
            f"belong to {', '.join(found)}; give the release that was scored"
        )
    chosen = _split_of_most(own) if split is None else split
    of_split = [run for run in own if run.score.split == chosen]
    if not of_split:
        raise BenchwrightError(
            f"no run covers split {chosen}; choose from {', '.join(sorted({run.score.split or 'all' for run in own}))}"
        )
    with tempfile.TemporaryDirectory() as folder:
        link_runs(of_split, Path(folder))
        issues = find_suspects(Path(folder), release)
        sheet = read_reply_matrix(Path(folder), read_scores(Path(folder)), release)
    ids = {run.run: run for run in of_split}
    stored = tuple(ids[score.folder] for score in sheet.scores)
    roles, left_out = _roles(sheet)
    others = [run for run in own if run.score.split != chosen]
    left_out += [LeftOutRun(run.run, run.title, f"of split {run.score.split or 'all'}") for run in others]
    return HealthRuns(
        issues,
        sheet,
        stored,
        tuple(roles["system"]),
        tuple(roles["blind"]),
        tuple(roles["ordered"]),
        tuple(roles["baseline"]),
        tuple(left_out),
        tuple(run for run in by_id.values() if run.score.release_id != release.release_id),
    )


def _split_of_most(runs: Sequence[StoredRun]) -> str | None:
    counts = Counter(run.score.split for run in runs)
    return max(counts, key=lambda split: (counts[split], split is None, split or ""))


def _roles(sheet: ReplyMatrix) -> tuple[dict[str, list[int]], list[LeftOutRun]]:
    """Return the rows by role, and the runs that have no role."""
    roles: dict[str, list[int]] = {role: [] for role in ("system", "blind", "ordered", "baseline")}
    left_out: list[LeftOutRun] = []
    plain: list[int] = []
    for row, score in enumerate(sheet.scores):
        protocol, why = protocol_name(score), None
        if score.unfit:
            why = f"unfit: {score.why_unfit()}"
        elif score.is_sample:
            why = f"a sample of {counted(score.asked, 'item')}"
        elif kind_of(score.model) == "baseline":
            roles["baseline"].append(row)
        elif protocol in _CHANGED:
            why = f"asked {_CHANGED[protocol]}"
        elif protocol == _BLIND:
            roles["blind"].append(row)
        elif protocol in _ORDERS:
            roles["ordered"].append(row)
        else:
            plain.append(row)
        if why is not None:
            left_out.append(LeftOutRun(score.folder, score.title, why))
    standing = {score.folder for score in one_run_a_model([sheet.scores[row] for row in plain])}
    for row in plain:
        score = sheet.scores[row]
        if score.folder in standing:
            roles["system"].append(row)
        else:
            left_out.append(LeftOutRun(score.folder, score.title, "another run represents the model"))
    return roles, left_out
