"""Parts of a source that an audit cannot check: rows that are not items, and pictures if all are missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import ClassVar

from benchwright.texts.normalization import counted

from ..check import AuditContext
from ..findings.finding import LEFT_OUT, Finding
from ..source.audited_items import AuditedItems, RowFault

_ROWS = 200
"""Largest number of rows that a finding lists with their faults."""


class RowsLeftOut:
    """Rows that runs omit and checks cannot cover, so that scores refer to a different set than stated."""

    name: ClassVar[str] = "rows_left_out"
    title: ClassVar[str] = "Rows that are not items, and missing pictures"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each reason, with all its rows, and one if all pictures named by items are missing."""
        del context
        by_reason: defaultdict[str, list[RowFault]] = defaultdict(list)
        for row in audited.left_out:
            by_reason[row.reason].append(row)
        for reason, rows in by_reason.items():
            yield Finding(
                LEFT_OUT,
                "high",
                tuple(dict.fromkeys(row.item_id for row in rows)),
                f"{counted(len(rows), 'row is not an item', 'rows are not items')} and cannot be checked, such as "
                f"{rows[0].where}: {rows[0].detail}.",
                {"reason": reason, "rows": [row._asdict() for row in rows[:_ROWS]]},
                "certain",
            )
        if audited.absent and not audited.pictures:
            name, absent = next(iter(audited.absent.items()))
            number = counted(len(audited.absent), "picture that items name is", "pictures that items name are")
            yield Finding(
                "pictures_not_there",
                "medium",
                (),
                f"None of the {number} available, such as {name}: name their folder with --pictures.",
                {"pictures": len(audited.absent), "detail": absent.detail},
                "certain",
            )
