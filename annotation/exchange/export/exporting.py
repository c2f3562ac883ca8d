"""Writing an export: a new folder with a file for each table and format, and what it holds."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.workspace.atomic import write_json

from ...progress.overview import Overview
from ...store import ReviewStore
from .figure_tables import figure_tables
from .names import names_in
from .record_tables import authors_table, log_table, record_tables
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
    """What was written, by table."""

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
    """Write what people were asked and said, and the figures of it, of one moment; the same store gives the same bytes.

    Args:
        store: The review store.
        out: Folder to make.
        campaigns: By name; all that are not archived where None.
        formats: Of the files.
        pseudonymous: Call people by numbers. What they wrote stays as they wrote it.

    Raises:
        BenchwrightError: The folder is there, there is no folder to make it in, or there is no such campaign.
    """
    if out.exists() or out.is_symlink():
        raise BenchwrightError(f"{out} is there already; give another --out")
    if not out.parent.is_dir():
        raise BenchwrightError(f"there is no folder {out.parent} to make {out.name} in")
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
    called = names_in(store, pseudonymous=pseudonymous)
    with store.reading() as connection:
        yield from work_tables(connection, [one.campaign.id for one in overviews], called)
        yield from record_tables(connection, [one.campaign.id for one in overviews], called)
        if is_whole:
            yield overrides_table(connection, called)
            yield authors_table(connection, called)
        if is_whole and not pseudonymous:
            yield log_table(connection)
    yield from figure_tables(overviews, called)
    yield from round_tables(overviews, called)


def _manifest(tables: Mapping[str, WrittenTable], names: Sequence[str], *, pseudonymous: bool) -> dict[str, object]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "campaigns": list(names),
        "pseudonymous": pseudonymous,
        "tables": {name: {"rows": one.rows, "files": dict(one.files)} for name, one in tables.items()},
    }
