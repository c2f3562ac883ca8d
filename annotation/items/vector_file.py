"""The file of item vectors: models' embeddings of pictures and questions, by content.

It is stored in the workspace's `cache/` next to the index of items. Vectors belong to contents, not to items, so a
changed item needs only the vectors of its new contents. The file can be deleted at any time; `review likeness`
recreates it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.canonical import bytes_digest
from benchwright.workspace.private_files import make_private_file

FILE_NAME = "item-vectors.sqlite"
SCHEMA = "vectors"
"""Name under which the file is attached to the index."""
VectorKind = Literal["pictures", "words"]
_VERSION = 1
_BUSY_S = 60.0
_TABLES = (
    "CREATE TABLE models (kind TEXT PRIMARY KEY, digest TEXT NOT NULL, folder TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE vectors (kind TEXT, digest TEXT, key TEXT, vector BLOB NOT NULL, PRIMARY KEY (kind, digest, key)) "
    "WITHOUT ROWID",
)


class VectorModel(NamedTuple):
    """The model whose vectors are stored: the digest of its files, and its folder when the vectors were made."""

    digest: str
    folder: Path


def text_key(text: str) -> str:
    """Return the key of a text's vector; an empty text has no vector, and its key is empty."""
    return bytes_digest(text.encode("utf-8", "surrogatepass"))[:32] if text else ""


def attach_vectors(connection: sqlite3.Connection, cache: Path) -> None:
    """Attach the vectors to an index connection; a damaged file, or a file of another version, is ignored."""
    path = cache / FILE_NAME
    if not path.is_file():
        return
    version = 0
    with suppress(sqlite3.DatabaseError):
        connection.execute(f"ATTACH DATABASE ? AS {SCHEMA}", (str(path),))
        [[version]] = connection.execute(f"PRAGMA {SCHEMA}.user_version")
    if version != _VERSION and has_vectors(connection):
        connection.execute(f"DETACH DATABASE {SCHEMA}")


def has_vectors(connection: sqlite3.Connection) -> bool:
    """Return whether vectors are attached."""
    return any(name == SCHEMA for _, name, _ in connection.execute("PRAGMA database_list"))


def kept_models(connection: sqlite3.Connection) -> dict[VectorKind, VectorModel]:
    """Return the models whose vectors are attached, by kind of vector; empty if there are none."""
    if not has_vectors(connection):
        return {}
    rows = connection.execute(f"SELECT kind, digest, folder FROM {SCHEMA}.models")  # noqa: S608 - a name of ours
    return {kind: VectorModel(digest, Path(folder)) for kind, digest, folder in rows}


class VectorFile:
    """The file of vectors, open for writing.

    Args:
        cache: Folder `cache/` of the workspace.
    """

    def __init__(self, cache: Path) -> None:
        self.path = cache / FILE_NAME

    def models(self) -> Mapping[VectorKind, VectorModel]:
        """Return the models whose vectors are stored."""
        with self._writing() as connection:
            rows = connection.execute("SELECT kind, digest, folder FROM models")
            return {kind: VectorModel(digest, Path(folder)) for kind, digest, folder in rows}

    def begin(self, kind: VectorKind, model: VectorModel, wanted: Iterable[str]) -> set[str]:
        """Set the model whose vectors are stored, drop unneeded vectors, and return the keys of the remaining ones."""
        with self._writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO models VALUES (?, ?, ?)", (kind, model.digest, str(model.folder.absolute()))
            )
            connection.execute("DELETE FROM vectors WHERE kind = ? AND digest <> ?", (kind, model.digest))
            kept = {key for (key,) in connection.execute("SELECT key FROM vectors WHERE kind = ?", (kind,))}
            gone = kept - set(wanted)
            connection.executemany("DELETE FROM vectors WHERE kind = ? AND key = ?", [(kind, key) for key in gone])
            return kept - gone

    def add(self, kind: VectorKind, digest: str, keys: Iterable[str], vectors: NDArray[np.float32]) -> None:
        """Store vectors with shape (keys, dimensions) in half precision."""
        rows = [(kind, digest, key, row.astype("<f2").tobytes()) for key, row in zip(keys, vectors, strict=True)]
        with self._writing() as connection:
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with closing(self._opened()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _opened(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        for is_last in (False, True):
            make_private_file(self.path)
            connection = sqlite3.connect(self.path, isolation_level=None, timeout=_BUSY_S)
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                [[version]] = connection.execute("PRAGMA user_version")
                if version == 0:
                    connection.execute("BEGIN IMMEDIATE")
                    for statement in _TABLES:
                        connection.execute(statement)
                    connection.execute(f"PRAGMA user_version = {_VERSION}")
                    connection.execute("COMMIT")
                if version in {0, _VERSION}:
                    return connection
            except sqlite3.DatabaseError:
                if is_last:
                    raise
            connection.close()
            for end in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + end).unlink(missing_ok=True)
        raise AssertionError("the second time the file is new")
