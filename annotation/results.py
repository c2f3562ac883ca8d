"""What a campaign with a typed form came to: its table of answers, findings for a report, errata for a release."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.atomic import replacing, write_bytes
from benchwright.csv_cells import harmless
from benchwright.errors import BenchwrightError
from benchwright.release.errata import Erratum, spelled
from benchwright.review_findings import Findings, Found
from benchwright.review_tasks import Category

from .form import Form, form_of
from .kinds import ERRATA, ERROR_ANALYSIS, KEY_RIGHT, KEY_WRONG
from .ratings import Rating
from .set_agreement import SetRating, alpha_by_category, masi_alpha
from .store import Annotation, Campaign, ReviewStore, Task, about_in, item_in
from .verdicts import DIGITS, short_agreement

Row = dict[str, Any]


class Results(NamedTuple):
    """A campaign's answers so far.

    Args:
        campaign: The campaign.
        form: Of it.
        tasks: Current ones, by item id.
        said: The latest answers, by item id and slot.
    """

    campaign: Campaign
    form: Form
    tasks: Mapping[str, Task]
    said: Sequence[Annotation]

    @property
    def open(self) -> int:
        """Return how many tasks are not answered by all yet."""
        return sum(task.state == "open" for task in self.tasks.values())


def results_of(store: ReviewStore, name: str) -> Results:
    """Return what a campaign came to so far.

    Raises:
        BenchwrightError: It has no typed form, or there is no such campaign.
    """
    campaign = store.campaign(name)
    form = form_of(campaign.form)
    if form is None:
        raise BenchwrightError(
            f"campaign {name!r} is of kind {campaign.kind!r}, whose outcome is in the run's tables; "
            "`benchwright outcomes` and `benchwright review agreement` show it"
        )
    tasks = {task.item_id: task for task in store.tasks(name, states=("open", "done"))}
    return Results(campaign, form, tasks, store.decisions(name))


def rows_of(results: Results) -> list[Row]:
    """Return a row for each answer, by item and annotator: item, task, what tells it apart, annotator, fields."""
    found = []
    for one in sorted(results.said, key=lambda one: (one.item_id, one.annotator)):
        payload = results.tasks[one.item_id].payload
        fields = one.fields or {}
        found.append(
            {
                "item_id": one.item_id, "task": item_in(payload)["task"], **about_in(payload),
                "annotator": one.annotator, **{field.name: fields.get(field.name) for field in results.form.fields},
            }
        )  # fmt: skip
    return found


def document_of(results: Results) -> Row:
    """Return everything as JSON values."""
    states = Counter(task.state for task in results.tasks.values())
    return {
        "campaign": results.campaign.name,
        "kind": results.campaign.kind,
        "tasks": {"open": states["open"], "done": states["done"]},
        "answers": rows_of(results),
        "summary": summary_of(results),
    }


def summary_of(results: Results) -> list[Row]:
    """Return the count and share of each value of the form's first field, with agreement.

    Of error analysis: for each category, `items` in which anybody named it, `share` the mean over items of the share of
    its annotators who did, `of_named` its part in all that was named. Of errata: for each finding, `items` on which
    more than half of its annotators agree, and their share.
    """
    if results.campaign.kind == ERRATA:
        settled = [one.finding for one in _settled(results)]
        return [
            {"finding": option.code, "items": settled.count(option.code), "share": _share(settled, option.code)}
            for option in results.form.headline.options  # type: ignore[union-attr] # a choice among options
        ]
    found = findings_of(results)
    named = Counter(code for one in found.items for code, n in one.categories.items() for _ in range(n))
    return [
        {
            "category": one.code, "words": one.words,
            "items": sum(one.code in item.categories for item in found.items),
            "share": _mean([item.categories.get(one.code, 0) / item.annotators for item in found.items]),
            "of_named": named[one.code] / named.total() if named else None,
            "krippendorff_alpha": found.by_category.get(one.code),
        }
        for one in found.categories
    ]  # fmt: skip


def agreement_of(results: Results) -> Row:
    """Return how far annotators agree: over sets of categories, or on findings; None where undefined."""
    if results.campaign.kind == ERROR_ANALYSIS:
        return {"masi_alpha": findings_of(results).agreement}
    rows = [Rating(one.item_id, one.annotator, one.decision) for one in results.said]
    return short_agreement(rows) if rows else {"percent": None, "krippendorff_alpha": None}


def findings_of(results: Results) -> Findings:
    """Return what a campaign of error analysis found, without names."""
    by_item: dict[str, list[Annotation]] = {}
    for one in results.said:
        by_item.setdefault(one.item_id, []).append(one)
    ratings = [SetRating(one.item_id, one.annotator, frozenset(_fields(one)["categories"])) for one in results.said]
    categories = tuple(Category.model_validate(one) for one in results.campaign.settings["categories"])
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


def _found(task: Task, said: Sequence[Annotation]) -> Found:
    named = Counter(code for one in said for code in _fields(one)["categories"])
    return Found(
        item_id=task.item_id,
        about=dict(about_in(task.payload)),
        annotators=len(said),
        categories=dict(sorted(named.items())),
        reasons=tuple(sorted(_fields(one)["reason"] for one in said)),
    )


class Settled(NamedTuple):
    """An item on which more than half of the annotators asked agree."""

    task: Task
    finding: str
    instead: str | None
    agreed: int
    asked: int
    reasons: tuple[str, ...]


def _settled(results: Results) -> list[Settled]:
    """Return the items whose answers are all in and on whose finding more than half agree, by item id."""
    by_item: dict[str, list[Annotation]] = {}
    for one in results.said:
        by_item.setdefault(one.item_id, []).append(one)
    found = []
    for item_id, said in sorted(by_item.items()):
        if results.tasks[item_id].state != "done":
            continue
        finding, agreed = Counter(_fields(one)["finding"] for one in said).most_common(1)[0]
        if 2 * agreed <= len(said):
            continue
        same = [_fields(one) for one in said if _fields(one)["finding"] == finding]
        letter, votes = Counter(one.get("instead") for one in same).most_common(1)[0]
        instead = letter if finding == KEY_WRONG and 2 * votes > len(said) else None
        reasons = tuple(sorted(one["reason"] for one in same if one.get("reason")))
        found.append(Settled(results.tasks[item_id], finding, instead, agreed, len(said), reasons))
    return found


def errata_of(results: Results) -> list[Erratum]:
    """Return the errata that a campaign found: items whose annotators agree by majority that something is wrong.

    Where they agree that the key is wrong, and by majority on the same letter instead, the erratum names it.
    """
    found = []
    for one in _settled(results):
        if one.finding == KEY_RIGHT:
            continue
        item = item_in(one.task.payload)
        found.append(
            Erratum.model_validate(
                {
                    "item_id": one.task.item_id, "content_hash": one.task.content_hash,
                    "release": results.campaign.settings["release"],
                    "release_id": results.campaign.settings["release_id"], "finding": one.finding,
                    "key": item["answer"] or item["refusal"], "instead": one.instead, "agreed": one.agreed,
                    "asked": one.asked, "reasons": one.reasons,
                }
            )
        )  # fmt: skip
    return found


def write_results(results: Results, out: Path, *, force: bool = False) -> None:
    """Write a campaign's outcome: `.csv` has every answer; `.json` what other commands take up.

    Of error analysis that are findings, for `evaluate report`; of errata the errata, for `release freeze`.

    Raises:
        BenchwrightError: The name ends otherwise, something is there and `force` is not given, or it cannot be written.
    """
    suffix = out.suffix.lower()
    if suffix not in {".csv", ".json"}:
        raise BenchwrightError(f"{out}: results are written as .csv or .json; give a name that ends so")
    if out.is_symlink() or out.is_dir() or (out.exists() and not force):
        raise BenchwrightError(f"{out} is there already; give another name with --out, or replace a file with --force")
    try:
        if suffix == ".csv":
            _write_csv(results, out)
        elif results.campaign.kind == ERRATA:
            write_bytes(out, spelled(errata_of(results)))
        else:
            write_bytes(out, findings_of(results).spelled())
    except OSError as error:
        raise BenchwrightError(f"{out} cannot be written: {error.strerror or error}") from error


def _write_csv(results: Results, out: Path) -> None:
    rows = rows_of(results)
    about = sorted({name for task in results.tasks.values() for name in about_in(task.payload)})
    names = [field.name for field in results.form.fields]
    columns = ["item_id", "task", *(name for name in about if name != "task"), "annotator", *names]
    with replacing(out) as draft, draft.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, columns, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows({name: harmless(_cell(row.get(name))) for name in columns} for row in rows)


def _cell(value: Any) -> str:
    return ";".join(value) if isinstance(value, list) else str(value if value is not None else "")


def _fields(one: Annotation) -> Mapping[str, Any]:
    assert one.fields is not None  # the store takes no answer without them where the form has some
    return one.fields


def _share(found: Sequence[str], wanted: str) -> float | None:
    return found.count(wanted) / len(found) if found else None


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
