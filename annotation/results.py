"""What a campaign with a typed form came to: shares, agreement, its table, and the file that other commands take up."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchwright.csv_cells import harmless
from benchwright.errors import BenchwrightError
from benchwright.release.format.errata import spelled
from benchwright.workspace.atomic import replacing, write_bytes

from .answers_given import Results, Row, rows_of
from .judged_keys import errata_of, settled
from .kinds import ERRATA, ERROR_ANALYSIS
from .named_errors import findings_of
from .ratings import Rating
from .store.payloads import about_in
from .verdicts import short_agreement


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
    more than half of its annotators agree, and their share. Of other kinds: so too for each first choice.
    """
    if results.campaign.kind == ERRATA:
        agreed = [one.finding for one in settled(results)]
        return [
            {"finding": option.code, "items": agreed.count(option.code), "share": _share(agreed, option.code)}
            for option in results.form.headline.options  # type: ignore[union-attr] # a choice among options
        ]
    if results.campaign.kind != ERROR_ANALYSIS:
        return _first_choices(results)
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


def _first_choices(results: Results) -> list[Row]:
    by_item: dict[str, Counter[str]] = {}
    for one in results.said:
        by_item.setdefault(one.item_id, Counter())[one.decision] += 1
    leading = [said.most_common(1)[0] + (said.total(),) for said in by_item.values()]
    agreed = [code for code, votes, total in leading if 2 * votes > total]
    return [
        {"finding": one.code, "words": one.words, "items": agreed.count(one.code), "share": _share(agreed, one.code)}
        for one in results.form.headline.options  # type: ignore[union-attr] # a choice among options
    ]


def agreement_of(results: Results) -> Row:
    """Return how far annotators agree: over sets of categories, or on findings; None where undefined.

    `compared` says on how many items, those that two or more annotators answered.
    """
    compared = sum(times > 1 for times in Counter(one.item_id for one in results.said).values())
    if results.campaign.kind == ERROR_ANALYSIS:
        return {"compared": compared, "masi_alpha": findings_of(results).agreement}
    rows = [Rating(one.item_id, one.annotator, one.decision) for one in results.said]
    figures = short_agreement(rows) if rows else {"percent": None, "krippendorff_alpha": None}
    return {"compared": compared, **figures}


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
            write_bytes(out, spelled(errata_of(results)), private=True)
        elif results.campaign.kind == ERROR_ANALYSIS:
            write_bytes(out, findings_of(results).spelled(), private=True)
        else:
            raise BenchwrightError(
                f"{out}: no other command takes up a campaign of kind {results.campaign.kind!r}; the next run does, "
                "and a .csv file has all answers"
            )
    except OSError as error:
        raise BenchwrightError(f"{out} cannot be written: {error.strerror or error}") from error


def _write_csv(results: Results, out: Path) -> None:
    rows = rows_of(results)
    about = sorted({name for task in results.tasks.values() for name in about_in(task.payload)})
    names = [field.name for field in results.form.fields]
    columns = ["item_id", "task", *(name for name in about if name != "task"), "annotator", *names]
    with replacing(out, private=True) as draft, draft.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, columns, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows({name: harmless(_cell(row.get(name))) for name in columns} for row in rows)


def _cell(value: Any) -> str:
    return ";".join(value) if isinstance(value, list) else str(value if value is not None else "")


def _share(found: Sequence[str], wanted: str) -> float | None:
    return found.count(wanted) / len(found) if found else None


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return sum(listed) / len(listed) if listed else None
