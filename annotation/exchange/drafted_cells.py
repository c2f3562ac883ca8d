"""Table cells that contain a draft, as exported and as returned."""

from __future__ import annotations

from benchwright.files.csv_cells import harmless

from ..forms.csv_rows import CsvRow
from ..forms.drafted_values import drafted_columns, drafts_field
from ..forms.fields.field_types import Lines
from ..forms.fields.form import Form
from ..forms.fields.numbered_fields import with_numbered_fields
from ..forms.payloads import proposals_in
from ..store.database.records import Task

DRAFTS = "drafts"
"""Column that names the cells with a draft, and its author."""


def drafted_cells(form: Form | None, task: Task) -> dict[str, str]:
    """Return the cells of a task that contain a draft, by column, as a spreadsheet shows them."""
    if form is None or drafts_field(form) is None:
        return {}
    values = drafted_columns(form, proposals_in(task.payload))
    lines = {field.name for field in with_numbered_fields(form).fields if isinstance(field, Lines)}
    return {
        column: value if isinstance(value, str) else ("\n" if column in lines else "; ").join(value)
        for column, value in values.items()
    }


def without_untouched_drafts(row: CsvRow, form: Form, task: Task | None) -> CsvRow:
    """Return an undecided row without its drafts, and any other row with its drafts as spreadsheets spell them.

    Args:
        row: Row as it was returned.
        form: Form of the campaign.
        task: Task of the row; None if unknown.
    """
    if row.problem is not None or task is None:
        return row
    values = dict(row.values)
    for column, drafted in drafted_cells(form, task).items():
        value = values.get(column, "")
        if drafted != harmless(drafted):
            value = value.removeprefix("'")
        is_untouched = _lines_of(value) == _lines_of(drafted)
        values[column] = "" if is_untouched and not values[form.headline.name] else value
    return row._replace(values=values)


def _lines_of(cell: str) -> list[str]:
    return [line.strip() for line in cell.strip().splitlines()]
