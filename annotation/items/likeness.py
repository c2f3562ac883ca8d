"""Similarity of items, by pictures or questions, to another item or to words, using the best vectors available.

Pictures are compared by the vectors of a vision model if `review likeness` made any, otherwise by perceptual hashes.
Questions are compared by the vectors of a sentence model, if there are any, otherwise by their shared words, weighted
by rarity (BM25 of SQLite's FTS5, on Porter's stems).
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.errors import BenchwrightError

from .vector_file import SCHEMA, VectorKind, kept_models

if TYPE_CHECKING:
    from benchwright.diagnostics.models.sentence_model import SentenceModel

LikenessBy = Literal["picture_hashes", "picture_vectors", "sentence_vectors", "words"]
"""The basis of a comparison of items."""
SIGNED = 1 << 63
"""SQLite keeps numbers of 63 bits and a sign: a pHash above that is stored minus 2 to the power of 64."""
MOST_ALIKE = 500
"""Maximum number of records to find, the nearest first."""
_NEAR_BITS = 16
"""Maximum number of the 64 bits in which pHashes may differ; two different photographs differ in about 32."""
_LEAST_COSINE = 0.1
_MOST_WORDS = 48
_WORD = re.compile(r"\w+", re.UNICODE)
_HASH = re.compile(r"hash-[0-9a-f]{16}")
Vectors = NDArray[np.float32]


class NearRecords(NamedTuple):
    """The similar records, by record number.

    Args:
        by: Basis of the comparison.
        values: Number of differing bits of pHashes, 0 to 16; or similarity, 0 to 1: the cosine of vectors, or, for
            words, the proportion of the best match's weight.
    """

    by: LikenessBy
    values: Mapping[int, float]

    def ordered(self) -> list[int]:
        """Return the record numbers, most similar first."""
        sign = 1 if self.by == "picture_hashes" else -1
        return sorted(self.values, key=lambda number: (sign * self.values[number], number))


def like_pictures(connection: sqlite3.Connection, like: str) -> NearRecords:
    """Return the records whose pictures are similar to those of a given record.

    Args:
        connection: Connection to the index.
        like: Id of the record, or `hash-` and a pHash in 16 hexadecimal digits, which is compared only with hashes.
    """
    model = kept_models(connection).get("pictures")
    if model is not None and not _HASH.fullmatch(like):
        query = (
            f"SELECT v.vector FROM records r JOIN pictures p USING (number) JOIN {SCHEMA}.vectors v "  # noqa: S608
            "ON v.kind = 'pictures' AND v.digest = ? AND v.key = p.image_id WHERE r.record_id = ?"
        )
        own = [vector for (vector,) in connection.execute(query, (model.digest, like))]
        if own:
            return NearRecords("picture_vectors", _nearest(connection, "pictures", model.digest, _read(own)))
    return NearRecords("picture_hashes", _near_hashes(connection, like))


def like_question(connection: sqlite3.Connection, record_id: str) -> NearRecords:
    """Return the records whose question and options are similar in meaning to a record's, or share words with it."""
    row = connection.execute("SELECT asked, asked_key FROM records WHERE record_id = ?", (record_id,)).fetchone()
    asked, key = row or ("", "")
    model = kept_models(connection).get("words")
    if model is not None and key:
        query = f"SELECT vector FROM {SCHEMA}.vectors WHERE kind = 'words' AND digest = ? AND key = ?"  # noqa: S608
        if own := connection.execute(query, (model.digest, key)).fetchone():
            return NearRecords("sentence_vectors", _nearest(connection, "words", model.digest, _read([own[0]])))
    return NearRecords("words", _sharing_words(connection, asked))


def by_meaning(connection: sqlite3.Connection, words: str) -> NearRecords:
    """Return the records whose question and options are similar in meaning to given words, or share some of them."""
    model = kept_models(connection).get("words")
    if model is not None and (loaded := _sentence_model(model.folder, model.digest)) is not None:
        vector = loaded.vectors([words])
        return NearRecords("sentence_vectors", _nearest(connection, "words", model.digest, vector))
    return NearRecords("words", _sharing_words(connection, words))


class Comparable(NamedTuple):
    """The numbers of pictures and of questions that have vectors, and of all those that can have one."""

    pictures: int
    of_pictures: int
    questions: int
    of_questions: int


def comparable(connection: sqlite3.Connection) -> Comparable:
    """Return the numbers of pictures and of questions that have vectors, and of all those that can have one."""
    models = kept_models(connection)

    def count(kind: VectorKind, keys: str) -> tuple[int, int]:
        [[total]] = connection.execute(f"SELECT count(*) FROM ({keys})")  # noqa: S608 - queries of ours
        if kind not in models:
            return 0, total
        query = (
            f"SELECT count(*) FROM ({keys}) k JOIN {SCHEMA}.vectors v "  # noqa: S608 - as above
            "ON v.kind = ? AND v.digest = ? AND v.key = k.key"
        )
        [[kept]] = connection.execute(query, (kind, models[kind].digest))
        return kept, total

    return Comparable(*count("pictures", PICTURE_KEYS), *count("words", TEXT_KEYS))


PICTURE_KEYS = "SELECT DISTINCT image_id AS key FROM pictures"
TEXT_KEYS = "SELECT DISTINCT asked_key AS key FROM records WHERE asked_key <> ''"
"""Queries for the keys of contents that can have vectors."""
_OF_KIND: Mapping[VectorKind, str] = {
    "pictures": "pictures o ON v.key = o.image_id",
    "words": "records o ON v.key = o.asked_key",
}


def _nearest(connection: sqlite3.Connection, kind: VectorKind, digest: str, to: Vectors) -> dict[int, float]:
    """Return the records that have the largest cosine between any of their vectors and any given vector."""
    query = (
        f"SELECT o.number, v.vector FROM {SCHEMA}.vectors v JOIN {_OF_KIND[kind]} "  # noqa: S608 - names of ours
        "WHERE v.kind = ? AND v.digest = ?"
    )
    rows = connection.execute(query, (kind, digest)).fetchall()
    if not rows:
        return {}
    cosines = (_read([vector for _, vector in rows]) @ to.T).max(axis=1)
    best: dict[int, float] = {}
    for place in np.argsort(-cosines, kind="stable"):
        cosine = float(cosines[place])
        if cosine < _LEAST_COSINE or len(best) == MOST_ALIKE:
            break
        best.setdefault(rows[place][0], min(1.0, round(cosine, 4)))
    return best


def _read(vectors: list[bytes]) -> Vectors:
    """Return stored vectors as rows, each with length 1."""
    rows = np.frombuffer(b"".join(vectors), "<f2").reshape(len(vectors), -1).astype(np.float32)
    unit: Vectors = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
    return unit


@lru_cache(maxsize=1)
def _sentence_model(folder: Path, digest: str) -> SentenceModel | None:
    """Return the sentence model that made the vectors; None if the model is missing or has changed."""
    from benchwright.diagnostics.models.sentence_model import load_sentences

    try:
        loaded = load_sentences(folder)
    except BenchwrightError:
        return None
    return loaded if loaded.digest == digest else None


def _sharing_words(connection: sqlite3.Connection, text: str) -> dict[int, float]:
    """Return the records whose question and options share words with a text, scored relative to the best match."""
    words = list(dict.fromkeys(word.casefold() for word in _WORD.findall(text)))[:_MOST_WORDS]
    if not words:
        return {}
    either = " OR ".join(f'"{word}"' for word in words)
    query = "SELECT rowid, bm25(asked) FROM asked WHERE asked MATCH ? ORDER BY 2, 1 LIMIT ?"
    rows = connection.execute(query, (either, MOST_ALIKE)).fetchall()
    return {number: round(weight / rows[0][1], 4) for number, weight in rows}


def _near_hashes(connection: sqlite3.Connection, like: str) -> dict[int, float]:
    """Return the number of bits in which pHashes differ from a given one, by record, for those within `_NEAR_BITS`."""
    if _HASH.fullmatch(like):
        code = int(like.removeprefix("hash-"), 16)
    else:
        row = connection.execute("SELECT phash FROM records WHERE record_id = ?", (like,)).fetchone()
        if row is None or row[0] is None:
            return {}
        code = row[0] % (2 * SIGNED)
    [columns] = connection.execute("SELECT numbers, phashes FROM hashes").fetchall() or [(b"", b"")]
    numbers, codes = (np.frombuffer(column, np.int64) for column in columns)
    bits = np.bitwise_count(codes.view(np.uint64) ^ np.uint64(code))
    near = np.flatnonzero(bits <= _NEAR_BITS)
    order = near[np.argsort(bits[near], kind="stable")][:MOST_ALIKE]
    return {int(numbers[place]): float(bits[place]) for place in order}
