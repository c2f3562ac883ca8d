"""Tables of a campaign as an annotator's program opens and saves them, CSV or XLSX."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from benchwright.annotation.exchange.decision_file import import_decisions
from benchwright.annotation.exchange.task_file import export_tasks
from benchwright.annotation.store.review_store import open_store
from benchwright.steps import CampaignContext

FORMATS = ("csv", "xlsx")


def exported(ctx: CampaignContext, path: Path, *, votes: bool = False) -> list[dict[str, str]]:
    with open_store(ctx.store_url) as store:
        export_tasks(store, ctx.stage, path, image_name=lambda image: image.image_id[:8] + ".png", votes=votes)
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as handle:
            return list(csv.DictReader(handle))
    import openpyxl

    head, *rows = openpyxl.load_workbook(path).worksheets[0].iter_rows(values_only=True)
    return [{name: value or "" for name, value in zip(head, row, strict=True)} for row in rows]


def filled(path: Path, rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> Path:
    """Write rows as an annotator's program saves them."""
    names = list(columns or rows[0])
    if path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as handle:
            writer = csv.DictWriter(handle, names, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)
        return path
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(names)
    for row in rows:
        book.active.append([row.get(name) for name in names])
    book.save(path)
    return path


def imported(ctx: CampaignContext, path: Path, now: datetime) -> Any:
    with open_store(ctx.store_url) as store:
        return import_decisions(store, ctx.stage, path, now=now, new_annotators=True)
