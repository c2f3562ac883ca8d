"""Parts of the annotators page, as HTML: accuracy, agreement with others, likely errors, pace, and marks."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from html import escape
from urllib.parse import urlencode

from benchwright.texts.hidden_characters import escaped

from ...agreement.annotator_quality import LEAST_SHARED, RaterQuality, RightOf
from ...agreement.care import Care
from ...progress.mark_figures import AnnotatorMarks, MarkedAgainst
from ...progress.overview import Overview
from ...store.database.records import Campaign
from ..auth.known_pages import ANNOTATORS
from ..base.cache import cached
from ..base.mark_cache import mark_figures_of
from ..base.shown_pictures import ShownPictures
from ..base.state import AppState
from ..base.tables import table_html
from ..charts.curator_charts import NamedValue, confusion_chart, intervals_chart
from ..charts.own_page_charts import figures_html
from ..own_pages.html_fields import FieldWords, choice_field, hidden
from ..wording.curator_texts import TEXTS
from ..wording.own_page_texts import TEXTS as OWN_TEXTS
from .campaign_choice import menu_form

_MOST_WORST = 30
"""Maximum number of single pictures that the page lists."""


def share_in_words(share: float | None, units: int) -> str:
    """Return a text that states a proportion, given as 0-1, and the number of units to which it refers."""
    return TEXTS["undefined"] if share is None else TEXTS["of"].format(share=share, n=units)


def quality_table(
    campaign: Campaign, overview: Overview, qualities: Sequence[RaterQuality], key: tuple[Hashable, ...]
) -> str:
    """Return the doubts about annotators' decisions, and a table with annotators' figures and explanations.

    Args:
        campaign: The campaign.
        overview: Its figures.
        qualities: Figures of each annotator.
        key: Cache key of the campaign's figures.
    """
    checks = overview.attention()
    is_timed = any(quality.too_fast[1] for quality in qualities)
    rows = [
        quality_row(quality, has_gold=any(each.on_gold[1] for each in qualities), is_timed=is_timed)
        for quality in qualities
    ]
    whys = []
    if not campaign.is_simulated:
        careful = {care.rater: care for care in cached((*key, "care"), overview.cares)}
        for row, quality in zip(rows, qualities, strict=True):
            row[TEXTS["care"]] = _care(careful.get(quality.rater))
        whys.append(TEXTS["care_why"])
    if checks:
        for row, quality in zip(rows, qualities, strict=True):
            row[TEXTS["attention"]] = share_in_words(*checks.get(quality.rater, RightOf(0, 0)).shared)
        whys.append(TEXTS["attention_why"])
    if is_timed:
        whys.append(TEXTS["too_fast_why"])
    table = _table(TEXTS["annotators"], rows)
    notes = "".join(f'<p class="hint">{escape(why)}</p>' for why in whys)
    title = f"<h2>{escape(OWN_TEXTS['annotator_figures'])}</h2>"
    return f"{title}<p>{escape(TEXTS['annotators_why'])}</p>{_doubts(qualities)}{table}{notes}"


def _doubts(qualities: Sequence[RaterQuality]) -> str:
    doubted = [
        TEXTS["doubt_of"].format(
            name=escaped(quality.rater), words="; ".join(TEXTS[f"doubt_{doubt}"] for doubt in quality.doubts)
        )
        for quality in qualities
        if quality.doubts
    ]
    return "".join(f'<p class="problem doubt"><bdi>{escape(words)}</bdi></p>' for words in doubted)


def agreement_figures(qualities: Sequence[RaterQuality]) -> str:
    """Return a chart of each annotator's agreement with the others, lowest first."""
    values = [_value(quality) for quality in _ranked(qualities)]
    chart = intervals_chart("with-others", TEXTS["with_others_why"], values)
    return f"<h2>{escape(TEXTS['with_others'])}</h2>{figures_html([chart])}"


def confusion_figures(campaign: Campaign, qualities: Sequence[RaterQuality], wanted: str) -> str:
    """Return the likely errors of one annotator, a menu of annotators, and a link to the items that they decided.

    Args:
        campaign: The campaign.
        qualities: Figures of each annotator.
        wanted: Annotator that the address names; any unknown name selects the one with the lowest agreement.
    """
    ranked = _ranked(qualities)
    names = [quality.rater for quality in ranked]
    picked = ranked[names.index(wanted) if wanted in names else 0]
    field = choice_field("annotator", picked.rater, FieldWords(TEXTS["name"]), {name: escaped(name) for name in names})
    menu = menu_form(f"{ANNOTATORS}#errors", hidden("campaign", campaign.name) + field, button="show-errors")
    items = escape(f"/items?{urlencode({'campaign': campaign.name, 'annotator': picked.rater})}", quote=True)
    link = f'<p><a href="{items}">{escape(TEXTS["see_items"])}</a></p>'
    if picked.estimated_accuracy is None:
        words = TEXTS["no_confusion"].format(name=escaped(picked.rater), n=picked.shared, least=LEAST_SHARED)
        shown = f"<p><bdi>{escape(words)}</bdi></p>"
    else:
        why = TEXTS["confusion_why"].format(name=escaped(picked.rater), n=picked.shared)
        shown = figures_html([confusion_chart("confusion", why, picked.confusion)])
    return f'<h2 id="errors">{escape(TEXTS["confusion"])}</h2>{menu}{link}{shown}'


def marks_tables(state: AppState, campaign: Campaign, overview: Overview) -> str:
    """Return tables that compare annotators' marks with the valid regions, and any pictures with the worst marks."""
    figures = mark_figures_of(state, campaign, overview)
    if figures is None or not figures.marks:
        return ""
    worst = [marked for marked in figures.marks if marked.quality < 1][:_MOST_WORST]
    why = TEXTS["marks_against_why"].format(compared=figures.compared, of=figures.of)
    people = _table(TEXTS["marks_against"], [_marks_row(row) for row in figures.annotators()])
    singles = f"<p>{escape(TEXTS['marks_worst'])}</p>" if worst else ""
    pictures = _table(TEXTS["marks_worst"], [_picture_row(marked, state.pictures) for marked in worst])
    return f"<h2>{escape(TEXTS['marks_against'])}</h2><p>{escape(why)}</p>{people}{singles}{pictures}"


def _table(label: str, rows: Sequence[Mapping[str, str]]) -> str:
    """Return rows as a table with the keys of the first row as column heads; empty if there are no rows."""
    return table_html(label, list(rows[0]), [list(row.values()) for row in rows]) if rows else ""


def _ranked(qualities: Sequence[RaterQuality]) -> list[RaterQuality]:
    """Return annotators sorted by agreement with the others, lowest first, and those without a value last."""

    def rank(quality: RaterQuality) -> tuple[float, str]:
        share = quality.with_others[0]
        return (share if share is not None else 2, quality.rater)

    return sorted(qualities, key=rank)


def _value(quality: RaterQuality) -> NamedValue:
    share, units = quality.with_others
    haste = [TEXTS["fast"]] if quality.is_suspiciously_fast else []
    return NamedValue(quality.rater, share, None, ", ".join([TEXTS["shared_tasks"].format(n=units), *haste]))


def quality_row(quality: RaterQuality, *, has_gold: bool, is_timed: bool) -> dict[str, str]:
    """Return texts that state an annotator's figures, by column heading.

    Args:
        quality: The figures.
        has_gold: Whether some annotator decided gold items.
        is_timed: Whether the browser measured the time of some decisions.
    """
    return {
        TEXTS["name"]: quality.rater,
        TEXTS["decisions"]: str(quality.ratings),
        **({TEXTS["on_gold"]: share_in_words(*quality.on_gold)} if has_gold else {}),
        TEXTS["with_others"]: share_in_words(*quality.with_others),
        TEXTS["estimated"]: _estimate(quality),
        TEXTS["alpha_without"]: _alpha(*quality.alpha_without),
        TEXTS["median_s"]: _seconds(quality),
        TEXTS["pace"]: _pace(quality),
        **({TEXTS["too_fast"]: share_in_words(*quality.too_fast)} if is_timed else {}),
    }


def _estimate(quality: RaterQuality) -> str:
    if quality.estimated_accuracy is None:
        return TEXTS["not_enough"].format(n=quality.shared, least=LEAST_SHARED)
    figures = {"share": quality.estimated_accuracy, "n": quality.shared}
    if quality.constant_accuracy is None:
        return TEXTS["estimate"].format(**figures)
    return TEXTS["estimate_beside"].format(**figures, constant=quality.constant_accuracy)


def _care(care: Care | None) -> str:
    """Return the interval of a care estimate, its evidence, and the types of tasks, or a dash if unknown."""
    if care is None or not care.evidence:
        return TEXTS["undefined"]
    evidence = [f"{TEXTS[f'care_{each.source}']} {each.right}/{each.of}" for each in care.evidence]
    by_task = [f"{name} {part.low:.0%}–{part.high:.0%}" for name, part in care.by_group.items()]
    parts = [", ".join(evidence), *([", ".join(by_task)] if len(by_task) > 1 else [])]
    return f"{care.low:.0%}–{care.high:.0%} ({'; '.join(parts)})"


def _alpha(alpha: float | None, units: int) -> str:
    return TEXTS["undefined"] if alpha is None else TEXTS["alpha_of"].format(alpha=alpha, n=units)


def _seconds(quality: RaterQuality) -> str:
    seconds = quality.median_seconds
    return "" if seconds is None else TEXTS["seconds_of"].format(seconds=seconds, n=quality.timed)


def _pace(quality: RaterQuality) -> str:
    if quality.is_suspiciously_fast is None:
        return TEXTS["too_few"]
    return TEXTS["fast"] if quality.is_suspiciously_fast else TEXTS["usual"]


def _marks_row(row: AnnotatorMarks) -> Mapping[str, str]:
    return {
        TEXTS["name"]: row.annotator,
        TEXTS["marks_pictures"]: str(row.pictures),
        TEXTS["marks_quality"]: f"{row.quality:.3f}",
        TEXTS["regions_mean_iou"]: TEXTS["undefined"] if row.mean_iou is None else f"{row.mean_iou:.3f}",
        TEXTS["marks_missed"]: str(row.missed),
        TEXTS["marks_extra"]: str(row.extra),
        TEXTS["marks_mislabelled"]: str(row.mislabelled),
    }


def _picture_row(marked: MarkedAgainst, pictures: ShownPictures) -> Mapping[str, str]:
    comparison = marked.comparison
    return {
        TEXTS["marks_picture"]: pictures.called(marked.item_id, digits=16),
        TEXTS["name"]: marked.annotator,
        TEXTS["marks_quality"]: f"{marked.quality:.3f}",
        TEXTS["marks_missed"]: str(len(comparison.missed)),
        TEXTS["marks_extra"]: str(len(comparison.extra)),
        TEXTS["marks_mislabelled"]: str(len(comparison.mislabelled)),
        TEXTS["marks_by_adjudicator"]: "✓" if marked.is_adjudicated else "",
    }
