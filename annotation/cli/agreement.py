"""``benchwright review agreement | annotators``: agreement among annotators, and the quality of each annotator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted, printable

from .selection import campaign_option, open_for_commands, pick_campaign, workspace_option
from .status import FACETS

if TYPE_CHECKING:
    from ..agreement.annotator_quality import RightOf
    from ..agreement.care import Care
    from ..agreement.ratings import Metric
    from ..progress.label_fields import LabelField
    from ..progress.mark_figures import MarkFigures
    from ..progress.overview import Overview
    from ..store.campaigns.set_asides import SetAside
    from ..store.database.records import Campaign
    from ..store.review_store import ReviewStore

_MOST_WORST = 20
"""Maximum number of single pictures that `review annotators` names."""
SIMULATED = "the annotators are simulated: no person decided anything here"
_NOTHING_YET = "no decisions yet"
_FILE = click.Path(path_type=Path)


@click.command("agreement")
@click.option(
    "--ratings", type=_FILE, metavar="CSV", help="CSV file with the columns unit, rater, label; instead of a campaign."
)
@workspace_option
@campaign_option
@click.option(
    "--field",
    metavar="NAME",
    help="Part of a decision to compare: `reasons`, a field of a typed form, or in a review a criterion or "
    "`answer_right`. Fields of several options, and reasons, are compared as sets (MASI).  [default: the "
    "decision, or the form's first field]",
)
@click.option(
    "--ordinal",
    is_flag=True,
    help="Treat labels as ordered, so that Krippendorff's alpha weighs their distance: numbers with --ratings, the "
    "order of the options with a single-choice --field.",
)
@click.option(
    "--sets",
    is_flag=True,
    help="With --ratings: labels are sets such as `blur|crop` (several reasons at once), and alpha compares sets by "
    "their overlap (MASI).",
)
@click.option(
    "--by",
    type=click.Choice([*FACETS, "time", "round", "guidelines"]),
    multiple=True,
    help="Also report agreement by part: kind of question, task, category, time (days, weeks or months of a "
    "task's last decision), "
    "round, or version of the guidelines; may be repeated.",
)
@click.option(
    "--leave-one-out",
    is_flag=True,
    help="Also report agreement without each rater; if it rises without one, that rater judges differently from the "
    "rest.",
)
@json_option(
    """
    `{"units", "raters", "compared", "percent", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1",
    "ci": {statistic: [low, high]}, ...}`; of a campaign also `"shares": {label: share}`, the share of each label
    among all labels given, `"closed_early"`, the number of tasks closed before all had decided, which raises agreement,
    `"set_aside"`, the number of votes that a curator set aside and that do not count here, and `"simulated"`, whether
    programs decided instead of people;
    where regions are marked also `"regions": {"pictures", "compared", "annotators", "regions", "matched", "mean_iou",
    "mean_distance", "share_matched", "count_agreement", "count_alpha", "label_alpha", "ci", "by_field"}`;
    with `--by` also `"parts": [{"by", "part", ...}]`, with `--leave-one-out` also `"without": {rater: {...}}`
    """
)
def agreement(
    ratings: Path | None,
    workspace: Path | None,
    campaign: str | None,
    field: str | None,
    ordinal: bool,
    sets: bool,
    by: tuple[str, ...],
    leave_one_out: bool,
    as_json: bool,
) -> None:
    """Show how far annotators agree, with 95 % intervals from a bootstrap over units.

    The source is a campaign's decisions so far, or a file of ratings. Each round of an item is a separate unit. `units`
    counts the units with at least one rating, `compared` those with two or more, on which agreement is computed.
    Undefined figures are null: with a single label in use, agreement beyond chance cannot be measured. Intervals need
    at least 10 compared units that do not all agree equally. The app's page and `review export --all` show the same
    figures.
    """
    from ..agreement.coefficients import agreement_in, without_each
    from ..agreement.rating_file import read_ratings
    from ..agreement.ratings import columns_of

    if ordinal and sets:
        raise BenchwrightError("labels are either numbers (--ordinal) or sets (--sets), not both")
    parts: dict[str, Any] = {}
    shares: dict[str, Any] = {}
    metric: Metric
    if ratings is not None:
        _refuse_both(workspace, campaign)
        if field is not None or by:
            raise BenchwrightError("--field and --by are for a campaign; a file of ratings has labels only")
        metric = "ordinal" if ordinal else "masi" if sets else "nominal"
        columns = columns_of(read_ratings(ratings), metric=metric)
    else:
        with open_for_commands(workspace) as store:
            overview, label_field = _open_overview(store, campaign, field, ordinal=ordinal, sets=sets)
            labels, metric = overview.label_columns(label_field), label_field.metric
            parts = {split: overview.agreement_by(split, labels, metric=metric) for split in by}  # type: ignore[arg-type]
            whole = overview.agreement_by("all", labels, metric=metric, resamples=0)
            closed_early, set_aside = overview.closed_early(), overview.set_aside()
            figures = _mark_figures(store, overview.campaign)
        columns = labels.ratings
        shares = {
            "shares": whole[0].shares if whole else {},
            "closed_early": closed_early,
            "set_aside": sum(listed.votes for listed in set_aside),
            "simulated": overview.campaign.is_simulated,
        }
        if figures is not None:
            shares["regions"] = figures.agreement.to_json()
    document = {**agreement_in(columns, metric=metric).to_json(), **shares}
    if by:
        document["parts"] = [
            {"by": split, "part": group.name, **group.agreement.to_json(), "shares": group.shares}
            for split in by
            for group in parts[split]
        ]
    if leave_one_out:
        without = without_each(columns, metric=metric)
        document["without"] = {
            name: {key: value for key, value in statistics.to_json().items() if key != "ci"}
            for name, statistics in without.items()
        }
    emit(document, as_json=as_json, text=lambda: _agreement_text(document))


def _open_overview(
    store: ReviewStore, campaign: str | None, field: str | None, *, ordinal: bool, sets: bool
) -> tuple[Overview, LabelField]:
    from ..progress.label_fields import label_field_named
    from ..progress.overview import Overview

    chosen = store.campaign(pick_campaign(store, campaign))
    label_field = label_field_named(chosen, field, ordinal=ordinal)
    if sets and label_field.metric != "masi":
        raise BenchwrightError(
            f"{label_field.labels.name!r} is a single code, not a set; leave out --sets, which is for --ratings "
            "(`reasons` and fields of several options are always compared as sets)"
        )
    return Overview(store, chosen), label_field


def _refuse_both(workspace: Path | None, campaign: str | None) -> None:
    if workspace is not None or campaign is not None:
        raise BenchwrightError("give either --ratings or --workspace and --campaign, not both")


@click.command("annotators")
@click.option(
    "--ratings", type=_FILE, metavar="CSV", help="CSV file with the columns unit, rater, label; instead of a campaign."
)
@workspace_option
@campaign_option
@json_option(
    """
    `{"annotators": [{"rater", "ratings", "labels": {label: n}, "with_others", "with_others_units", "shared_units",
    "estimated_accuracy", "confusion": {truth: {said: probability}}, "alpha_without", "alpha_without_units",
    "median_seconds", "timed", "pace", "suspiciously_fast", "on_gold", "on_gold_units", "too_fast_share", "too_fast_of",
    "attention_share", "attention_of", "constant_accuracy", "doubts": [code]}], "gold": {annotator: {"answered",
    "right", "accuracy"}}, "attention": {annotator: {"answered", "right", "share"}}, "set_aside": [{"annotator",
    "votes", "by", "why", "at", "is_in_force", "gold": {"answered", "right", "accuracy"}, "attention": {"answered",
    "right", "share"}}], "care": {annotator: {"mean", "low", "high", "evidence": [{"source", "right", "of", "careful",
    "careless"}], "by_task": {task: {"mean", "low", "high", "evidence": [{"source", "right", "of", "careful",
    "careless"}], "by_task"}}}}}`; where regions are marked also `"regions": {"annotators": [{"annotator", "pictures",
    "matched", "mislabelled", "missed", "extra", "quality", "mean_iou"}], "worst": [{"item_id", "annotator", "quality",
    "matched", "mislabelled", "missed", "extra", "mean_iou", "adjudicated"}]}`, the worst first, against what counts on
    each picture; `attention` counts attention checks; `median_seconds` is of first versions; `pace` is the modified
    z-score of the log of the median time, suspicious below -3.5; `too_fast_share` is the share of the `too_fast_of`
    decisions timed by the app that took less than the shortest believable time of their task, suspicious from a fifth
    on; `constant_accuracy` is what always giving the most frequent truth would be estimated at; `doubts` are
    `misses_checks`, `rushes`, `faster_than_others` and `as_without_looking`; `set_aside` lists whose votes are set
    aside, which the other fields leave out, with their answers to gold items and attention checks; `care` is the share
    of decisions made with care, with its 90 % credible interval, from `attention`, `gold`, `pace` and `agreement`, of a
    campaign only, and empty where programs decide; null where undefined
    """
)
def annotators(ratings: Path | None, workspace: Path | None, campaign: str | None, as_json: bool) -> None:
    """Show for each annotator how often they are right and agree with the others, and how fast they are.

    Each figure comes with its number of tasks: how often they are right on gold items, if the campaign has some; how
    often they agree with most of the others; the errors that Dawid and Skene's model (1979) estimates; how far the
    others agree without them; whether they are suspiciously fast compared with the others; and how many of their
    decisions took less time than looking at the pictures and skimming the words. Accuracy and errors are estimated on
    tasks that several annotators decided, and only for annotators who share at least 10 with others; only those with at
    least 5 timed decisions can count as fast. The figures suggest which annotators to talk to; the rule alone
    determines what is accepted.
    """
    from ..agreement.annotator_quality import rater_qualities
    from ..agreement.rating_file import read_ratings

    if ratings is not None:
        _refuse_both(workspace, campaign)
        qualities, gold, checks, figures = rater_qualities(read_ratings(ratings)), {}, {}, None
        set_aside: Sequence[SetAside] = ()
        aside_gold: Mapping[str, RightOf] = {}
        aside_checks: Mapping[str, RightOf] = {}
        is_simulated = False
        careful: Sequence[Care] = ()
    else:
        with open_for_commands(workspace) as store:
            overview, label_field = _open_overview(store, campaign, None, ordinal=False, sets=False)
            qualities, gold = overview.qualities(overview.label_columns(label_field)), overview.gold()
            checks, set_aside = overview.attention(), overview.set_aside()
            aside_gold, aside_checks = overview.gold(is_aside=True), overview.attention(is_aside=True)
            figures = _mark_figures(store, overview.campaign)
            is_simulated = overview.campaign.is_simulated
            careful = () if is_simulated else overview.cares()
    listed = [quality.to_json() for quality in qualities]
    known = {name: _right_of(accuracy, "accuracy") for name, accuracy in gold.items()}
    attentive = {name: _right_of(check, "share") for name, check in checks.items()}
    aside = [
        {
            **each._asdict(),
            "at": each.at.isoformat(),
            "gold": _right_of(aside_gold.get(each.annotator), "accuracy"),
            "attention": _right_of(aside_checks.get(each.annotator), "share"),
        }
        for each in set_aside
    ]
    document: dict[str, Any] = {"annotators": listed, "gold": known, "attention": attentive, "set_aside": aside}
    document["care"] = {care.rater: care.to_json() for care in careful}
    if figures is not None:
        document["regions"] = {
            "annotators": [row.to_json() for row in figures.annotators()],
            "worst": [marked.to_json() for marked in figures.marks[:_MOST_WORST]],
        }
    emit(document, as_json=as_json, text=lambda: _annotators_text(document, is_simulated=is_simulated))


def _right_of(those: RightOf | None, share: str) -> dict[str, Any]:
    if those is None:
        return {"answered": 0, "right": 0, share: None}
    return {"answered": those.of, "right": those.right, share: those.shared[0]}


def _mark_figures(store: ReviewStore, campaign: Campaign) -> MarkFigures | None:
    """Return the figures of marked regions, or None for campaigns without marks."""
    from ..forms.kinds import MARK
    from ..progress.mark_figures import mark_figures

    return mark_figures(store, campaign) if campaign.kind == MARK else None


def _annotators_text(document: Mapping[str, Any], *, is_simulated: bool) -> str:
    text = _quality_text(document["annotators"], document["gold"], document["attention"])
    lines = [
        f"{printable(row['annotator'])}: marks compared with the accepted ones: quality {_number(row['quality'])} of "
        f"{counted(row['pictures'], 'picture')}; IoU {_number(row['mean_iou'])}; "
        f"{counted(row['matched'], 'region')} right, "
        f"{row['mislabelled']} with another label, {row['missed']} missed, {row['extra']} too many"
        for row in document.get("regions", {}).get("annotators", ())
    ]
    aside = [
        f"{printable(each['annotator'])}: {counted(each['votes'], 'vote')} set aside by {printable(each['by'])}: "
        f"{printable(each['why'])}{_evidence(each)}"
        for each in document["set_aside"]
    ]
    careful = [
        f"{printable(name)}: with care in {care['low']:.0%} to {care['high']:.0%} of decisions, from "
        + ", ".join(f"{each['source']} {each['right']} of {each['of']}" for each in care["evidence"])
        for name, care in document["care"].items()
        if care["evidence"]
    ]
    return "\n".join([*([SIMULATED] if is_simulated else []), text, *careful, *lines, *aside])


def _evidence(aside: Mapping[str, Any]) -> str:
    """Return a description of the set-aside answers to gold items and attention checks; empty if there are none."""
    said = (("gold", aside["gold"]), ("attention checks", aside["attention"]))
    return "".join(f"; {what}: {of['right']} of {of['answered']} right" for what, of in said if of["answered"])


def _regions_text(regions: Mapping[str, Any]) -> list[str]:
    lines = [f"marked regions: {regions['compared']} of {counted(regions['pictures'], 'picture')} compared"]
    for name, bounds in regions["ci"].items():
        interval = "" if bounds is None else f"  [{bounds[0]:.3f}, {bounds[1]:.3f}]"
        lines.append(f"{name:<19} {_number(regions[name])}{interval}")
    return lines


def _agreement_text(document: Mapping[str, Any]) -> str:
    from ..agreement.coefficients import LEAST_COMPARED

    lines = [SIMULATED] if document.get("simulated") else []
    if not document["units"]:
        return "\n".join([*lines, _NOTHING_YET, *_set_aside(document)])
    lines.append(_size(document))
    for name, bounds in document["ci"].items():
        interval = "" if bounds is None else f"  [{bounds[0]:.3f}, {bounds[1]:.3f}]"
        lines.append(f"{name:<19} {_number(document[name])}{interval}")
    if "regions" in document:
        lines += _regions_text(document["regions"])
    if document.get("shares"):
        lines.append(f"{'said':<19} {_shares(document['shares'])}")
    for part in document.get("parts", ()):
        lines.append(
            f"{part['by']} {printable(part['part'] or '-')}: {_size(part)}; "
            f"alpha {_number(part['krippendorff_alpha'])}, percent {_number(part['percent'])}"
            f"; said {_shares(part['shares'])}"
        )
    if document.get("closed_early"):
        lines.append(
            f"{counted(document['closed_early'], 'task')} closed before all their annotators had decided: with the "
            "missing decisions, agreement would hardly be higher and might be lower"
        )
    lines += _set_aside(document)
    for rater, statistics in document.get("without", {}).items():
        alpha, percent = _number(statistics["krippendorff_alpha"]), _number(statistics["percent"])
        lines.append(f"without {printable(rater)}: {_size(statistics)}; alpha {alpha}, percent {percent}")
    if all(bounds is None for bounds in document["ci"].values()):
        lines.append(
            f"no 95 % intervals: they need {LEAST_COMPARED} units with two or more ratings, not all of equal agreement"
        )
    return "\n".join(lines)


def _set_aside(document: Mapping[str, Any]) -> list[str]:
    votes = document.get("set_aside")
    return [f"{counted(votes, 'vote is', 'votes are')} set aside and not counted here"] if votes else []


def _size(statistics: Mapping[str, Any]) -> str:
    return (
        f"{counted(statistics['units'], 'unit')}, {statistics['compared']} of them compared, "
        f"{counted(statistics['raters'], 'rater')}"
    )


def _shares(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{printable(label) or '(nothing)'} {share:.2f}" for label, share in shares.items())


def _quality_text(
    qualities: Sequence[Mapping[str, Any]],
    gold: Mapping[str, Mapping[str, Any]],
    attention: Mapping[str, Mapping[str, Any]],
) -> str:
    lines = []
    for quality in qualities:
        seconds = quality["median_seconds"]
        pace = "" if seconds is None else f"; median {seconds:.1f} s of {quality['timed']}"
        haste = " (suspiciously fast)" if quality["suspiciously_fast"] else ""
        if quality["too_fast_share"]:
            haste += f"; too fast to look and read {_number(quality['too_fast_share'])} of {quality['too_fast_of']}"
        units = quality["on_gold_units"]
        on_gold = f"; gold {_number(quality['on_gold'])} of {units}" if units else ""
        lines.append(
            f"{printable(quality['rater'])}: {counted(quality['ratings'], 'rating')}; with the others "
            f"{_number(quality['with_others'])} of {counted(quality['with_others_units'], 'unit')}{on_gold}; estimated "
            f"accuracy {_estimate(quality)}; alpha without {_number(quality['alpha_without'])} on "
            f"{counted(quality['alpha_without_units'], 'unit')}{pace}{haste}"
        )
    rated = {quality["rater"] for quality in qualities}
    lines += [
        f"{printable(name)}: gold {_number(accuracy['accuracy'])} of {accuracy['answered']}; nothing else yet"
        for name, accuracy in sorted(gold.items())
        if name not in rated and accuracy["answered"]
    ]
    lines += [
        f"{printable(name)}: attention checks {_number(check['share'])} of {check['answered']}"
        for name, check in sorted(attention.items())
    ]
    lines += [
        f"{printable(quality['rater'])}: check these votes before they count: "
        + "; ".join(_DOUBTS[doubt] for doubt in quality["doubts"])
        for quality in qualities
        if quality["doubts"]
    ]
    return "\n".join(lines) or _NOTHING_YET


_DOUBTS: Mapping[str, str] = {
    "misses_checks": "attention checks were missed",
    "rushes": "many decisions took less time than looking and reading need",
    "faster_than_others": "far faster than the others",
    "as_without_looking": "the same decision on all items, which needs no looking",
}
"""Descriptions of evidence against an annotator, by code."""


def _estimate(quality: Mapping[str, Any]) -> str:
    from ..agreement.annotator_quality import LEAST_SHARED

    if quality["estimated_accuracy"] is None:
        return f"not enough ({counted(quality['shared_units'], 'shared unit')}, of {LEAST_SHARED})"
    constant = quality["constant_accuracy"]
    always = "" if constant is None else f", always the same {constant:.2f}"
    return f"{quality['estimated_accuracy']:.2f} from {counted(quality['shared_units'], 'shared unit')}{always}"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
