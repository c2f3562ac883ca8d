"""Tables of questions that curators upload in the browser, stored by digest under `uploads` in the workspace.

    uploads/DIGEST/questions.xlsx

Two uploads of the same table are stored as one file, and no upload overwrites a table. Size and number of tables are
limited. A table's name must have the suffix of a table; a path in it is dropped.
"""

from __future__ import annotations

import re
from pathlib import Path

from benchwright.canonical import bytes_digest
from benchwright.errors import BenchwrightError
from benchwright.texts.normalization import counted
from benchwright.workspace.private_files import make_private_folder
from benchwright.workspace.written_once import written_once

MOST_BYTES = 32 << 20
MOST_TABLES = 100
ENDINGS = (".csv", ".tsv", ".xlsx", ".ods", ".jsonl", ".json", ".parquet")
_FOLDER = "uploads"
_TABLE = re.compile(r"([0-9a-f]{16})/([^/\\\x00]{1,120})")
_UNFIT = re.compile(r"[^\w.()-]+")


def keep_table(workspace: Path, name: str, data: bytes) -> str:
    """Store an uploaded table, and return the name under which `table_path` finds it.

    Args:
        workspace: Folder of the workspace.
        name: Original name of the file, of which only the last path component is used.
        data: The bytes of the table.

    Raises:
        BenchwrightError: The table is empty or too large, its suffix is not in `ENDINGS`, or there are already
            `MOST_TABLES` tables.
    """
    own = re.split(r"[/\\]", name)[-1].strip()
    ending = Path(own).suffix.lower()
    if ending not in ENDINGS:
        raise BenchwrightError(
            f"{own[:100]!r} is not a table of questions; send a file that ends in {', '.join(ENDINGS)}"
        )
    if not data:
        raise BenchwrightError(f"{own[:100]!r} is empty; send a table of questions")
    if len(data) > MOST_BYTES:
        raise BenchwrightError(f"{own[:100]!r} has more than {MOST_BYTES >> 20} MB; send a smaller table")
    stem = _UNFIT.sub("-", Path(own).stem).strip("-.")[:60] or "questions"
    kept = f"{bytes_digest(data)[:16]}/{stem}{ending}"
    path = workspace / _FOLDER / kept
    if not path.parent.exists() and len(tables(workspace)) >= MOST_TABLES:
        raise BenchwrightError(
            f"{counted(MOST_TABLES, 'table')} of questions are in {_FOLDER} of the workspace; remove some there first"
        )
    make_private_folder(path.parent.parent)
    make_private_folder(path.parent)
    with written_once(path, otherwise="send it again", private=True) as draft:
        draft.write_bytes(data)
    return kept


def tables(workspace: Path) -> list[str]:
    """Return the names of the uploaded tables."""
    folder = workspace / _FOLDER
    return sorted(path.relative_to(folder).as_posix() for path in folder.glob("*/*") if path.is_file())


def table_path(workspace: Path, name: str) -> Path:
    """Return the file of an uploaded table.

    Raises:
        BenchwrightError: No uploaded table has this name.
    """
    path = workspace / _FOLDER / name
    if not _TABLE.fullmatch(name) or name.split("/")[1] in {".", ".."} or path.is_symlink() or not path.is_file():
        raise BenchwrightError("no such table was sent; choose the file again")
    return path
