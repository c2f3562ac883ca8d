"""Search in the item index: by words, properties, measures and similarity, in pages, with the number of hits.

A query converts to a URL and back, so that a curator can send a link.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, NamedTuple, get_args

import numpy as np

from .likeness import LikenessBy, NearRecords, by_meaning, like_pictures, like_question

Sort = Literal["activity", "divided", "doubt", "measure", "measure_most", "likeness"]
_SORTS: tuple[Sort, ...] = get_args(Sort)
Alike = Literal["pictures", "question"]
_PAGE_SIZE = 24
_MOST_WORDS = 12
MOST_SELECTED = 1000
"""Maximum number of records on which a curator can act at once."""
_WORD = re.compile(r"\w+", re.UNICODE)
_ID = re.compile(r"[0-9a-f]{6,64}")
_FACETS = {
    "campaign": ("campaign",),
    "state": ("state",),
    "reason": ("reason", "step_reason"),
    "annotator": ("annotator",),
    "task": ("task",),
    "step": ("step",),
    "stream": ("stream",),
}
"""Kinds of facets by which each property of a query selects."""


COLUMNS = ("state", "reason", "campaign", "task", "decisions", "divided", "doubt", "pictures", "id")
"""Columns of the list as a table, in their order."""


_CODES: Mapping[str, Sequence[str]] = {"sort": _SORTS, "alike": get_args(Alike)}
"""The only values of some fields of a query."""


@dataclass(frozen=True)
class ItemQuery:
    """A search, which a record matches if it meets all given conditions.

    Attributes:
        words: Beginnings of words, all of which occur in question, options, notes, reasons or name; or of an id.
        campaign: Campaign with a past or present task about it.
        state: State or mark.
        reason: Reason that a step or a person gave.
        annotator: Person who decided, adjudicated or commented.
        task: Task of the item.
        step: Step that judged against it.
        stream: `items`, `images` or `other`.
        measure: Measure that `least` and `most` bound, and by which `sort` may sort.
        least: Smallest value of the measure; None for no bound.
        most: Largest value of the measure; None for no bound.
        like: Id of the record to which others are similar, or `hash-` and a pHash in 16 hexadecimal digits.
        alike: The part of the record `like` to compare: its `pictures`, or its `question`.
        meaning: Words that describe the meaning of questions; they take precedence over `like`.
        sort: Order: latest decision first, most divided first, most doubtful first, by measure with the smallest or the
            largest first, or nearest first.
        columns: Columns of the list as a table; if empty, the list shows pictures.
        page: Page of the hits, from 1.
    """

    words: str = ""
    campaign: str = ""
    state: str = ""
    reason: str = ""
    annotator: str = ""
    task: str = ""
    step: str = ""
    stream: str = ""
    measure: str = ""
    least: float | None = None
    most: float | None = None
    like: str = ""
    alike: Alike = "pictures"
    meaning: str = ""
    sort: Sort = "activity"
    columns: tuple[str, ...] = ()
    page: int = 1

    @classmethod
    def from_params(cls, params: Mapping[str, str]) -> ItemQuery:
        """Return the query in a URL's parameters; unknown and unreadable parameters are ignored."""
        values: dict[str, object] = {}
        for field in fields(cls):
            text = params.get(field.name, "")
            if not text or len(text) > 500 or "\0" in text:
                continue
            if field.name in {"least", "most"}:
                values[field.name] = _number(text)
            elif field.name == "columns":
                wanted = text.split(",")
                values[field.name] = tuple(column for column in COLUMNS if column in wanted)
            elif field.name == "page":
                values[field.name] = max(1, int(text)) if text.isdecimal() and len(text) < 9 else 1
            elif text in _CODES.get(field.name, (text,)):
                values[field.name] = text
        return cls(**values)  # type: ignore[arg-type] # each has the type of its field

    def to_params(self) -> dict[str, str]:
        """Return the URL parameters of the query, without those that have default values."""
        default = ItemQuery()
        changed = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: _spelled(value) for name, value in changed.items() if value != getattr(default, name)}

    @property
    def is_by_likeness(self) -> bool:
        """Return whether the most similar records are listed first."""
        return bool(self.like or self.meaning)

    @property
    def is_default(self) -> bool:
        """Return whether the query is the default: all records, in the usual order."""
        return not replace(self, page=1).to_params()

    @property
    def is_empty(self) -> bool:
        """Return whether every record matches."""
        return not replace(self, sort="activity", alike="pictures", columns=(), page=1).to_params()


class FoundRecord(NamedTuple):
    """A record as the list shows it.

    Args:
        record_id: Id of the image, item or other record.
        stream: `items`, `images` or `other`.
        name: Path of a source image; empty for others.
        task: Task of an item; empty for others.
        question: Question of an item; empty for others.
        state: State.
        reason: Reasons for the state; empty if there are none.
        campaign: Campaigns, separated by commas.
        decisions: Number of decisions that count.
        divided: Share of annotators against the most frequent decision, 0 to 1.
        doubt: Probability that most annotators would decide differently, 0 to 0.5.
        pictures: Number of pictures.
        value: Value of the query's measure, or similarity, as in `likeness.NearRecords`; None if there is neither.
    """

    record_id: str
    stream: str
    name: str
    task: str
    question: str
    state: str
    reason: str
    campaign: str
    decisions: int
    divided: float
    doubt: float
    pictures: int
    value: float | None = None


class Hits(NamedTuple):
    """A page of the hits of a search: the total number of hits, the page number, and the records on the page.

    If the most similar records come first, `by` names the basis of comparison.
    """

    total: int
    page: int
    pages: int
    records: list[FoundRecord]
    by: LikenessBy | None = None


class MeasureRange(NamedTuple):
    """The range of a measure: the smallest and largest values, and the number of records that have a value."""

    least: float
    most: float
    records: int


def search(connection: sqlite3.Connection, query: ItemQuery, *, page_size: int = _PAGE_SIZE) -> Hits:
    """Return the requested page of hits; if there are fewer pages, return the last page."""
    where, values = _condition(query)
    near = _near(connection, query)
    nearest: list[int] = []
    if near is not None:
        of_near = f"SELECT number FROM reviews r WHERE number IN (SELECT value FROM json_each(?)) AND {where}"  # noqa: S608
        chosen = {number for (number,) in connection.execute(of_near, [_listed(near.values), *values])}
        nearest = [number for number in near.ordered() if number in chosen]
        count = len(nearest)
    else:
        [[count]] = connection.execute(f"SELECT count(*) FROM reviews r WHERE {where}", values)  # noqa: S608
    pages = max(1, -(-count // page_size))
    page = min(query.page, pages)
    first = (page - 1) * page_size
    if near is not None:
        numbers = nearest[first : first + page_size]
    else:
        numbers = _ordered(connection, query, where, values, first, page_size)
    shown = {row[0]: FoundRecord(*row[1:]) for row in connection.execute(_SHOWN, (_listed(numbers),))}
    extra = near.values if near is not None else _values(connection, query.measure, numbers)
    records = [shown[number]._replace(value=extra.get(number)) for number in numbers if number in shown]
    return Hits(count, page, pages, records, None if near is None else near.by)


def _near(connection: sqlite3.Connection, query: ItemQuery) -> NearRecords | None:
    """Return similar records, or None if the query does not ask for similarity."""
    if query.meaning:
        return by_meaning(connection, query.meaning)
    if not query.like:
        return None
    is_question = query.alike == "question"
    return like_question(connection, query.like) if is_question else like_pictures(connection, query.like)


def records_of(connection: sqlite3.Connection, ids: Sequence[str]) -> list[FoundRecord]:
    """Return the records with these ids, in the given order; ids that are in no run and no campaign are ignored."""
    query = "SELECT record_id, number FROM records WHERE record_id IN (SELECT value FROM json_each(?))"
    numbers: dict[str, int] = dict(connection.execute(query, (json.dumps(list(ids)),)).fetchall())
    shown = {row[0]: FoundRecord(*row[1:]) for row in connection.execute(_SHOWN, (_listed(numbers.values()),))}
    return [shown[numbers[id_]] for id_ in ids if numbers.get(id_) in shown]


def ids_of(connection: sqlite3.Connection, query: ItemQuery, *, most: int = MOST_SELECTED) -> list[str]:
    """Return the ids of the first hits of a query, at most `most`, in the query's order."""
    hits = search(connection, replace(query, page=1), page_size=most)
    return [record.record_id for record in hits.records]


def options(connection: sqlite3.Connection) -> dict[str, list[tuple[str, int]]]:
    """Return the values of each property in a query, most frequent first, with the number of records that have them."""
    query = "SELECT kind, value, n FROM names JOIN (SELECT name, count(*) AS n FROM facets GROUP BY name) ON id = name"
    counted: dict[str, dict[str, int]] = {}
    for kind, value, n in connection.execute(query):
        counted.setdefault(kind, {})[value] = n
    listed = {}
    for name, kinds in _FACETS.items():
        merged: dict[str, int] = {}
        for kind in kinds:
            for value, n in counted.get(kind, {}).items():
                merged[value] = merged.get(value, 0) + n
        listed[name] = sorted(merged.items(), key=lambda entry: (-entry[1], entry[0]))
    return listed


def states_of(connection: sqlite3.Connection, record_id: str) -> list[str]:
    """Return a record's state, followed by its further properties; empty for an unknown record."""
    query = (
        "SELECT value, value = v.state FROM records r JOIN reviews v USING (number) JOIN facets f USING (number) "
        "JOIN names ON id = f.name WHERE record_id = ? AND kind = 'state' ORDER BY 2 DESC, 1"
    )
    return [value for value, _ in connection.execute(query, (record_id,))]


def measures(connection: sqlite3.Connection) -> dict[str, MeasureRange]:
    """Return the measures of records, with their ranges, by name."""
    query = (
        "SELECT value, (SELECT min(value) FROM measures WHERE name = id), (SELECT max(value) FROM measures WHERE "
        "name = id), (SELECT count(*) FROM measures WHERE name = id) FROM names WHERE kind = 'measure' ORDER BY value"
    )
    return {name: MeasureRange(*values) for name, *values in connection.execute(query) if values[2]}


def has_hashes(connection: sqlite3.Connection) -> bool:
    """Return whether a step computed perceptual hashes, which are needed for similarity by hashes."""
    return connection.execute("SELECT 1 FROM records WHERE phash IS NOT NULL LIMIT 1").fetchone() is not None


_SHOWN = """
SELECT r.number, r.record_id, r.stream, r.name, r.task, substr(r.question, 1, 300), v.state, v.reason, v.campaign,
    v.decisions, v.divided, v.doubt, r.pictures
FROM records r JOIN reviews v USING (number) WHERE r.number IN (SELECT value FROM json_each(?))
"""


def _condition(query: ItemQuery) -> tuple[str, list[object]]:
    parts: list[str] = ["1"]
    values: list[object] = []
    for name, kinds in _FACETS.items():
        if wanted := getattr(query, name):
            marks = ", ".join("?" * len(kinds))
            ids = f"SELECT id FROM names WHERE value = ? AND kind IN ({marks})"  # noqa: S608 - question marks
            parts.append(f"r.number IN (SELECT number FROM facets WHERE name IN ({ids}))")  # noqa: S608 - as above
            values += [wanted, *kinds]
    for match in _matches(query.words):
        parts.append("r.number IN (SELECT rowid >> 1 FROM texts WHERE texts MATCH ?)")
        values.append(match)
    if query.words and not _matches(query.words):
        parts.append("0")
    if query.measure and (query.least is not None or query.most is not None or query.sort in BY_MEASURES):
        parts.append(
            "r.number IN (SELECT number FROM measures WHERE name = (SELECT id FROM names WHERE kind = 'measure' AND "
            "value = ?) AND value BETWEEN ? AND ?)"
        )
        least = -np.inf if query.least is None else query.least
        values += [query.measure, float(least), float(np.inf if query.most is None else query.most)]
    return " AND ".join(parts), values


def _matches(words: str) -> list[str]:
    """Return an FTS5 expression for each word: the word as a prefix, quoted so that nothing in it is an operator."""
    return [f'"{word}"*' for word in _WORD.findall(words)[:_MOST_WORDS]]


_BY_MEASURE = """
SELECT r.number FROM measures m JOIN reviews r USING (number)
WHERE m.name = (SELECT id FROM names WHERE kind = 'measure' AND value = ?) AND {where}
ORDER BY m.value {direction}, m.number LIMIT ? OFFSET ?
"""
BY_MEASURES = {"measure": "ASC", "measure_most": "DESC"}
"""Sorts by measure, and the direction of each."""
_IN_ORDER = "SELECT number FROM reviews r WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"


def _ordered(
    connection: sqlite3.Connection, query: ItemQuery, where: str, values: Sequence[object], first: int, size: int
) -> list[int]:
    if query.sort in BY_MEASURES and query.measure:
        statement = _BY_MEASURE.format(where=where, direction=BY_MEASURES[query.sort])
        rows = connection.execute(statement, [query.measure, *values, size, first])
    else:
        order = "active_at DESC, rank, number"
        if query.sort in {"divided", "doubt"}:
            order = f"{query.sort} DESC, {order}"
        rows = connection.execute(_IN_ORDER.format(where=where, order=order), [*values, size, first])
    return [number for (number,) in rows]


def _values(connection: sqlite3.Connection, measure: str, numbers: Iterable[int]) -> dict[int, float]:
    if not measure:
        return {}
    query = (
        "SELECT number, value FROM measures WHERE name = (SELECT id FROM names WHERE kind = 'measure' AND value = ?) "
        "AND number IN (SELECT value FROM json_each(?))"
    )
    return dict(connection.execute(query, (measure, _listed(numbers))).fetchall())


def _listed(numbers: Iterable[int]) -> str:
    return f"[{','.join(map(str, numbers))}]"


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _spelled(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    return f"{value:g}" if isinstance(value, float) else str(value)
