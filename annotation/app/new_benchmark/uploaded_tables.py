"""Tables of questions that curators send from the browser, below `uploads` of the workspace, each named by its bytes.

    uploads/DIGEST/questions.xlsx

The same table twice is one file, and none is ever overwritten. How large one may be, and how many there may be, is
bounded; only a name that tells a table, without a path, is taken.
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
    """Keep a table that was sent, and return the name under which `table_path` finds it.

    Args:
        workspace: Folder of the workspace.
        name: Name of the file where it came from; only its last part counts.
        data: The table, as bytes.

    Raises:
        BenchwrightError: It is empty, too large, none of `ENDINGS`, or there are `MOST_TABLES` already.
    """
    own = re.split(r"[/\\]", name)[-1].strip()
    ending = Path(own).suffix.lower()
    if ending not in ENDINGS:
        raise BenchwrightError(f"{own[:100]!r} is no table of questions; send one of {', '.join(ENDINGS)}")
    if not data:
        raise BenchwrightError(f"{own[:100]!r} is empty; send a table of questions")
    if len(data) > MOST_BYTES:
        raise BenchwrightError(f"{own[:100]!r} has more than {MOST_BYTES >> 20} MB; send a smaller table")
    stem = _UNFIT.sub("-", Path(own).stem).strip("-.")[:60] or "questions"
    kept = f"{bytes_digest(data)[:16]}/{stem}{ending}"
    path = workspace / _FOLDER / kept
    if not path.parent.exists() and len(tables(workspace)) >= MOST_TABLES:
        raise BenchwrightError(
            f"{counted(MOST_TABLES, 'table')} of questions lie in {_FOLDER} of the workspace; remove some there first"
        )
    make_private_folder(path.parent.parent)
    make_private_folder(path.parent)
    with written_once(path, otherwise="send it again", private=True) as draft:
        draft.write_bytes(data)
    return kept


def tables(workspace: Path) -> list[str]:
    """Return the names of the tables that were sent."""
    folder = workspace / _FOLDER
    return sorted(path.relative_to(folder).as_posix() for path in folder.glob("*/*") if path.is_file())


def table_path(workspace: Path, name: str) -> Path:
    """Return the file of a table that was sent.

    Raises:
        BenchwrightError: No table of that name was.
    """
    path = workspace / _FOLDER / name
    if not _TABLE.fullmatch(name) or name.split("/")[1] in {".", ".."} or path.is_symlink() or not path.is_file():
        raise BenchwrightError("no such table was sent; choose the file again")
    return path
