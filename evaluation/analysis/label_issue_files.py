"""Likely wrong keys as campaign tasks (JSON Lines), as a table (CSV, Parquet) and as printed lines.

A task asks annotators whether the key is right and, if not, for the right letter.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.canonical import canonical_json
from benchwright.errors import BenchwrightError
from benchwright.review_files.tasks import LONGEST_TEXT, SUFFIX, ReviewTask, SideText, TaskFileHead, write_review_tasks
from benchwright.texts.normalization import counted
from benchwright.workspace.written_once import REPLACE, written_once

from ..prompting.release_files import columns_of

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table

    from benchwright.release import Release

    from .label_issues import LabelIssue, LabelIssues


_WHY = {
    "models_prefer_another": "Models that beat chance at this task agree on a letter other than the key.",
    "people_miss_the_key": "Annotators without the key chose other letters.",
    "models_and_people": "Able models and annotators without the key prefer a letter other than the key.",
}


def _suspect_head(suspects: LabelIssues, release: Release) -> TaskFileHead:
    """Return the first line of a task file about suspected keys."""
    score = suspects.sheet.scores[0]
    return TaskFileHead(
        kind="errata", name="errata", release=f"{release.name} {release.version}", release_id=score.release_id
    )


def _suspect_tasks(suspects: LabelIssues, release: Release) -> Iterator[ReviewTask]:
    """Yield a task for each suspect, the likeliest first, including the evidence against its key."""
    contents = _contents(release, suspects.sheet.scores[0].split)
    for issue in suspects.found:
        yield ReviewTask(
            item_id=issue.item_id,
            content_hash=contents[issue.item_id],
            about={"rank": str(issue.rank), "reason": issue.reason, "letters": "".join(issue.letters)},
            beside=tuple(_beside(issue)),
        )


def _contents(release: Release, split: str | None) -> Mapping[str, str]:
    batches = columns_of(release, split, ["item_id", "content_hash"])
    return {row["item_id"]: row["content_hash"] for batch in batches for row in batch.to_pylist()}


def _beside(issue: LabelIssue) -> Iterator[SideText]:
    yield SideText(label="Reason for the doubt", text=_WHY[issue.reason])
    lines = [f"{letter or 'no letter'}: {', '.join(models)}" for letter, models in issue.given.items()]
    yield SideText(label="Answers of models", text="\n".join(lines)[:LONGEST_TEXT])
    if issue.people:
        answers = (
            f"{issue.people_right} of {counted(issue.people, 'person', 'people')} without the key gave its letter, "
            f"{issue.key}."
        )
        yield SideText(label="Answers of annotators", text=answers)


FORMAT, VERSION = "benchwright/suspects", 1
COLUMNS = (
    "rank",
    "item_id",
    "split",
    "task",
    "key",
    "letters",
    "reason",
    "score",
    "models",
    "difficulty",
    "discrimination",
    "people",
    "people_right",
    "given",
    "probability",
)
"""Columns: `letters` are joined without spaces, `given` is canonical JSON, and undefined values are empty or null."""

_MOST_SHOWN = 20


def suspects_document(suspects: LabelIssues, out: Path | None) -> dict[str, Any]:
    """Return suspects as JSON values."""
    score = suspects.sheet.scores[0]
    return {
        "release": score.release,
        "release_id": score.release_id,
        "split": score.split,
        "models": [score.model for score in suspects.sheet.scores],
        "campaigns": list(suspects.campaigns),
        "items": suspects.sheet.items.num_rows,
        "suspects": [{**issue._asdict(), "letters": list(issue.letters)} for issue in suspects.found],
        "tasks": [doubted.to_json(suspects.matrix) for doubted in suspects.tasks],
        "out": None if out is None else str(out),
    }


def write_suspects(suspects: LabelIssues, release: Release, out: Path, *, force: bool = False) -> None:
    """Write suspects to a `.jsonl`, `.csv` or `.parquet` file; equal suspects give identical bytes.

    Raises:
        BenchwrightError: The file name has a different suffix, the file exists and `force` is not given, or it cannot
            be written.
    """
    suffix = out.suffix.lower()
    if suffix not in {SUFFIX, ".csv", ".parquet"}:
        raise BenchwrightError(
            f"{out}: suspects are written as {SUFFIX}, .csv or .parquet; give a name with one of these endings"
        )
    if suffix == SUFFIX:
        write_review_tasks(out, _suspect_head(suspects, release), _suspect_tasks(suspects, release), force=force)
        return
    try:
        with written_once(out, otherwise=REPLACE, force=force) as draft:
            if suffix == ".csv":
                _write_csv(draft, suspects.found)
            else:
                _write_parquet(draft, suspects)
    except OSError as error:
        raise BenchwrightError(f"{out} cannot be written: {error.strerror or error}") from error


def suspects_table(suspects: LabelIssues) -> Table:
    """Return the first suspects as a table."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = suspects.found[:_MOST_SHOWN]
    title = f"{len(suspects.found):,} suspects among {counted(suspects.sheet.items.num_rows, 'item')}"
    more = f"; the first {_MOST_SHOWN}" if len(suspects.found) > _MOST_SHOWN else ""
    table = Table(box=box.SIMPLE_HEAD, title=Text(title + more), title_justify="left")
    for name in ("rank", "item", "task", "key", "letters", "probability", "right", "people right", "reason"):
        table.add_column(Text(name), no_wrap=True)
    for issue in shown:
        people = f"{issue.people_right}/{issue.people}" if issue.people else "-"
        cells = (
            str(issue.rank),
            issue.item_id,
            issue.task,
            issue.key,
            "".join(issue.letters) or "-",
            f"{issue.probability:.0%}",
            f"{round(issue.difficulty * issue.models)}/{issue.models}",
            people,
            issue.reason,
        )
        table.add_row(*map(Text, cells))
    return table


def _row(issue: LabelIssue) -> dict[str, Any]:
    return {**issue._asdict(), "letters": "".join(issue.letters), "given": canonical_json(issue.given)}


def _write_csv(path: Path, issues: Sequence[LabelIssue]) -> None:
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(_row, issues))


def _write_parquet(path: Path, suspects: LabelIssues) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist([_row(issue) for issue in suspects.found], schema=_schema(suspects))
    pq.write_table(table, path, compression="zstd", compression_level=3)


def _schema(suspects: LabelIssues) -> pa.Schema:
    import pyarrow as pa

    kinds = {
        **dict.fromkeys(("rank", "models", "people", "people_right"), pa.int64()),
        **dict.fromkeys(("score", "difficulty", "discrimination", "probability"), pa.float64()),
    }
    stamp = {"format": FORMAT, "version": str(VERSION), "release_id": suspects.sheet.scores[0].release_id}
    return pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS], metadata=stamp)
