"""Results of a campaign with a typed form: proportions, agreement, a table, and the file that other commands read.

The results of a campaign on doubted keys are the items on which most annotators agree, and the errata among them. Those
of an error analysis are the numbers of annotators who named each category for each item.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.files.csv_cells import harmless
from benchwright.release.format.errata import Erratum, spelled
from benchwright.review_files.findings import Findings, ItemFindings
from benchwright.review_files.tasks import FindingCategory
from benchwright.workspace.written_once import REPLACE, written_once

from ...agreement.coefficients import SetRating, alpha_by_category, masi_alpha
from ...agreement.ratings import Rating
from ...forms.kinds import ERRATA, ERROR_ANALYSIS, KEY_RIGHT, KEY_WRONG
from ...forms.payloads import about_in, item_in
from ...store.database.records import Annotation, Task
from ...workflow.settlement.rounds import votes_in
from ...workflow.settlement.settle import OPEN, policy_of, settle
from ...workflow.submitted_answers import CampaignAnswers, Row, fields_in, rows_of
from .verdicts import DIGITS, short_agreement


def findings_of(results: CampaignAnswers) -> Findings:
    """Return the findings of an error analysis, without annotators' names."""
    by_item: dict[str, list[Annotation]] = {}
    for annotation in results.annotations:
        by_item.setdefault(annotation.item_id, []).append(annotation)
    ratings = [
        SetRating(annotation.item_id, annotation.annotator, frozenset(fields_in(annotation)["categories"]))
        for annotation in results.annotations
    ]
    categories = tuple(FindingCategory.model_validate(category) for category in results.campaign.settings["categories"])
    alphas = alpha_by_category(ratings, [category.code for category in categories])
    return Findings(
        campaign=results.campaign.name,
        kind=results.campaign.kind,
        release=results.campaign.settings["release"],
        release_id=results.campaign.settings["release_id"],
        categories=categories,
        tasks=len(results.tasks),
        annotators=len({annotation.annotator for annotation in results.annotations}),
        agreement=_rounded(masi_alpha(ratings)),
        by_category={code: _rounded(alpha) for code, alpha in alphas.items()},
        items=tuple(
            _item_findings(results.tasks[item_id], annotations) for item_id, annotations in sorted(by_item.items())
        ),
    )


def _item_findings(task: Task, annotations: Sequence[Annotation]) -> ItemFindings:
    named = Counter(code for annotation in annotations for code in fields_in(annotation)["categories"])
    return ItemFindings(
        item_id=task.item_id,
        about=dict(about_in(task.payload)),
        annotators=len(annotations),
        categories=dict(sorted(named.items())),
        reasons=tuple(sorted(fields_in(annotation)["reason"] for annotation in annotations)),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


class SettledItem(NamedTuple):
    """An item on which more than half of its annotators agree."""

    task: Task
    finding: str
    instead: str | None
    agreed: int
    annotators: int
    reasons: tuple[str, ...]


def settled(results: CampaignAnswers) -> list[SettledItem]:
    """Return the items that all of their annotators answered and on whose finding more than half agree, by item id."""
    by_item: dict[str, list[Annotation]] = {}
    for annotation in results.annotations:
        by_item.setdefault(annotation.item_id, []).append(annotation)
    items = []
    policy = policy_of(results.campaign)
    for item_id, answers in sorted(by_item.items()):
        votes = votes_in(policy, answers, is_closed=True)
        finding = settle(policy, votes) if results.tasks[item_id].state == "done" else OPEN
        if finding not in policy.decisions:
            continue
        agreed = votes.decisions[finding]
        same = [fields_in(annotation) for annotation in answers if fields_in(annotation)["finding"] == finding]
        letter, times = Counter(values.get("instead") for values in same).most_common(1)[0]
        instead = letter if finding == KEY_WRONG and 2 * times > len(answers) else None
        reasons = tuple(sorted(values["reason"] for values in same if values.get("reason")))
        items.append(SettledItem(results.tasks[item_id], finding, instead, agreed, len(answers), reasons))
    return items


def errata_of(results: CampaignAnswers) -> list[Erratum]:
    """Return the errata found by a campaign: items with a problem on which a majority of annotators agrees.

    If a majority finds that the key is wrong, and a majority names the same letter instead, the erratum includes it.
    """
    errata = []
    for settled_item in settled(results):
        if settled_item.finding == KEY_RIGHT:
            continue
        item = item_in(settled_item.task.payload)
        errata.append(
            Erratum.model_validate(
                {
                    "item_id": settled_item.task.item_id,
                    "content_hash": settled_item.task.content_hash,
                    "release": results.campaign.settings["release"],
                    "release_id": results.campaign.settings["release_id"],
                    "finding": settled_item.finding,
                    "key": item["answer"] or item["refusal"],
                    "instead": settled_item.instead,
                    "agreed": settled_item.agreed,
                    "asked": settled_item.annotators,
                    "reasons": settled_item.reasons,
                }
            )
        )
    return errata


def document_of(results: CampaignAnswers) -> Row:
    """Return all results as JSON values."""
    states = Counter(task.state for task in results.tasks.values())
    return {
        "campaign": results.campaign.name,
        "kind": results.campaign.kind,
        "tasks": {"open": states["open"], "done": states["done"]},
        "answers": rows_of(results),
        "summary": summary_of(results),
    }


def summary_of(results: CampaignAnswers) -> list[Row]:
    """Return the count and proportion of each value of the form's first field, with agreement.

    Error analysis: for each category, `items` is the number of items for which any annotator named it, `share` is the
    mean over items of the proportion of annotators who did, and `of_named` is its proportion of all categories named.
    Errata: for each finding, the number of items on which more than half of their annotators agree, and its proportion.
    Other kinds: the same for each option of the first field.
    """
    if results.campaign.kind == ERRATA:
        agreed = [item.finding for item in settled(results)]
        return [
            {"finding": option.code, "items": agreed.count(option.code), "share": _share(agreed, option.code)}
            for option in results.form.headline.options  # type: ignore[union-attr] # a choice among options
        ]
    if results.campaign.kind != ERROR_ANALYSIS:
        return _first_choices(results)
    findings = findings_of(results)
    named = Counter(code for item in findings.items for code, n in item.categories.items() for _ in range(n))
    return [
        {
            "category": category.code,
            "words": category.words,
            "items": sum(category.code in item.categories for item in findings.items),
            "share": _mean([item.categories.get(category.code, 0) / item.annotators for item in findings.items]),
            "of_named": named[category.code] / named.total() if named else None,
            "krippendorff_alpha": findings.by_category.get(category.code),
        }
        for category in findings.categories
    ]


def _first_choices(results: CampaignAnswers) -> list[Row]:
    by_item: dict[str, Counter[str]] = {}
    for annotation in results.annotations:
        by_item.setdefault(annotation.item_id, Counter())[annotation.decision] += 1
    leading = [counts.most_common(1)[0] + (counts.total(),) for counts in by_item.values()]
    agreed = [code for code, votes, total in leading if 2 * votes > total]
    return [
        {
            "finding": option.code,
            "words": option.words,
            "items": agreed.count(option.code),
            "share": _share(agreed, option.code),
        }
        for option in results.form.headline.options  # type: ignore[union-attr] # a choice among options
    ]


def agreement_of(results: CampaignAnswers) -> Row:
    """Return annotators' agreement on sets of categories or on findings; None where agreement is undefined.

    `compared` is the number of items that two or more annotators answered.
    """
    compared = sum(times > 1 for times in Counter(annotation.item_id for annotation in results.annotations).values())
    if results.campaign.kind == ERROR_ANALYSIS:
        return {"compared": compared, "masi_alpha": findings_of(results).agreement}
    rows = [Rating(annotation.item_id, annotation.annotator, annotation.decision) for annotation in results.annotations]
    figures = short_agreement(rows) if rows else {"percent": None, "krippendorff_alpha": None}
    return {"compared": compared, **figures}


def write_results(results: CampaignAnswers, out: Path, *, force: bool = False) -> None:
    """Write a campaign's results: every answer to `.csv`, or the input of other commands to `.json`.

    For an error analysis, these are the findings, for `evaluate report`; for errata, the errata, for `release freeze`.

    Raises:
        BenchwrightError: The file name has another extension, the file exists with different content and `force` is not
            given, or it cannot be written.
    """
    suffix = out.suffix.lower()
    if suffix not in {".csv", ".json"}:
        raise BenchwrightError(f"{out}: give a name that ends in .csv or .json")
    try:
        with written_once(out, otherwise=REPLACE, private=True, force=force) as draft:
            if suffix == ".csv":
                _write_csv(results, draft)
            elif results.campaign.kind == ERRATA:
                draft.write_bytes(spelled(errata_of(results)))
            elif results.campaign.kind == ERROR_ANALYSIS:
                draft.write_bytes(findings_of(results).spelled())
            else:
                raise BenchwrightError(
                    f"{out}: only the next run uses the results of a campaign of kind {results.campaign.kind!r}; give "
                    "a .csv file to get all answers"
                )
    except OSError as error:
        raise BenchwrightError(f"{out} cannot be written: {error.strerror or error}") from error


def _write_csv(results: CampaignAnswers, draft: Path) -> None:
    rows = rows_of(results)
    about = sorted({name for task in results.tasks.values() for name in about_in(task.payload)})
    names = [field.name for field in results.form.fields]
    columns = ["item_id", "task", *(name for name in about if name != "task"), "annotator", *names]
    with draft.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, columns, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows({name: harmless(_cell(row.get(name))) for name in columns} for row in rows)


def _cell(value: Any) -> str:
    return ";".join(value) if isinstance(value, list) else str(value if value is not None else "")


def _share(findings: Sequence[str], wanted: str) -> float | None:
    return findings.count(wanted) / len(findings) if findings else None


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return sum(listed) / len(listed) if listed else None
