"""One table in every kind of file, read by everything that takes tables: the rows are the same."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from facts_samples import GOOD
from openpyxl import Workbook
from PIL import Image

from benchwright.annotation.agreement.rating_file import read_ratings
from benchwright.annotation.exchange.decision_file import OPTIONAL, REQUIRED
from benchwright.annotation.forms.csv_rows import read_rows
from benchwright.audit.source.kept_values import KeptValues, KnownPictures
from benchwright.audit.source.reading import read_source
from benchwright.construction.measured.camera_files import camera_form
from benchwright.evaluation.analysis.reply_cases import read_cases
from benchwright.evaluation.backends.predictions import PredictionsFile
from benchwright.facts import facts_table, read_facts
from benchwright.facts.facts_file import parse_facts
from benchwright.files.table_text import found_delimiter, text_lines
from benchwright.files.tables import Table
from benchwright.filters.duplicates.kept_copies import read_groups
from benchwright.question_files.item_check import check_items, read_questions
from benchwright.replies.reply_files import reply_rows
from benchwright.workspace.item_cache import ItemCache

Rows = Sequence[Mapping[str, str]]


def as_text(rows: Rows, delimiter: str = ",") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def as_sheet(rows: Rows) -> bytes:
    book, out = Workbook(), io.BytesIO()
    for row in (list(rows[0]), *(list(row.values()) for row in rows)):
        book.worksheets[0].append([cell or None for cell in row])
    book.save(out)
    return out.getvalue()


def as_parquet(rows: Rows) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows]), out)
    return out.getvalue()


KINDS: dict[str, tuple[str, Callable[[Rows], bytes]]] = {
    "commas": (".csv", lambda rows: as_text(rows).encode()),
    "semicolons": (".csv", lambda rows: as_text(rows, ";").encode("utf-8-sig")),
    "stated": (".csv", lambda rows: f"sep=|\r\n{as_text(rows, '|')}".encode()),
    "tabs": (".tsv", lambda rows: as_text(rows, "\t").encode()),
    "UTF-16": (".csv", lambda rows: as_text(rows, "\t").encode("utf-16")),
    "sheet": (".xlsx", as_sheet),
    "JSON": (".jsonl", lambda rows: "".join(f"{json.dumps(row)}\n" for row in rows).encode()),
    "Parquet": (".parquet", as_parquet),
}
"""Each kind of table, with the end of its name."""
QUESTIONS: Rows = [
    {"id": "a", "image": "p.png", "question": "Größe; Farbe, Form?", "A": "rot", "B": "blau, grün", "answer": "B"},
    {"id": "b", "image": "p.png", "question": 'Was heißt "so"?\nSag es.', "A": "ja; nein", "B": "so|so", "answer": "A"},
]
RATINGS: Rows = [{"unit": u, "rater": r, "label": f"{u}, ja; so|so"} for u in ("ü1", "2") for r in ("ann", "bo")]
DECISIONS: Rows = [
    {"annotator": "ann", "item_id": "i1", "decision": "keep", "reason": "", "note": "gut, so; ja"},
    {"annotator": "bo", "item_id": "i1", "decision": "drop", "reason": "blurred; other", "note": ""},
]
REPLIES: Rows = [{"id": "a", "prediction": "It is (B), grün; so."}, {"id": "b", "prediction": "A"}]
CASES: Rows = [{"reply": "The answer is B.", "choices": '["rot", "blau"]'}, {"reply": "(A)", "choices": '["x", null]'}]
PREDICTIONS: Rows = [{"item_id": f"{n:032x}", "reply": f"(B), wörtlich; {n}"} for n in range(2)]


def questions_in(path: Path) -> Any:
    Image.new("RGB", (8, 8), "red").save(path.parent / "p.png")
    with read_questions(path) as read:
        asked = [
            (q.question.key, q.question.ask, q.question.options, q.question.answer) for q in read.index.questions()
        ]
    return asked, check_items(path)["items"]


def audited_in(path: Path) -> Any:
    Image.new("RGB", (8, 8), "red").save(path.parent / "p.png")
    with ItemCache(path.parent / "cache.sqlite") as cache:
        known = KnownPictures(KeptValues(cache, "files"), KeptValues(cache, "origins"))
        read = read_source(path, objects=path.parent / "objects", known=known)
    assert not read.unreadable
    return [(a.item_id, a.item.question, [c.text for c in a.item.choices], a.item.answer) for a in read.items]


def facts_in(path: Path) -> Any:
    return read_facts(path).sha256


def decisions_in(path: Path) -> Any:
    rows = list(read_rows(path, required=REQUIRED, optional=OPTIONAL))
    assert not any(row.problem for row in rows)
    return [row.values for row in rows]


def replies_in(path: Path) -> Any:
    return [(row.ids, row.text) for row in reply_rows(path)]  # type: ignore[union-attr]


def predictions_in(path: Path) -> Any:
    class Context:
        release_id = "r"

    return {key: row.text for key, row in PredictionsFile(path)._read(Context()).items()}  # type: ignore[arg-type]


def facts_rows() -> Rows:
    text = facts_table(parse_facts(GOOD, "facts.yaml").images, explained=False)
    return list(csv.DictReader(text.splitlines()[1:]))


READERS: dict[str, tuple[Callable[[], Rows], Callable[[Path], Any]]] = {
    "construct items": (lambda: QUESTIONS, questions_in),
    "audit": (lambda: QUESTIONS, audited_in),
    "facts check": (facts_rows, facts_in),
    "review agreement": (lambda: RATINGS, read_ratings),
    "review import": (lambda: DECISIONS, decisions_in),
    "audit --replies": (lambda: REPLIES, replies_in),
    "evaluate extract": (lambda: CASES, read_cases),
    "evaluate score": (lambda: PREDICTIONS, predictions_in),
}
"""What reads tables, with rows to read."""


@pytest.mark.parametrize("command", READERS)
def test_what_a_table_says_does_not_depend_on_the_kind_of_its_file(tmp_path: Path, command: str) -> None:
    rows, read = READERS[command]
    found = {}
    for kind, (end, written) in KINDS.items():
        (path := tmp_path / kind / f"table{end}").parent.mkdir()
        path.write_bytes(written(rows()))
        found[kind] = read(path)
    assert found["commas"]
    assert {kind: found[kind] for kind in found if found[kind] != found["commas"]} == {}


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a;b;c\n1,5;2,5;3,5\n", ";"),
        ('"one, two, three";b\n1;2\n', ";"),
        ("id\ttext, long\n1\tx, y\n", "\t"),
        ("id|text\n1|a\n", "|"),
        ("sep=;\na,b;c\n", ";"),
        ('# "notes; more; and more"\na,b\n1,2\n', ","),
        ("a,b\n", ","),
        ("#,question\n1,x\n", ","),
        ("a,b;c,d\n1,2,3\n4,5,6\n", ","),
    ],
)
def test_the_delimiter_is_the_one_that_gives_rows_their_columns(text: str, delimiter: str) -> None:
    assert found_delimiter(text) == delimiter


def test_a_table_with_one_column_stays_one_whatever_its_texts_hold() -> None:
    lines = list(text_lines(io.BytesIO(b'question\nWhy, so; or not?\n"Is it, ""so""?"\n')))
    assert [line.cells for line in lines] == [["question"], ["Why, so; or not?"], ['Is it, "so"?']]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"a,b\n1,2\n1,2,3\n4,5\n", (3, "3 cells where there are 2 columns")),
        (b"a,b\n1,2\n1\n4,5\n", (3, "1 cell where there are 2 columns")),
        (b"a,b\n1,2\n1,caf\xe9 \x81\n4,5\n", (3, "is not UTF-8 (byte 0xe9); save it as CSV in UTF-8")),
        (b'a,b\n1,2\n1,"x\n4,5\n', (3, "no CSV: unexpected end of data; a quotation mark of the row that begins on line 3 "
                                       "is not closed")),
    ],
)  # fmt: skip
def test_a_row_that_does_not_fit_is_one_problem_and_the_others_are_read(
    tmp_path: Path, content: bytes, problem: tuple[int, str]
) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    records = list(Table.at(tmp_path / "t.csv").records())
    assert [(record.entry, record.problem) for record in records if record.problem] == [
        (f"line {problem[0]}", problem[1])
    ]
    assert records[0].values == {"a": "1", "b": "2"}


def test_cells_that_programs_add_after_the_last_column_are_no_problem(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;b;;\n1;2;;\n3;4\n")
    assert [record.values for record in Table.at(tmp_path / "t.csv").records()] == [
        {"a": "1", "b": "2"},
        {"a": "3", "b": "4"},
    ]


@pytest.mark.parametrize("delimiter", ",;\t|")
def test_a_folder_of_pictures_is_told_by_its_table_whatever_parts_the_columns(tmp_path: Path, delimiter: str) -> None:
    header = delimiter.join(["image", "qw", "qx", "qy", "qz", "tx", "ty", "tz"])
    (tmp_path / "poses.csv").write_bytes(f"{header}\n".encode("utf-8-sig"))
    assert camera_form("poses.csv", tmp_path / "poses.csv") == "table"


@pytest.mark.parametrize("kind", KINDS)
def test_groups_of_pictures_come_from_any_table(tmp_path: Path, kind: str) -> None:
    end, written = KINDS[kind]
    (tmp_path / f"groups{end}").write_bytes(
        written([{"path": "ä.png", "group": "g;1"}, {"path": "b.png", "group": "2"}])
    )
    assert read_groups(tmp_path / f"groups{end}") == {"b.png": ("2",), "ä.png": ("g;1",)}
