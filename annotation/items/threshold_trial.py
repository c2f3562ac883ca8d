"""Effects of another threshold of a filter, based on the values that the last run measured; nothing is changed.

A filter judges measured values alone (`Filter.judge`), so each record is judged again as in a run, with one setting
changed. Only a run can show what the following steps do with a restored record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from benchwright.errors import BenchwrightError
from benchwright.funnel.thresholds import Spread, Threshold, spreads_of, thresholds_of
from benchwright.pipeline.run import stages_of_workspace
from benchwright.steps import Filter
from benchwright.workspace.shards import StageTable
from benchwright.workspace.stages import Stage
from benchwright.workspace.workspace import Workspace

from ..store.campaigns.overrides import OverrideStore
from ..store.review_store import ReviewStore
from .item_index import step_of
from .run_facts import RunFacts

_VERDICTS = ("keep", "ask", "drop")
"""Verdicts of a filter, in display order."""


class FilterThreshold(NamedTuple):
    """A threshold of a filter in the last recipe.

    Args:
        stage: Stage that measured the values.
        threshold: The setting, the value that it bounds, and the place where it is set.
    """

    stage: Stage
    threshold: Threshold

    @property
    def name(self) -> str:
        """Return the name made of the entry and the setting, which is unique in a recipe."""
        return f"{step_of(self.stage.id)}.{self.threshold.setting}"

    @property
    def measure(self) -> str:
        """Return the name of the value in the item index."""
        return step_of(f"{self.stage.id}.{self.threshold.value}")


class VerdictChange(NamedTuple):
    """A record for which a filter would change its verdict.

    Args:
        record_id: Id of the image or item.
        before: Verdict under the recipe.
        after: Verdict with the tried setting.
        value: Measured value that the setting bounds.
    """

    record_id: str
    before: str
    after: str
    value: float


@dataclass(frozen=True)
class ThresholdTrial:
    """A filter's verdicts on the records that reached it.

    Attributes:
        at: The tried setting.
        before: Number of records by verdict under the recipe.
        after: Number of records by verdict with the tried setting.
        changes: Records with another verdict, those nearest to the recipe's threshold first.
        by_hand: Number of records that a curator decided; these stay as they are and count nowhere else.
    """

    at: float
    before: Mapping[str, int]
    after: Mapping[str, int]
    changes: Sequence[VerdictChange]
    by_hand: int


@dataclass(frozen=True)
class MeasuredRecords:
    """The records that reached a filter, with the filter's measures and verdicts under the recipe."""

    filter_threshold: FilterThreshold
    rows: pa.Table
    values: NDArray[np.float64]
    verdicts: NDArray[np.str_]
    spread: Spread | None


def run_stamp(workspace: Path) -> str:
    """Return a text that changes whenever a run changes the contents of its tables."""
    return RunFacts.stamp(Workspace(workspace))


def filter_thresholds(workspace: Path) -> list[FilterThreshold]:
    """Return the thresholds of the last recipe's filters, in recipe order; none if nothing has run.

    Raises:
        BenchwrightError: A step of the recipe is no longer installed.
    """
    space = Workspace(workspace)
    if not space.settings().get("stages"):
        return []
    measures = [stage for stage in stages_of_workspace(workspace) if stage.role == "measure"]
    return [
        FilterThreshold(stage, threshold)
        for stage in measures
        if (StageTable(space, stage.id).folder / "current.json").exists()
        for threshold in thresholds_of(stage)
    ]


def read_measured(workspace: Path, filter_threshold: FilterThreshold) -> MeasuredRecords:
    """Read a filter's measures, shard by shard, and judge each record under the recipe."""
    space, stage = Workspace(workspace), filter_threshold.stage
    table, columns = StageTable(space, stage.id), ["record_id", *stage.step.values]
    parts = [rows for marker in table.current() if (rows := table.read(marker, "outcomes", columns)) is not None]
    rows = pa.concat_tables(parts) if parts else pa.table({name: [] for name in columns})
    value = filter_threshold.threshold.value
    numbers = pc.cast(rows.column(value), "float64").to_numpy(zero_copy_only=False)
    spread = next((spread for spread in spreads_of(space, stage) if spread.value == value), None)
    return MeasuredRecords(filter_threshold, rows, numbers, judged(_filter_of(stage), rows), spread)


def try_threshold(measured: MeasuredRecords, at: float, *, by_hand: Sequence[str] = ()) -> ThresholdTrial:
    """Return the filter's verdicts with another threshold.

    Args:
        measured: Its measures.
        at: The threshold to try.
        by_hand: Ids of the records that a curator decided, which no threshold changes.

    Raises:
        BenchwrightError: The setting does not accept this number.
    """
    threshold = measured.filter_threshold.threshold
    low, high = sorted((threshold.at, at))
    # Only values between both thresholds can get another verdict.
    between = np.flatnonzero((measured.values >= low) & (measured.values <= high))
    changed_filter = _with(_filter_of(measured.filter_threshold.stage), threshold.setting, at)
    after = measured.verdicts.copy()
    after[between] = judged(changed_filter, measured.rows.take(pa.array(between)))
    decided = pc.is_in(measured.rows.column("record_id"), pa.array(by_hand, pa.string())).to_numpy()
    counts = [Counter(verdicts[~decided].tolist()) for verdicts in (measured.verdicts, after)]
    places = np.flatnonzero((after != measured.verdicts) & ~decided)
    places = places[np.argsort(np.abs(measured.values[places] - threshold.at), kind="stable")]
    ids = measured.rows.column("record_id").take(pa.array(places)).to_pylist()
    changes = [
        VerdictChange(record_id, str(measured.verdicts[place]), str(after[place]), float(measured.values[place]))
        for record_id, place in zip(ids, places, strict=True)
    ]
    of_before, of_after = ({verdict: count[verdict] for verdict in _VERDICTS} for count in counts)
    return ThresholdTrial(at, of_before, of_after, changes, int(decided.sum()))


def decided_by_hand(store: ReviewStore, filter_threshold: FilterThreshold) -> list[str]:
    """Return the ids of the records on which a curator's decision overrides the filter's verdict."""
    step = step_of(filter_threshold.stage.id)
    return [
        stored.override.record_id
        for stored in OverrideStore(store).in_force()
        if step_of(stored.override.stage) == step
    ]


def setting_of(filter_threshold: FilterThreshold, at: float) -> int | float:
    """Return a threshold as written in a recipe: a whole number if the setting accepts only whole numbers.

    Raises:
        BenchwrightError: The setting does not accept this number.
    """
    setting = filter_threshold.threshold.setting
    number: int | float = getattr(_with(_filter_of(filter_threshold.stage), setting, at), setting)
    return number


def _filter_of(stage: Stage) -> Filter:
    assert isinstance(stage.step, Filter), "only filters have stages that measure"
    return stage.step


def _with(step: Filter, setting: str, at: float) -> Filter:
    """Return a filter with one setting changed, checked in the same way as in a recipe."""
    field = type(step).model_fields[setting]
    setting_type: TypeAdapter[Any] = TypeAdapter(Annotated[field.annotation, *field.metadata])  # type: ignore[arg-type] # made at run time
    try:
        value = setting_type.validate_python(at)
    except ValidationError as error:
        raise BenchwrightError(f"{setting} does not accept {at:g}: {error.errors()[0]['msg']}") from error
    return step.model_copy(update={setting: value})


def judged(step: Filter, rows: pa.Table) -> NDArray[np.str_]:
    """Return a filter's verdict on each row of measured values."""
    values: dict[str, list[Any]] = {name: rows.column(name).to_pylist() for name in step.values}
    names, columns = list(values), list(values.values())
    return np.array(
        [step.judge(dict(zip(names, row, strict=True))).verdict for row in zip(*columns, strict=True)], dtype="<U6"
    )
