"""The advice as files: tasks for people who decide on items, or a table for recipes and spreadsheets."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from benchwright.errors import BenchwrightError
from benchwright.files.csv_cells import harmless
from benchwright.review_files.tasks import LONGEST_TEXT, SUFFIX, ReviewTask, SideText, TaskFileHead, write_review_tasks
from benchwright.workspace.written_once import REPLACE, written_once

from ..prompting.release_files import columns_of
from .actions import ACTIONS

if TYPE_CHECKING:
    from .actions import Advice
    from .health import Health

COLUMNS = ("kind", "id", "task", "action", "codes", "reasons")
"""Columns of the table; entries of `codes` are separated by spaces, those of `reasons` by semicolons."""
_KIND: Literal["errata"] = "errata"


def write_advice(health: Health, out: Path, *, force: bool = False) -> int:
    """Write the advice and return the number of lines; equal advice gives identical bytes.

    A `.jsonl` file contains the items as tasks for `review open`, each with its reasons; a `.csv` file contains tasks
    and items as a table.

    Raises:
        BenchwrightError: The file name has a different suffix, the file exists and `force` is not given, or it cannot
            be written.
    """
    suffix = out.suffix.lower()
    if suffix == SUFFIX:
        items = [each for each in health.advice if each.kind == "item"]
        return write_review_tasks(out, _head(health), _tasks(health, items), force=force)
    if suffix != ".csv":
        raise BenchwrightError(f"{out}: advice is written as {SUFFIX} or .csv; give a name with one of these endings")
    try:
        with written_once(out, otherwise=REPLACE, force=force) as draft, draft.open("w", encoding="utf-8") as handle:
            writer = csv.writer(handle, lineterminator="\n")
            writer.writerow(COLUMNS)
            for each in health.advice:
                row = (each.kind, each.id, each.task, each.action, " ".join(each.codes), "; ".join(each.reasons))
                writer.writerow(map(harmless, row))
    except OSError as error:
        raise BenchwrightError(f"{out} cannot be written: {error.strerror or error}") from error
    return len(health.advice)


def _head(health: Health) -> TaskFileHead:
    release = health.release
    return TaskFileHead(
        kind=_KIND, name="health", release=f"{release.name} {release.version}", release_id=release.release_id
    )


def _tasks(health: Health, items: list[Advice]) -> Iterator[ReviewTask]:
    batches = columns_of(health.release, health.runs.sheet.scores[0].split, ["item_id", "content_hash"])
    contents = {row["item_id"]: row["content_hash"] for batch in batches for row in batch.to_pylist()}
    given = {issue.item_id: issue.given for issue in health.runs.issues.found}
    for each in items:
        beside = [SideText(label=f"Advice: {ACTIONS[each.action]}", text="\n".join(each.reasons)[:LONGEST_TEXT])]
        if each.id in given:
            lines = (f"{letter or 'no letter'}: {', '.join(models)}" for letter, models in given[each.id].items())
            beside.append(SideText(label="Answers of models", text="\n".join(lines)[:LONGEST_TEXT]))
        yield ReviewTask(
            item_id=each.id,
            content_hash=contents[each.id],
            about={"action": each.action, "reason": each.codes[0]},
            beside=tuple(beside),
        )
