"""Tables as people and programs save them: the values of their cells, and the rows named as ambiguous."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook
from PIL import Image

from benchwright.errors import DataError
from benchwright.files.code_pages import code_page
from benchwright.files.tables import Table
from benchwright.question_files.item_check import check_items, read_questions
from benchwright.question_files.listed_rows import listed_rows

Cells = list[dict[str, Any]]


def read(path: Path, content: bytes) -> tuple[Cells, dict[str, str]]:
    """Return the rows of a table that can be read, and what is wrong with the others."""
    path.write_bytes(content)
    records = list(Table.at(path).records())
    return [record.values for record in records if not record.problem], {
        record.entry: record.problem for record in records if record.problem
    }


def book(fill: Callable[[Workbook], object]) -> bytes:
    made, out = Workbook(), io.BytesIO()
    fill(made)
    made.save(out)
    return out.getvalue()


def sheet(*rows: list[Any]) -> bytes:
    return book(lambda made: [made.worksheets[0].append(row) for row in rows])


def changed(content: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Return a spreadsheet whose first sheet is changed as bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(old.read(name)) if name.endswith("sheet1.xml") else old.read(name))
    return out.getvalue()


def open_document(rows: str, *, head: str = "") -> bytes:
    names = " ".join(f'xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for n in ("office", "table", "text"))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "content.xml",
            f"{head}<office:document-content {names}><office:body><office:spreadsheet><table:table>{rows}</table:table>"
            "</office:spreadsheet></office:body></office:document-content>",
        )
    return out.getvalue()


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("cp1252", "Welche Größe?"), ("cp1252", "“C’est déjà” – 5 €"), ("cp1250", "żółta łódź"), ("cp1251", "красный автомобиль"),
        ("cp1253", "Τι χρώμα έχει το αυτοκίνητο"), ("cp1255", "מה צבע המכונית"), ("gbk", "图中有几只猫"), ("cp932", "これは何ですか"),
        ("cp949", "이 차는 무슨 색입니까"), ("cp950", "這輛車是什麼顏色的"),
    ],
)  # fmt: skip
def test_a_table_in_a_code_page_is_read_and_the_page_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, page: str, text: str
) -> None:
    content = "id;text\n" + "1;plain\n" * 9000 + f"2;{text}\n"
    rows, wrong = read(tmp_path / "t.csv", content.encode(page))
    assert not wrong
    assert rows[-1] == {"id": "2", "text": text}
    assert "since it is not UTF-8" in caplog.text
    assert page.removeprefix("cp") in caplog.text or "GBK" in caplog.text


def test_no_code_page_is_assumed_where_no_language_fits() -> None:
    assert code_page(["grün".encode("cp437")]) is None
    assert code_page(["grün".encode()]) is None


def test_lines_in_another_encoding_than_the_others_are_named(tmp_path: Path) -> None:
    for most, few in (("utf-8", "cp1252"), ("cp1252", "utf-8")):
        content = "a,b\n1,grün\n2,süß\n".encode(most) + "3,weiß\n".encode(few)
        rows, wrong = read(tmp_path / "t.csv", content)
        assert [row["b"] for row in rows] == ["grün", "süß"]
        assert list(wrong) == ["line 4"]
        assert "UTF-8" in wrong["line 4"]


def test_what_was_assumed_about_a_file_of_questions_is_said(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_bytes("id;question;A;B;answer\n1;Größe?;groß;klein;A\n".encode("cp1252"))
    (note,) = check_items(tmp_path / "q.csv")["notes"]
    assert note["file"] == "q.csv"
    assert "Windows-1252" in note["note"]


QUESTIONS = {
    "q.csv": "id;question;A;B;answer\n1;Größe?;groß;klein;A\n",
    "q.jsonl": '{"id": 1, "question": "Größe?", "A": "groß", "B": "klein", "answer": "A"}\n',
    "q.json": '[{"id": 1, "question": "Größe?", "A": "groß", "B": "klein", "answer": "A"}]',
}


def asked(path: Path, **mapping: str) -> tuple[list[str], list[str]]:
    """Return the questions of a file, and the notes on it."""
    with read_questions(path, mapping=dict(mapping)) as questions:
        found = [row.question.question.ask for row in questions.index.rows() if row.question is not None]
        return found, [note.note for note in questions.notes]


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_encoding_of_a_file_is_stated_and_told_and_checked(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(QUESTIONS[name].encode("cp437"))  # a page of DOS, which is never assumed
    assert asked(path, encoding="CP437") == (["Größe?"], ["read as cp437, as stated"])
    line = 2 if name == "q.csv" else 1
    with pytest.raises(DataError, match=rf"{name}, line {line}: the text is not utf-8, as stated \(byte 0x94"):
        asked(path, encoding="utf-8")
    with pytest.raises(DataError, match="encoding is 'base64'; write a name such as cp1252"):
        asked(path, encoding="base64")
    path.write_bytes(QUESTIONS[name].encode("utf-8-sig"))
    with pytest.raises(DataError, match="begins with the byte order mark of UTF-8, but its stated encoding is cp1252"):
        asked(path, encoding="cp1252")


def test_a_file_of_columns_states_the_encoding_of_each_file_and_keeps_it(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_bytes(QUESTIONS["q.csv"].encode("cp437"))
    (tmp_path / "new.csv").write_text(QUESTIONS["q.csv"].replace("1;", "2;"), encoding="utf-8")
    columns = tmp_path / "columns.yaml"
    columns.write_text('files: {"old.*": {encoding: cp437}}\nformat: benchwright/columns\n')
    document = check_items(tmp_path, columns=columns, write_to=tmp_path / "again.yaml")
    assert [(note["file"], note["note"]) for note in document["notes"]] == [("old.csv", "read as cp437, as stated")]
    with read_questions(tmp_path, columns=tmp_path / "again.yaml") as questions:
        assert [row.question.question.ask for row in questions.index.rows() if row.question] == ["Größe?"] * 2


def test_lines_of_text_are_read_in_their_encoding_like_tables(tmp_path: Path) -> None:
    path = tmp_path / "0001.txt"
    for content, mapping, note in (
        ("Größe?\tyes\n".encode("cp1252"), {}, "read as Windows-1252, since it is not UTF-8"),
        ("Größe?\tyes\n".encode("cp437"), {"encoding": "cp437"}, "read as cp437, as stated"),
        ("Größe?\tyes\n".encode("utf-16"), {}, ""),
    ):
        path.write_bytes(content)
        questions, notes = asked(path, **mapping)
        assert questions == ["Größe?"]
        assert note in "".join(notes)
    path.write_bytes(b"Is it?\tyes\n" + "Grün?\tyes\n".encode("cp437"))
    (refused,) = [row for row in check_items(path)["refused"] if row["reason"] == "bad_row"]
    assert (refused["entry"], refused["detail"]) == ("line 2", "is not UTF-8; save it in UTF-8")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_text_and_json_with_a_byte_order_mark_are_read(tmp_path: Path, name: str, encoding: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    (tmp_path / name).write_bytes((mark + QUESTIONS[name]).encode(encoding))
    assert asked(tmp_path / name) == (["Größe?"], [])


@pytest.mark.parametrize(
    ("content", "rows", "wrong"),
    [
        (b'a,b,c\n"None","NA","007"\nnan,1,\n', [{"a": "None", "b": "NA", "c": "007"}, {"a": "nan", "b": "1", "c": ""}], {}),
        (b'a,b\n1,"x\n2,y\n3,"z, w"\n', [{"a": "2", "b": "y"}, {"a": "3", "b": "z, w"}], {"line 2": "no CSV"}),
        (b'\na,b\n1,"x\ny"\n2\n', [{"a": "1", "b": "x\ny"}], {"line 5 (row 4)": "1 cell where"}),
        (b"a,b\n1,x\n\xef\xbb\xbfa,b\n2,y\n", [{"a": "1", "b": "x"}, {"a": "2", "b": "y"}], {"line 3": "repeats the names"}),
        (b"a,b\n1,x\0\n2,y\n", [{"a": "2", "b": "y"}], {"line 2": "cell 2 holds a null character"}),
        (b"a,b\r1,x\r2\r", [{"a": "1", "b": "x"}], {"line 3": "1 cell where"}),
        (b'a,b\n1,"so \\"x\\", y"\n2,C:\\new\n', [{"a": "1", "b": 'so "x", y'}, {"a": "2", "b": "C:\\new"}], {}),
        (b'a, b\n1, "x, y"\n2, z\n', [{"a": "1", "b": "x, y"}, {"a": "2", "b": "z"}], {}),
        (b"a,b\n", [], {}),
        (b"", [], {}),
    ],
)  # fmt: skip
def test_cells_of_text_are_what_was_meant_and_wrong_rows_are_named(
    tmp_path: Path, content: bytes, rows: Cells, wrong: dict[str, str]
) -> None:
    found, named = read(tmp_path / "t.csv", content)
    assert found == rows
    assert list(named) == list(wrong)
    assert all(words in problem for words, problem in zip(wrong.values(), named.values(), strict=True))


@pytest.mark.parametrize(
    ("content", "column", "told"),
    [
        # Texts: in quotation marks, or among words.
        ('b\n"NA"\n3\n', ["NA", "3"], ""),
        ("b\nNone\na fox\n4\n", ["None", "a fox", "4"], ""),
        ("b\nnan\na fox\nNA\n", ["nan", "a fox", "NA"], ""),
        ('b\n"a fox"\nNone\n', ["a fox", "None"], ""),
        ('b\n"a ""x"", NA"\nNA\n', ['a "x", NA', "NA"], ""),
        ("b\nNone\nNone\n", ["None", "None"], ""),
        ("b\n3\nNone\n", ["3", "None"], ""),
        # Absent: among numbers, alone where only programs write it, without quotation marks where all texts have them.
        ("b\n3\nNA\n1.5e-3\nnan\n", ["3", "", "1.5e-3", ""], "column 'b': 2 cells that say NA or nan are absent"),
        ('b\n3\nNA\n"NaN"\n', ["3", "NA", "NaN"], ""),
        ("b\nnan\nnan\n", ["", ""], "contains nothing else"),
        ('"a","b"\n"NA","a fox"\n"1",NA\n', ["a fox", ""], "column 'b': 1 cell that says NA is absent, since the file"),
    ],
)  # fmt: skip
def test_marks_of_missing_values_are_absent_where_they_are_no_words_and_this_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: str, column: list[str], told: str
) -> None:
    if not content.startswith('"a"'):
        content = "".join(f"{'a' if n == 0 else 'x'},{line}\n" for n, line in enumerate(content.splitlines()))
    rows, wrong = read(tmp_path / "t.csv", content.encode())
    assert not wrong
    assert [row["b"] for row in rows] == column
    assert told in caplog.text
    assert bool(told) == bool(caplog.text)


def test_absent_options_of_a_table_in_text_are_no_options_and_words_are(tmp_path: Path) -> None:
    """A table of pandas with `na_rep="nan"`: the options of the first column are words, those of the last are absent."""
    rows = ["0,p,Which?,None,a hen,2,nan,A", "1,p,Which?,a fox,nan,nan,nan,A", "2,p,Which?,a fox,a hen,3,nan,B"]
    (tmp_path / "q.csv").write_text("\n".join(["id,image,question,A,B,C,D,answer", *rows]).replace(",p,", ",p.png,"))
    Image.new("RGB", (8, 8)).save(tmp_path / "p.png")
    with read_questions(tmp_path / "q.csv") as questions:
        listed = [[o["text"] for o in row["options"]] for row in listed_rows(questions.index, questions.path_of)]
        notes = " ".join(note.note for note in questions.notes)
    assert listed == [["None", "a hen", "2"], ["a fox", "nan"], ["a fox", "a hen", "3"]]
    assert "column 'C': 1 cell that says nan is absent" in notes
    assert "column 'D': 3 cells that say nan are absent" in notes


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.jsonl", b'{"a": NaN, "b": "nan", "c": 2.0, "d": [NaN, 1]}\n'),
        ("t.jsonl", '{"a": null, "b": "nan", "c": 2, "d": [null, 1]}\n'.encode("utf-16")),
    ],
)
def test_missing_values_of_json_are_absent_and_texts_stay(tmp_path: Path, name: str, content: bytes) -> None:
    assert read(tmp_path / name, content) == ([{"a": None, "b": "nan", "c": 2, "d": [None, 1]}], {})


def test_missing_values_of_parquet_are_absent_and_texts_stay(tmp_path: Path) -> None:
    out = io.BytesIO()
    pq.write_table(pa.table({"a": [1.0, float("nan"), None], "b": ["nan", "NA", "1"]}), out)
    rows, _ = read(tmp_path / "t.parquet", out.getvalue())
    assert rows == [{"a": 1, "b": "nan"}, {"a": None, "b": "NA"}, {"a": None, "b": "1"}]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"[" * 100_000, "too deep"),
        (b"9" * 5000, "digits"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b'{"a": "\xfc"}', "UTF-8"),
    ],
)
def test_a_line_of_json_that_cannot_be_read_is_named_and_the_next_is_read(
    tmp_path: Path, line: bytes, words: str
) -> None:
    rows, wrong = read(tmp_path / "t.jsonl", line + b'\n{"a": 1}\n')
    assert rows == [{"a": 1}]
    assert words in wrong["line 1"]


def test_cells_of_a_spreadsheet_are_what_is_shown(tmp_path: Path) -> None:
    def fill(made: Workbook) -> None:
        shown = made.worksheets[0]
        for row in (["a", "b", "c"], [2.0, "007", date(2024, 2, 29)], [7, "nan", datetime(2024, 2, 29, 13, 5)]):
            shown.append(row)
        shown["A3"].number_format = "000"
        shown.append([None, "x", True])
        shown.merge_cells("A3:A4")

    rows, wrong = read(tmp_path / "t.xlsx", book(fill))
    assert not wrong
    assert [list(row.values()) for row in rows] == [
        ["2", "007", "2024-02-29"], ["007", "nan", "2024-02-29T13:05:00"], ["007", "x", "TRUE"],
    ]  # fmt: skip


def test_formulas_count_by_their_stored_value_and_rows_with_errors_are_named(tmp_path: Path) -> None:
    content = sheet(["a", "b"], ["1", "=1+1"], ["2", "#N/A"], ["3", "y"])
    rows, wrong = read(tmp_path / "t.xlsx", content)
    assert rows == [{"a": "3", "b": "y"}]
    assert list(wrong) == ["row 2", "row 3"]
    assert "cell B contains a formula without its value" in wrong["row 2"]
    assert "cell B contains the error '#N/A'" in wrong["row 3"]
    rows, _ = read(tmp_path / "u.xlsx", changed(content, lambda data: data.replace(b"<v />", b"<v>2</v>")))
    assert rows[0] == {"a": "1", "b": "2"}


def test_the_sheet_that_is_read_is_the_first_one_shown_and_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def fill(made: Workbook) -> None:
        made.worksheets[0].append(["a", "b"])
        made.worksheets[0].sheet_state = "hidden"
        made.create_sheet("About").append(["Read me first"])
        for row in (["a", "b"], ["1", "x"]):
            (made["Questions"] if "Questions" in made else made.create_sheet("Questions")).append(row)

    assert read(tmp_path / "t.xlsx", book(fill))[0] == [{"a": "1", "b": "x"}]
    assert "its sheet 'Questions' is read, and not 'Sheet', 'About'" in caplog.text


def test_a_sheet_whose_stated_size_is_wrong_is_read_whole(tmp_path: Path) -> None:
    content = changed(sheet(["a", "b"], ["1", "x"]), lambda data: data.replace(b'ref="A1:B2"', b'ref="A1"'))
    assert read(tmp_path / "t.xlsx", content)[0] == [{"a": "1", "b": "x"}]


def test_an_open_document_sheet_is_read(tmp_path: Path) -> None:
    def row(*cells: str, times: int = 1) -> str:
        return f'<table:table-row table:number-rows-repeated="{times}">{"".join(cells)}</table:table-row>'

    def cell(text: str, stated: str = "") -> str:
        return f"<table:table-cell {stated}><text:p>{text}</text:p></table:table-cell>"

    number = 'office:value-type="float" office:value="2"'
    filler = '<table:table-cell table:number-columns-repeated="16000"/>'
    rows = row(cell("a"), cell("b"), filler) + row(cell("2,0", number), cell("n<text:s/>an")) + row(filler, times=10**6)
    assert read(tmp_path / "t.ods", open_document(rows)) == ([{"a": "2", "b": "n an"}], {})


def locked(content: bytes) -> bytes:
    """Return a spreadsheet whose parts state that they are encrypted."""
    held = bytearray(content)
    place = held.find(b"PK\x01\x02")
    while place >= 0:
        held[place + 8] |= 1
        place = held.find(b"PK\x01\x02", place + 4)
    return bytes(held)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv", b",".join(b"c%d" % n for n in range(20_000)) + b"\n", "20,000 columns; the limit is 16,384"),
        ("t.csv", b"a,a\n1,2\n", "'a' occurs twice"),
        ("t.csv", sheet(["a"]), "a ZIP archive; if it is a spreadsheet"),
        ("t.xlsx", bytes.fromhex("d0cf11e0a1b11ae1"), "locked with a password"),
        ("t.xlsx", sheet(["a"], ["b"])[:-200], r"cannot be read as a spreadsheet \(it is cut off, damaged"),
        ("t.xlsx", locked(sheet(["a"])), "locked with a password"),
        ("t.ods", locked(open_document("")), "locked with a password"),
        ("t.ods", open_document("", head='<!DOCTYPE x [<!ENTITY l "lol">]>'), "declares entities"),
        (
            "t.ods",
            open_document(
                '<table:table-row><table:table-cell table:number-columns-repeated="99999999"><text:p>a</text:p>'
                "</table:table-cell></table:table-row>"
            ),
            "more than 16,384 columns",
        ),
        (
            "t.ods",
            open_document(
                '<table:table-row table:number-rows-repeated="1000000"><table:table-cell '
                'table:number-columns-repeated="16000"><text:p>a</text:p></table:table-cell></table:table-row>'
            ),
            "it repeats more than 2,000,000 cells",
        ),
        (
            "t.ods",
            open_document(
                f"<table:table-row><table:table-cell><text:p>{'<text:span>' * 9000}a{'</text:span>' * 9000}</text:p>"
                "</table:table-cell></table:table-row>"
            ),
            "nested too deeply",
        ),
    ],
)
def test_a_file_that_is_no_table_or_unfolds_is_refused_in_words(
    tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    with pytest.raises(DataError, match=words):
        read(tmp_path / name, content)


def test_macros_and_other_workbooks_are_left_alone_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    content = io.BytesIO(sheet(["a"], ["1"]))
    with zipfile.ZipFile(content, "a") as archive:
        archive.writestr("xl/vbaProject.bin", b"\xd0\xcf\x11\xe0")
        archive.writestr("xl/externalLinks/externalLink1.xml", "<externalLink/>")
    assert read(tmp_path / "t.xlsm", content.getvalue()) == ([{"a": "1"}], {})
    assert "it has macros, which do not run" in caplog.text
    assert "other workbooks, which are not opened" in caplog.text


def test_json_in_two_encodings_or_with_too_many_columns_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "q.json"
    path.write_bytes('[{"question": "Größe?"},\n'.encode() + '{"question": "Größe?"}]'.encode("cp1252"))
    with pytest.raises(DataError, match=r"q\.json, byte 43: the text is not UTF-8 \(0xf6\); save it in UTF-8"):
        asked(path)
    wide = {"question": "Which?", **{f"c{n}": 1 for n in range(16_384)}}
    path.write_text(json.dumps([wide, {"question": "Which?", "answer": "x"}]))
    (row,) = [row for row in check_items(path)["refused"] if row["reason"] == "bad_row"]
    assert row["entry"] == "entry 1"
    assert "16,385 columns; the limit is 16,384" in row["detail"]


def test_a_packed_table_that_is_cut_off_keeps_the_rows_before(tmp_path: Path) -> None:
    lines = "".join(f"{n},{n * 7919 % 10007}\n" for n in range(20_000))
    rows, wrong = read(tmp_path / "t.csv.gz", gzip.compress(f"a,b\n{lines}".encode())[:-100])
    assert len(rows) > 1000
    (problem,) = wrong.values()
    assert "the rest cannot be read" in problem
