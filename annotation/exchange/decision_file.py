"""Import decisions from a table, such as a filled-in `review export`, in which each row is one decision on one item.

Rows may name photographs (files next to the table), which are stored like those uploaded in the app.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.questions.own_ids import OWN_ID

from ..forms.csv_rows import CsvRow, header_of, read_rows
from ..store.database.records import Campaign
from ..store.review_store import ReviewStore
from ..workflow.pausing import care_in_words, pause_careless
from ..workflow.settlement.closing import close_early
from ..workflow.settlement.marked_regions import compare_regions
from ..workflow.settlement.revisions import open_next_rounds
from .decision_rows import KnownAnnotators, PhotographRows, RowImport, TypedRowImport
from .drafted_cells import DRAFTS
from .edit_columns import edit_columns_of
from .review_rows import AnswerRowImport, VoteRowImport
from .task_file import BESIDE, SHOWN, TAKES, columns_of, columns_to_fill_in

REQUIRED = ("annotator", "item_id", "decision")
OPTIONAL = ("reason", "note")
_BATCH = 500
"""Number of rows per transaction."""


class RefusedDecision(NamedTuple):
    """A row that was not imported: its line in the file, and the reason."""

    line: int
    why: str


@dataclass(frozen=True)
class Imported:
    """Result of an import; the numbers of new, unchanged, blank and refused rows add up to `rows`.

    Args:
        rows: Number of rows below the header.
        new: Number of new decisions.
        unchanged: Number of decisions already in the store.
        blank: Number of rows not filled in yet.
        refused: Rows that were not imported, with the reason.
        new_annotators: Sorted names of annotators who were unknown before.
        paused: Names of annotators whom the campaign's limits paused after the import, with the evidence.
    """

    rows: int
    new: int
    unchanged: int
    blank: int
    refused: tuple[RefusedDecision, ...]
    new_annotators: tuple[str, ...] = ()
    paused: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the document that `review import --json` prints."""
        return {
            "rows": self.rows,
            "new": self.new,
            "unchanged": self.unchanged,
            "blank": self.blank,
            "refused": [{"line": row.line, "reason": row.why} for row in self.refused],
            "new_annotators": list(self.new_annotators),
        }


def import_decisions(
    store: ReviewStore,
    campaign: str,
    path: Path,
    *,
    now: datetime,
    workspace: Path | None = None,
    new_annotators: bool = False,
) -> Imported:
    """Import the decisions in a file, each as if its annotator had claimed the item and submitted it.

    A cell with a draft counts as an accepted draft if it is unchanged, as an edited draft if it was changed, and as a
    discarded draft if it was emptied. Semicolons separate several reasons in one cell. If decisions lead to a revision,
    its next round opens. For a review, first import the answers, from a table with a column `decision`, and then the
    votes. If annotators have accounts, a row is refused if its annotator has neither an account nor earlier decisions.

    Args:
        store: Review store.
        campaign: Name of a campaign with human annotators.
        path: CSV or XLSX file with the columns annotator, item_id, decision and optionally reason and note; in a
            campaign with a typed form, its fields replace the last three.
        now: Time of the decisions.
        workspace: Folder of the workspace, which stores photographs that rows name as files below the table's folder;
            default None, which refuses such rows.
        new_annotators: Whether to accept unknown annotators; default False.

    Raises:
        DataError: The file is not such a table; nothing is imported.
    """
    settings = store.campaign(campaign)
    form = settings.form.typed
    if settings.form.blind_first:
        return _import_review(store, settings, path, now=now, new_annotators=new_annotators)
    if form is None:
        optional = (*OPTIONAL, *edit_columns_of(settings))
        rows = list(_read(path, required=REQUIRED, optional=optional, ignored=(*SHOWN, OWN_ID, BESIDE, TAKES)))
    else:
        _, first, *further = columns_of(form)
        required = ("annotator", "item_id", first)
        long = [field.name for field in form.region_fields]
        ignored = (*SHOWN, OWN_ID, BESIDE, DRAFTS, TAKES)
        rows = list(_read(path, required=required, optional=further, ignored=ignored, long=long))
    photographs = None if form is None or workspace is None else PhotographRows(workspace, path.parent, form)
    people = KnownAnnotators(store, new_annotators=new_annotators)
    importer = (
        RowImport(store, campaign, now, people)
        if form is None
        else TypedRowImport(store, campaign, now, people, form, photographs)
    )
    return _taken_in(store, campaign, rows, importer, people)


def _import_review(
    store: ReviewStore, settings: Campaign, path: Path, *, now: datetime, new_annotators: bool
) -> Imported:
    """Import a review's table of answers, which has a column `decision`, or its table of votes."""
    people = KnownAnnotators(store, new_annotators=new_annotators)
    importer: RowImport
    votes = "decision" not in header_of(path)
    if votes:
        importer = VoteRowImport(store, settings.name, now, people)
    else:
        importer = AnswerRowImport(store, settings.name, now, people)
    annotator, first, *further = columns_to_fill_in(settings, votes=votes)
    required = (annotator, "item_id", first)
    rows = list(_read(path, required=required, optional=further, ignored=(*SHOWN, OWN_ID, BESIDE, TAKES)))
    return _taken_in(store, settings.name, rows, importer, people)


def _read(path: Path, *, required: Sequence[str], **settings: Any) -> Iterator[CsvRow]:
    """Yield the rows of a table that names items by id, or only by their ids in the source (`source_id`)."""
    header = header_of(path)
    if "item_id" in header or OWN_ID not in header:
        yield from read_rows(path, required=required, **settings)
        return
    named = [OWN_ID if name == "item_id" else name for name in required]
    for row in read_rows(path, required=named, **settings):
        yield row._replace(values={"item_id" if name == OWN_ID else name: cell for name, cell in row.values.items()})


def _taken_in(
    store: ReviewStore, campaign: str, rows: Sequence[CsvRow], importer: RowImport, people: KnownAnnotators
) -> Imported:
    """Import rows and apply the consequences; a refused row does not affect other rows."""
    counts = {"new": 0, "unchanged": 0, "blank": 0}
    refused: list[RefusedDecision] = []
    for start in range(0, len(rows), _BATCH):
        with store.batch() as held:
            for row in rows[start : start + _BATCH]:
                try:
                    counts[importer.take(held, row)] += 1
                except BenchwrightError as error:
                    refused.append(RefusedDecision(row.line, str(error)))
    names = {name for row in rows if (name := row.values.get("annotator"))}
    careless = pause_careless(store, store.campaign(campaign), names, now=importer.now)
    compare_regions(store, campaign)
    close_early(store, campaign)
    open_next_rounds(store, campaign)
    return Imported(
        rows=len(rows),
        refused=tuple(refused),
        new_annotators=tuple(sorted(people.new)),
        paused=tuple((care.rater, care_in_words(care)) for care in careless),
        **counts,
    )
