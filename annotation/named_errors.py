"""What a campaign of error analysis found: how many annotators named which category of each item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchwright.review_findings import Findings, ItemFindings
from benchwright.review_tasks import FindingCategory

from .answers_given import Results, fields_in
from .set_agreement import SetRating, alpha_by_category, masi_alpha
from .store import Annotation, Task, about_in
from .verdicts import DIGITS


def findings_of(results: Results) -> Findings:
    """Return what a campaign of error analysis found, without names."""
    by_item: dict[str, list[Annotation]] = {}
    for one in results.said:
        by_item.setdefault(one.item_id, []).append(one)
    ratings = [SetRating(one.item_id, one.annotator, frozenset(fields_in(one)["categories"])) for one in results.said]
    categories = tuple(FindingCategory.model_validate(one) for one in results.campaign.settings["categories"])
    alphas = alpha_by_category(ratings, [one.code for one in categories])
    return Findings(
        campaign=results.campaign.name,
        kind=results.campaign.kind,
        release=results.campaign.settings["release"],
        release_id=results.campaign.settings["release_id"],
        categories=categories,
        tasks=len(results.tasks),
        annotators=len({one.annotator for one in results.said}),
        agreement=_rounded(masi_alpha(ratings)),
        by_category={code: _rounded(alpha) for code, alpha in alphas.items()},
        items=tuple(_found(results.tasks[item_id], said) for item_id, said in sorted(by_item.items())),
    )


def _found(task: Task, said: Sequence[Annotation]) -> ItemFindings:
    named = Counter(code for one in said for code in fields_in(one)["categories"])
    return ItemFindings(
        item_id=task.item_id,
        about=dict(about_in(task.payload)),
        annotators=len(said),
        categories=dict(sorted(named.items())),
        reasons=tuple(sorted(fields_in(one)["reason"] for one in said)),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
