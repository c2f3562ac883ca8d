"""Write an export: a new folder with a file for each table and format, and a manifest."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from benchwright.errors import BenchwrightError
from benchwright.workspace.atomic import write_json

from ...progress.overview import Overview
from ...store.database.schema import annotators
from ...store.review_store import ReviewStore
from .figure_tables import figure_tables
from .record_tables import authors_table, log_table, record_tables
from .region_table import regions_table
from .round_tables import round_tables
from .table_files import ExportTable, FileFormat, WrittenTable, write
from .work_tables import overrides_table, work_tables

FORMAT, VERSION = "benchwright/review-export", 1
FORMATS: Mapping[str, tuple[FileFormat, ...]] = {
    "parquet": ("parquet",),
    "csv": ("csv",),
    "both": ("parquet", "csv"),
}


class Exported(NamedTuple):
    """The folder of an export and the tables in it."""

    out: Path
    tables: Mapping[str, WrittenTable]


def export_everything(
    store: ReviewStore,
    out: Path,
    *,
    campaigns: Sequence[str] | None = None,
    formats: Sequence[FileFormat] = ("parquet", "csv"),
    pseudonymous: bool = False,
) -> Exported:
    """Write tasks, decisions and their figures as of a single point in time; equal stores produce equal bytes.

    Args:
        store: Review store.
        out: New folder.
        campaigns: Names of campaigns; default all that are not archived.
        formats: Formats of the files.
        pseudonymous: Whether to replace names by numbers; default False. Texts are exported as their authors wrote
            them.

    Raises:
        BenchwrightError: The folder exists, its parent folder does not, or no such campaign exists.
    """
    if out.exists() or out.is_symlink():
        raise BenchwrightError(f"{out} exists; give another --out")
    if not out.parent.is_dir():
        raise BenchwrightError(
            f"{out} cannot be made: the folder {out.parent} does not exist; make it, or give another --out"
        )
    draft = out.with_name(f".{out.name[:80]}.{secrets.token_hex(4)}.tmp")
    draft.mkdir(mode=0o700)
    try:
        with store.as_it_is() as held:
            names = held.campaign_names() if campaigns is None else sorted(set(campaigns))
            tables = {
                table.name: write(table, draft, formats)
                for table in _tables(held, names, pseudonymous=pseudonymous, is_whole=campaigns is None)
            }
        write_json(draft / "manifest.json", _manifest(tables, names, pseudonymous=pseudonymous))
        for file in draft.iterdir():
            file.chmod(0o600)
        draft.rename(out)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return Exported(out, tables)


def _tables(store: ReviewStore, names: Sequence[str], *, pseudonymous: bool, is_whole: bool) -> Iterator[ExportTable]:
    overviews = [Overview(store, store.campaign(name)) for name in names]
    display_names = _names_in(store, pseudonymous=pseudonymous)
    with store.reading() as connection:
        yield from work_tables(connection, [overview.campaign.id for overview in overviews], display_names)
        yield from record_tables(connection, [overview.campaign.id for overview in overviews], display_names)
        yield regions_table(connection, [overview.campaign for overview in overviews], display_names)
        if is_whole:
            yield overrides_table(connection, display_names)
            yield authors_table(connection, display_names)
        if is_whole and not pseudonymous:
            yield log_table(connection)
    yield from figure_tables(overviews, display_names)
    yield from round_tables(overviews, display_names)


def _names_in(store: ReviewStore, *, pseudonymous: bool) -> Mapping[str, str]:
    """Return each annotator's name in the export, by name in the store.

    Pseudonyms number people in the order in which they joined, so that a person has the same number in every later
    export of the store. Simulated annotators keep their names, since they are not people.
    """
    with store.reading() as connection:
        rows = connection.execute(sa.select(annotators.c.name, annotators.c.kind).order_by(annotators.c.id)).all()
    if not pseudonymous:
        return {row.name: row.name for row in rows}
    display_names, people = {}, 0
    for row in rows:
        people += row.kind == "person"
        display_names[row.name] = f"annotator-{people}" if row.kind == "person" else row.name
    return display_names


def _manifest(tables: Mapping[str, WrittenTable], names: Sequence[str], *, pseudonymous: bool) -> dict[str, object]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "campaigns": list(names),
        "pseudonymous": pseudonymous,
        "tables": {name: {"rows": table.rows, "files": dict(table.files)} for name, table in tables.items()},
    }
