"""Parts of the agreement page, as HTML: charts of statistics, by part, by criterion, and without each annotator."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from benchwright.pages import Chart

from ...agreement.coefficients import STATISTICS, Agreement
from ...progress.mark_figures import MOST_PICTURES, MarkFigures
from ...progress.overview import CriterionVotes, Split
from ..base.own_texts import form_text
from ..charts.curator_charts import NamedValue, intervals_chart, narrow_scale, parts_chart
from ..charts.own_page_charts import figures_html
from ..wording.curator_texts import TEXTS

_MOST_ROWS = 60
"""Maximum number of rows in a chart, which shows the parts with the most tasks."""
_OF_REGIONS = ("mean_iou", "share_matched", "count_agreement", "count_alpha", "label_alpha")


def whole_figures(whole: Agreement) -> str:
    """Return a chart of all statistics over all tasks."""
    values = [_value(TEXTS[f"statistic_{name}"], whole, name) for name in STATISTICS]
    size = f"{_compared(whole)}, {whole.raters} {TEXTS['raters']}"
    return figures_html([intervals_chart("all", f"{TEXTS['all']}: {size}", values)])


def split_section(split: Split, groups: Sequence[tuple[str, Agreement]], statistic: str) -> str:
    """Return a chart of one statistic by part of the tasks."""
    values = _values(_named(groups, split), statistic)
    return _section(split, [intervals_chart(f"by-{split}", TEXTS[f"statistic_{statistic}"], values)])


def criteria_section(criteria: Sequence[CriterionVotes], statistic: str) -> str:
    """Return the reviewers' votes on each criterion; empty if the campaign has no criteria."""
    if not criteria:
        return ""
    rows = [(form_text(votes.words), {"yes": votes.yes, "no": votes.votes - votes.yes}) for votes in criteria]
    values = [
        _value(form_text(votes.words), votes.agreement, statistic, beside=_compared(votes.agreement))
        for votes in criteria
    ]
    charts = [
        parts_chart("votes", TEXTS["criteria"], rows),
        intervals_chart("criteria", TEXTS[f"statistic_{statistic}"], values),
    ]
    return _section("votes", charts, TEXTS["votes_why"])


def without_section(without: dict[str, Agreement], whole: Agreement, statistic: str) -> str:
    """Return, for each annotator, the agreement among the others; empty with only two annotators.

    The dashed line marks the agreement of all. The scale is narrowed to make small differences visible.
    """
    if len(without) < 3:
        return ""
    middle: float | None = getattr(whole, statistic)
    values: dict[str, float | None] = {name: getattr(rest, statistic) for name, rest in without.items()}
    ranked = sorted(values.items(), key=lambda entry: (2.0 if entry[1] is None else -entry[1], entry[0]))[:_MOST_ROWS]
    rows = [NamedValue(name, value, None, _beside(_change(value, middle), without[name])) for name, value in ranked]
    scale = narrow_scale(list(values.values()), middle)
    mark = -2.0 if middle is None else middle
    chart = intervals_chart("without", TEXTS[f"statistic_{statistic}"], rows, scale=scale, mark=mark)
    return _section("without", [chart], TEXTS["without_why"])


def region_section(figures: MarkFigures) -> str:
    """Return the agreement among annotators on positions, with intervals."""
    agreement = figures.agreement
    values = [
        NamedValue(TEXTS[f"regions_{name}"], agreement.figures[name], agreement.ci[name], "") for name in _OF_REGIONS
    ]
    why = TEXTS["regions_why"].format(compared=agreement.compared, most=MOST_PICTURES)
    distance = agreement.figures["mean_distance"]
    section = _section("regions", [intervals_chart("regions", TEXTS["regions"], values)], why)
    if distance is None:
        return section
    return f"{section}<p>{escape(TEXTS['regions_distance'].format(percent=100 * distance))}</p>"


def _section(title: str, charts: Sequence[Chart], why: str = "") -> str:
    told = f"<p>{escape(why)}</p>" if why else ""
    return f"<h2>{escape(TEXTS[title])}</h2>{told}{figures_html(charts)}"


def _named(groups: Sequence[tuple[str, Agreement]], split: Split) -> Sequence[tuple[str, Agreement]]:
    if split == "guidelines":
        return [
            (TEXTS["guidelines_versions_of"].format(versions=name), agreement) for name, agreement in groups if name
        ]
    if split != "round":
        return groups
    return [(TEXTS["nth_round"].format(round=name), agreement) for name, agreement in groups]


def _values(groups: Sequence[tuple[str, Agreement]], statistic: str) -> list[NamedValue]:
    kept = groups
    if len(groups) > _MOST_ROWS:
        largest = {name for name, _ in sorted(groups, key=lambda group: -group[1].compared)[:_MOST_ROWS]}
        kept = [group for group in groups if group[0] in largest]
    return [
        _value(name or TEXTS["none"], agreement, statistic, beside=_compared(agreement)) for name, agreement in kept
    ]


def _value(name: str, agreement: Agreement, statistic: str, *, beside: str = "") -> NamedValue:
    return NamedValue(name, getattr(agreement, statistic), agreement.ci.get(statistic), beside)


def _beside(change: str, rest: Agreement) -> str:
    return ", ".join(filter(None, [change, _compared(rest)]))


def _change(value: float | None, middle: float | None) -> str:
    return "" if value is None or middle is None else f"{value - middle:+.3f}"


def _compared(agreement: Agreement) -> str:
    return TEXTS["compared"].format(compared=agreement.compared, units=agreement.units)
