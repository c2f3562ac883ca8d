"""Back up a review store, on SQLite or PostgreSQL, to one file, and restore it to either.

A backup is a ZIP with `manifest.json` (format, version of the store's tables, rows and SHA-256 of each table), one file
of JSON lines per table, and the photographs to which decisions or drafts refer. It contains a single state of the
store; annotators can keep deciding while it is written. It can be restored only into an empty store, in one
transaction. A backup of an older version is then brought up to date.

A backup contains no sessions, so all users must sign in again after a restore. It also omits recent answers of the HTTP
API.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import IO, Any, NamedTuple

import sqlalchemy as sa

from benchwright.canonical import bytes_digest, digest
from benchwright.errors import BenchwrightError, DataError
from benchwright.workspace.atomic import replacing
from benchwright.workspace.objects import ObjectStore

from .database.connection import connect, name_of, write_transaction
from .database.locks import hold_tables
from .database.migrate import REVISIONS, revision_of, upgrade_within
from .review_store import ReviewStore
from .submissions.photo_uploads import forget_left_behind, photographs_in_use

FOLDER = "photographs/"
MAX_BYTES = 512 << 20
"""Maximum size of one photograph in bytes: a PNG of the largest picture that a form accepts."""
_ID = re.compile(r"[0-9a-f]{64}")


class _BackedUpPhotographs(NamedTuple):
    """The photographs in a backup: their number, the digest of their sorted ids, and how many in use have no file."""

    files: int
    ids: str
    missing: int = 0


def _write_photographs(archive: zipfile.ZipFile, ids: Iterable[str], photographs: ObjectStore) -> _BackedUpPhotographs:
    """Write photographs to a backup unchanged, and count those whose files are missing."""
    carried, missing = [], 0
    for object_id in sorted(ids):
        path = photographs.path(object_id)
        if not path.is_file():
            missing += 1
            continue
        # Photographs are compressed already.
        with (
            archive.open(zipfile.ZipInfo(f"{FOLDER}{object_id}"), "w", force_zip64=True) as out,
            path.open("rb") as source,
        ):
            shutil.copyfileobj(source, out)
        carried.append(object_id)
    return _BackedUpPhotographs(len(carried), digest(carried), missing)


def _restore_photographs(
    path: Path, archive: zipfile.ZipFile, stated: _BackedUpPhotographs, into: ObjectStore | None
) -> None:
    """Write the photographs of a backup to a workspace, and leave those that already exist there unchanged.

    Args:
        path: Backup file, for messages.
        archive: The same file, opened.
        stated: The manifest's entry on photographs.
        into: Photographs of the workspace; None to check without writing.

    Raises:
        DataError: The photographs differ from the manifest, or the content of one does not match its name.
    """
    names = sorted(_photograph_ids(path, archive))
    if (len(names), digest(names)) != (stated.files, stated.ids):
        raise DataError(f"{path} contains photographs that differ from its manifest; the backup was changed")
    for name in names:
        try:
            with archive.open(f"{FOLDER}{name}") as handle:
                data = handle.read(MAX_BYTES + 1)
        except (zipfile.BadZipFile, EOFError, OSError) as error:
            raise DataError(f"{path}: photograph {name[:12]} cannot be read ({type(error).__name__})") from error
        if len(data) > MAX_BYTES or bytes_digest(data) != name:
            raise DataError(
                f"{path}: photograph {name[:12]} does not match the SHA-256 in its name; the backup was changed"
            )
        if into is not None:
            (into.root / "tmp").mkdir(parents=True, exist_ok=True)
            into.put(data)


def _photograph_ids(path: Path, archive: zipfile.ZipFile) -> Iterator[str]:
    for name in archive.namelist():
        if name.startswith(FOLDER):
            object_id = name.removeprefix(FOLDER)
            if not _ID.fullmatch(object_id):
                raise DataError(f"{path}: {name[:80]!r} is not the name of a photograph; the backup was changed")
            yield object_id


FORMAT, VERSION = "benchwright/review-backup", 2
"""Name and version of the format. Version 1 had no photographs, and is read as a backup that contains none."""
_LEFT_OUT = frozenset({"alembic_version", "sessions", "api_requests"})
_MAX_LINE = 64 << 20
_MAX_MANIFEST = 1 << 20
_MANIFEST = "manifest.json"
_ROWS_AT_ONCE = 1000
_NO_PHOTOGRAPHS = _BackedUpPhotographs(0, digest([]))


class Backup(NamedTuple):
    """The contents of a backup: version of the tables, rows of each table, and photographs.

    Args:
        revision: Version of the tables.
        rows: Number of rows by table.
        photographs: Number of photographs in submissions and drafts.
        missing: Number of other photographs in submissions and drafts that had no file at the time of the backup.
    """

    revision: str
    rows: Mapping[str, int]
    photographs: int = 0
    missing: int = 0


def write_backup(store: ReviewStore, path: Path, *, photographs: ObjectStore | None = None) -> Backup:
    """Write a store's present state to a new file that only its owner may read.

    An existing file is left unchanged. If it is a complete backup of the same state, with only the audit log behind, as
    after a command killed at its end, the function returns that backup.

    Args:
        store: The store.
        path: The file.
        photographs: Photographs that annotators uploaded; None to leave them out of the backup.

    Raises:
        BenchwrightError: The file exists and is not a backup of this state.
    """
    with store.snapshot() as connection:
        if path.exists():
            with tempfile.TemporaryFile() as draft:
                manifest, missing = _write_archive(draft, connection, store.where, photographs)
            if not _holds(path, manifest):
                raise BenchwrightError(
                    f"{path} exists and is not a backup of this state; name another file for the backup"
                )
        else:
            with replacing(path, private=True) as draft_path:
                manifest, missing = _write_archive(draft_path, connection, store.where, photographs)
    return Backup(manifest["revision"], _rows_of(manifest["tables"]), manifest["photographs"]["files"], missing)


def _write_archive(
    draft: Path | IO[bytes], connection: sa.Connection, where: str, photographs: ObjectStore | None
) -> tuple[dict[str, Any], int]:
    """Write a backup; return its manifest, and the number of used photographs that have no file."""
    revision = revision_of(connection, where)
    assert revision is not None, "an open store has its tables"
    metadata = sa.MetaData()
    metadata.reflect(connection)
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
        described = {table.name: _write_table(archive, connection, table) for table in _tables(metadata)}
        carried = _NO_PHOTOGRAPHS
        if photographs is not None:
            carried = _write_photographs(archive, photographs_in_use(connection), photographs)
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "revision": revision,
            "tables": described,
            "photographs": {"files": carried.files, "ids": carried.ids},
        }
        archive.writestr(_MANIFEST, json.dumps(manifest, indent=1, sort_keys=True))
    return manifest, carried.missing


def _holds(path: Path, manifest: Mapping[str, Any]) -> bool:
    """Return whether a file is an undamaged backup of the state in a manifest, apart from the audit log."""
    try:
        with _opened(path) as archive:
            held = _manifest(path, archive)
            if archive.testzip() is not None:
                return False
    except (DataError, zipfile.BadZipFile, OSError):
        return False
    return _without_log(held) == _without_log(manifest)


def _without_log(manifest: Mapping[str, Any]) -> dict[str, Any]:
    return {**manifest, "tables": {name: entry for name, entry in manifest["tables"].items() if name != "audit_log"}}


def restore_backup(path: Path, url: str, *, photographs: ObjectStore | None = None) -> Backup:
    """Restore a backup into the empty store at a URL; create the store if it does not exist.

    Args:
        path: The backup.
        url: URL of the store.
        photographs: Folder for its photographs; None to leave them in the backup.

    Raises:
        BenchwrightError: The store is not empty.
        DataError: The file is not a backup, was changed, or comes from a newer program; the store stays unchanged.
    """
    engine, where = connect(url), name_of(url)
    try:
        with _opened(path) as archive, write_transaction(engine) as connection:
            hold_tables(connection)
            manifest = _manifest(path, archive)
            _make_empty(connection, manifest["revision"], where)
            metadata = sa.MetaData()
            metadata.reflect(connection)
            tables = {table.name: table for table in _tables(metadata)}
            if tables.keys() != manifest["tables"].keys():
                raise DataError(f"{path} names other tables than a store of version {manifest['revision']} has")
            for table in tables.values():
                _fill(connection, table, _rows(path, archive, table, manifest["tables"][table.name]))
            upgrade_within(connection, REVISIONS[-1])
            carried = _BackedUpPhotographs(**manifest["photographs"])
            _restore_photographs(path, archive, carried, photographs)  # last, so that a refused backup leaves no file
            if photographs is not None:
                forget_left_behind(connection, photographs)
    finally:
        engine.dispose()
    return Backup(manifest["revision"], _rows_of(manifest["tables"]), carried.files)


def _rows_of(described: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    return {name: entry["rows"] for name, entry in described.items()}


def _tables(metadata: sa.MetaData) -> list[sa.Table]:
    """Return a store's tables, each after the tables that it refers to."""
    return [table for table in metadata.sorted_tables if table.name not in _LEFT_OUT]


def _write_table(archive: zipfile.ZipFile, connection: sa.Connection, table: sa.Table) -> dict[str, Any]:
    digest, rows = hashlib.sha256(), 0
    query = sa.select(table).order_by(*table.primary_key.columns)
    with archive.open(f"{table.name}.jsonl", "w", force_zip64=True) as handle:
        for row in connection.execute(query).yield_per(_ROWS_AT_ONCE).mappings():
            values = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in row.items()}
            line = json.dumps(values, sort_keys=True, ensure_ascii=True).encode() + b"\n"
            handle.write(line)
            digest.update(line)
            rows += 1
    return {"rows": rows, "sha256": digest.hexdigest()}


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise DataError(f"{path} cannot be read as a backup: {error}") from error


def _manifest(path: Path, archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        with archive.open(_MANIFEST) as handle:
            document = json.loads(handle.read(_MAX_MANIFEST))
    except (KeyError, ValueError, zipfile.BadZipFile) as error:
        raise DataError(f"{path} is not a backup of a review store: it has no readable {_MANIFEST}") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DataError(f"{path} is not a backup of a review store: {_MANIFEST} does not state format {FORMAT!r}")
    if document.get("version") not in {1, VERSION} or document.get("revision") not in REVISIONS:
        raise DataError(f"{path} was written by a newer Benchwright; upgrade benchwright")
    entries = document.get("tables")
    if not isinstance(entries, dict) or not all(
        isinstance(entry, dict) and isinstance(entry.get("rows"), int) and isinstance(entry.get("sha256"), str)
        for entry in entries.values()
    ):
        raise DataError(f"{path} does not state rows and SHA-256 of its tables in {_MANIFEST}")
    if document["version"] == 1:
        document["photographs"] = {"files": _NO_PHOTOGRAPHS.files, "ids": _NO_PHOTOGRAPHS.ids}
    stated = document.get("photographs")
    if not isinstance(stated, dict) or stated.keys() != {"files", "ids"}:
        raise DataError(f"{path} does not list its photographs in {_MANIFEST}")
    return document


def _make_empty(connection: sa.Connection, revision: str, where: str) -> None:
    """Create the tables of a version, unless they already exist and are empty."""
    present = revision_of(connection, where)
    if present is None:
        upgrade_within(connection, revision)
        return
    held = sa.MetaData()
    held.reflect(connection)
    full = any(connection.execute(sa.select(table).limit(1)).first() for table in _tables(held))
    if full or present != revision:
        problem = "holds data already" if full else f"has tables of version {present}, the backup is of {revision}"
        raise BenchwrightError(f"{where} {problem}; restore the backup into a new workspace")


def _rows(path: Path, archive: zipfile.ZipFile, table: sa.Table, entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table; raise an error if they do not match its columns, count or hash."""
    moments = {column.name for column in table.columns if isinstance(column.type, sa.DateTime)}
    digest, count = hashlib.sha256(), 0
    try:
        with archive.open(f"{table.name}.jsonl") as handle:
            while line := handle.readline(_MAX_LINE):
                digest.update(line)
                count += 1
                values = json.loads(line)
                if not isinstance(values, dict) or values.keys() != set(table.columns.keys()):
                    raise DataError(f"{path}, {table.name}.jsonl, line {count}: other columns than the table's")
                for name in moments:
                    values[name] = None if values[name] is None else datetime.fromisoformat(values[name])
                yield values
    except (KeyError, ValueError, TypeError, zipfile.BadZipFile, EOFError) as error:
        raise DataError(f"{path}: {table.name}.jsonl cannot be read ({type(error).__name__})") from error
    if (count, digest.hexdigest()) != (entry["rows"], entry["sha256"]):
        raise DataError(f"{path}: {table.name}.jsonl does not match {_MANIFEST}; the backup was changed")


def _fill(connection: sa.Connection, table: sa.Table, rows: Iterator[dict[str, Any]]) -> None:
    bulk: list[dict[str, Any]] = []
    for row in rows:
        bulk.append(row)
        if len(bulk) == _ROWS_AT_ONCE:
            connection.execute(sa.insert(table), bulk)
            bulk.clear()
    if bulk:
        connection.execute(sa.insert(table), bulk)
    if connection.dialect.name == "postgresql" and "id" in table.columns:
        sequence = sa.func.pg_get_serial_sequence(table.name, "id")
        highest = sa.select(sa.func.max(table.c.id)).scalar_subquery()
        connection.execute(sa.select(sa.func.setval(sequence, sa.func.coalesce(highest, 1), highest.is_not(None))))
