"""Parts of the thresholds page, as HTML: the form, the counts, the measured values, and the changed records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import urlencode

from benchwright.funnel.charts import spread_chart

from ...items.threshold_trial import FilterThreshold, MeasuredRecords, ThresholdTrial, VerdictChange, setting_of
from ..auth.known_pages import THRESHOLDS
from ..base.own_texts import chart_text
from ..base.state import AppState
from ..charts.own_page_charts import figures_html
from ..own_pages.html_fields import FieldWords, choice_field, shown_when, text_field
from ..own_pages.live_form import live_form
from ..wording.curator_texts import TEXTS
from .change_link import change_card
from .changed_records import MOST_CHANGED, changed_tiles

PROBLEM, COUNTS, CHART, CHANGES, RECIPE_LINE = (
    f"threshold-{part}" for part in ("problem", "counts", "chart", "changes", "recipe")
)
"""Ids of the page parts that depend on the tried value."""
_STEPS = 20
"""Number of steps of the field's arrows from 0 to the threshold of the recipe."""
_WHOLE_BELOW = 1e15
"""Bound below which a whole number is spelled without a decimal point."""


class TriedThreshold(NamedTuple):
    """A value that a curator tries for a threshold.

    Attributes:
        picked: The threshold of a filter.
        typed: The value as typed; empty for the value of the recipe.
        measured: Measures of the filter.
        trial: Effect of the value; None if it is invalid.
        problem: Problem of the value; empty if it is valid.
    """

    picked: FilterThreshold
    typed: str
    measured: MeasuredRecords
    trial: ThresholdTrial | None
    problem: str

    @property
    def address(self) -> str:
        """Return the address of the page with this value."""
        at = {"at": self.typed} if self.typed else {}
        return f"{THRESHOLDS}?{urlencode({'threshold': self.picked.name, **at})}"

    @property
    def invalid(self) -> list[str]:
        """Return the ids of the fields whose values are invalid."""
        return [field_of(self.picked)] if self.problem else []


def field_of(threshold: FilterThreshold) -> str:
    """Return the name and id of the field for the value of a threshold."""
    return f"at.{threshold.name}"


def threshold_form(thresholds: Sequence[FilterThreshold], tried: TriedThreshold) -> str:
    """Return the menu of thresholds and, for each threshold, a field that is shown while it is selected."""
    options = {
        threshold.name: TEXTS["threshold_name"].format(
            step=threshold.stage.entry, setting=threshold.threshold.setting, at=_spelled(threshold.threshold.at)
        )
        for threshold in thresholds
    }
    menu = choice_field("threshold", tried.picked.name, FieldWords(TEXTS["threshold"]), options)
    return live_form(THRESHOLDS, menu + "".join(_field(threshold, tried) for threshold in thresholds))


def _field(threshold: FilterThreshold, tried: TriedThreshold) -> str:
    is_picked = threshold.name == tried.picked.name
    value = (is_picked and tried.typed) or _spelled(threshold.threshold.at)
    is_invalid = is_picked and bool(tried.problem)
    invalid = " aria-invalid=true" if is_invalid else ""
    more = f'step="{_step(threshold.threshold.at)}" aria-describedby="{PROBLEM}"{invalid}'
    field = text_field(field_of(threshold), value, FieldWords(TEXTS["threshold_at"]), kind="number", more=more)
    return shown_when("threshold", [threshold.name], field, is_hidden=not is_picked)


def _step(at: float) -> str:
    """Return the step size of the field's arrows, which is a whole number if the threshold is a large whole number."""
    step = abs(at) / _STEPS or 1 / _STEPS
    return f"{max(1, round(step)) if float(at).is_integer() and abs(at) >= _STEPS else float(f'{step:.1g}'):g}"


def _spelled(number: float) -> str:
    """Return a number with all its digits, as recipes spell it."""
    is_whole = float(number).is_integer() and abs(number) < _WHOLE_BELOW
    return str(int(number)) if is_whole else repr(float(number))


def threshold_parts(state: AppState, tried: TriedThreshold) -> dict[str, str]:
    """Return the parts of the page that depend on the tried value, by id."""
    trial = tried.trial
    if trial is None:
        problem = f'<p class="problem">{escape(tried.problem)}</p>'
        return {PROBLEM: problem, COUNTS: _now(tried, None), CHART: _chart(tried), CHANGES: "", RECIPE_LINE: ""}
    is_other = trial.at != tried.picked.threshold.at
    return {
        PROBLEM: "",
        COUNTS: _now(tried, trial),
        CHART: _chart(tried),
        CHANGES: _changes(state, tried.picked, trial),
        RECIPE_LINE: _recipe_line(tried.picked, trial.at) if is_other else "",
    }


def _now(tried: TriedThreshold, trial: ThresholdTrial | None) -> str:
    """Return the counts under the recipe and under the tried value."""
    if trial is None:
        return ""
    own = tried.picked.threshold.at
    lines = [f"<p>{escape(TEXTS['threshold_now'].format(at=_spelled(own), counts=_counts(trial.before)))}</p>"]
    if trial.at != own:
        words = TEXTS["threshold_then"].format(at=_spelled(trial.at), counts=_counts(trial.after))
        lines.append(f"<p><strong>{escape(words)}</strong></p>")
    if trial.by_hand:
        lines.append(f'<p class="hint">{escape(TEXTS["threshold_by_hand"].format(count=trial.by_hand))}</p>')
    return "".join(lines)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(
        TEXTS["threshold_counts"].format(verdict=TEXTS[f"verdict_{verdict}"], count=count)
        for verdict, count in counts.items()
        if count or verdict != "ask"
    )


def _chart(tried: TriedThreshold) -> str:
    """Return the histogram of the measured values, with the tried threshold if the scale includes it."""
    spread = tried.measured.spread
    if spread is None:
        return ""
    at = tried.picked.threshold.at if tried.trial is None else tried.trial.at
    is_on_scale = spread.low <= at <= spread.high
    moved = spread._replace(threshold=tried.picked.threshold._replace(at=at) if is_on_scale else None)
    return figures_html([spread_chart(moved, name="spread", translate=chart_text)])


def _changes(state: AppState, picked: FilterThreshold, trial: ThresholdTrial) -> str:
    """Return, as tiles, the records whose verdict changes, and a link to all records with such values."""
    if not trial.changes:
        return f"<p>{escape(TEXTS['threshold_changes_none'])}</p>"
    shown = trial.changes[:MOST_CHANGED]
    words = TEXTS["threshold_changes"].format(count=len(trial.changes), shown=len(shown))
    tiles = changed_tiles(state, {change.record_id: _lines(picked, change) for change in shown})
    values = [change.value for change in trial.changes]
    query = {"measure": picked.measure, "least": f"{min(values):g}", "most": f"{max(values):g}", "sort": "measure"}
    return (
        f'<p>{escape(words)}</p>{tiles}<p><a class="button quiet" id="see-between"'
        f' href="{escape(f"/items?{urlencode(query)}", quote=True)}">{escape(TEXTS["see_between"])}</a></p>'
    )


def _lines(picked: FilterThreshold, change: VerdictChange) -> list[str]:
    before, after = (TEXTS[f"verdict_{verdict}"] for verdict in (change.before, change.after))
    change_words = TEXTS["threshold_change"].format(before=before, after=after)
    return [f"{picked.threshold.value} {change.value:.4g}", change_words]


def _recipe_line(picked: FilterThreshold, at: float) -> str:
    setting, value = picked.threshold.setting, _spelled(setting_of(picked, at))
    line = f"- step: {picked.stage.entry}\n  {setting}: {value}"
    return change_card(
        TEXTS["threshold_recipe"],
        line,
        TEXTS["threshold_recipe_why"],
        picked.stage.entry,
        **{f"set-{setting}": value},
    )
