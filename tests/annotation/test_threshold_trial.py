"""A filter's threshold tried: the result of a run with it, from the values of the last run.

- The predicted changes equal those of a run of the changed recipe, record by record.
- Curators' decisions stay, a number that the setting does not take is refused, and nothing is written.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.annotation.items.threshold_trial import filter_thresholds, read_measured, run_stamp, try_threshold
from benchwright.errors import BenchwrightError
from benchwright.workspace.shards import StageTable
from benchwright.workspace.workspace import Workspace

from .curated import RECIPE, make_place, run

pytestmark = pytest.mark.slow


def verdicts(workspace: Path) -> dict[str, str]:
    """Return the verdict of the filter `quality` on each image."""
    table = StageTable(Workspace(workspace), "quality.judge")
    said: dict[str, str] = {}
    for marker in table.current():
        rows = table.read(marker, "outcomes", ["record_id", "verdict"])
        if rows is not None:
            said |= dict(zip(*(rows.column(name).to_pylist() for name in ("record_id", "verdict")), strict=True))
    return said


def test_a_threshold_that_is_tried_says_what_a_run_with_it_does(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    workspace = place / "workspace"
    before, stamp = verdicts(workspace), run_stamp(workspace)
    thresholds = {threshold.name: threshold for threshold in filter_thresholds(workspace)}
    assert next(iter(thresholds)).startswith("quality.")
    side = thresholds["quality.min_side_px"]
    assert side.measure == "quality.short_px"
    measured = read_measured(workspace, side)
    sides = sorted(measured.values)
    at = float(sides[len(sides) // 2] + 1)
    trial = try_threshold(measured, at)
    assert run_stamp(workspace) == stamp
    assert trial.before == {verdict: sum(said == verdict for said in before.values()) for verdict in trial.before}
    assert trial.changes
    assert [abs(change.value - 200) for change in trial.changes] == sorted(
        abs(change.value - 200) for change in trial.changes
    )
    assert try_threshold(measured, 200).changes == []
    run(place, RECIPE.replace("min_side_px: 200", f"min_side_px: {at:g}"))
    after = verdicts(workspace)
    assert trial.after == {verdict: sum(said == verdict for said in after.values()) for verdict in trial.after}
    assert {(change.record_id, change.before, change.after) for change in trial.changes} == {
        (record_id, before[record_id], said) for record_id, said in after.items() if said != before[record_id]
    }
    back = try_threshold(read_measured(workspace, filter_thresholds(workspace)[[*thresholds].index(side.name)]), 200)
    assert {(change.before, change.after) for change in back.changes} == {("drop", "keep")}


def test_what_a_curator_decided_stays_and_a_wrong_number_is_refused(tmp_path: Path) -> None:
    workspace = make_place(tmp_path) / "workspace"
    side = next(threshold for threshold in filter_thresholds(workspace) if threshold.threshold.setting == "min_side_px")
    measured = read_measured(workspace, side)
    everything = try_threshold(measured, float(max(measured.values)) + 1)
    assert everything.after["keep"] == 0
    decided = [everything.changes[0].record_id]
    spared = try_threshold(measured, everything.at, by_hand=decided)
    assert (len(spared.changes), spared.by_hand) == (len(everything.changes) - 1, 1)
    assert decided[0] not in {change.record_id for change in spared.changes}
    for wrong in (0.0, 200.5):
        with pytest.raises(BenchwrightError, match="min_side_px does not accept"):
            try_threshold(measured, wrong)
