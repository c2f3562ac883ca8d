"""New decisions of curators about a gather stage that need not run again for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchwright.pipeline.outcomes import read_outcomes, write_outcomes
from benchwright.pipeline.surroundings import Surroundings
from benchwright.shards import Marker, StageTable
from benchwright.stages import Stage


def override_again(around: Surroundings, stage: Stage, markers: Sequence[Marker]) -> bool:
    """Write those shards of a stage anew whose decisions have changed; return whether there were any."""
    table, overrides = StageTable(around.workspace, stage.id), around.overrides.about(stage)
    changed = [marker for marker in markers if marker.overrides != around.overrides.digest(stage, marker.shard)]
    for marker in changed:
        judged = [
            replace(one, override=overrides.get(record_id))
            for record_id, one in read_outcomes(table, stage, marker).items()
        ]
        write_outcomes(
            table, stage, marker.shard, judged, fingerprint=marker.fingerprint, config=marker.config,
            overrides=around.overrides.digest(stage, marker.shard),
        )  # fmt: skip
    return bool(changed)
