"""Text tables, JSON and spreadsheets that expand: values are counted, and rows measured, before they are created."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import pytest

from benchwright.errors import BenchwrightError, DataError
from benchwright.files import bounded_json, spreadsheets
from benchwright.files.bounds import BOUNDS
from benchwright.files.spreadsheets import sheet_rows
from benchwright.questions.overlap import corpus_words
from benchwright.regions.formats import streamed_json
from benchwright.regions.formats.streamed_json import JsonLists
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import Row, table_rows


@pytest.fixture(autouse=True)
def _small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make bounds that are reached by kilobytes."""
    monkeypatch.setenv("BENCHWRIGHT_MAX_ROW_MIB", "0.004")
    monkeypatch.setenv("BENCHWRIGHT_MAX_ROW_VALUES", "500")
    monkeypatch.setenv("BENCHWRIGHT_MAX_DOCUMENT_MIB", "0.008")
    monkeypatch.setattr(bounded_json, "_UNCOUNTED", 1000)
    monkeypatch.setattr(streamed_json, "_CHUNK_BYTES", 1000)
    monkeypatch.setattr(spreadsheets, "MAX_ROWS", 1000)


@pytest.mark.parametrize(
    "row",
    ["x" * 9000, "," * 900, '"' + "x" * 9000],
    ids=["one cell", "cells", "no end"],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_row_of_a_table_without_end_is_refused_and_the_others_are_read(tmp_path: Path, row: str, end: str) -> None:
    with gzip.open(tmp_path / "q.csv.gz", "wt", newline="") as handle:
        handle.write(end.join(["question,answer", "first,A", row, "last,B", ""]))
    entries = list(table_rows(DatasetFiles(tmp_path), "q.csv.gz"))
    read = [entry.document["question"] for entry in entries if isinstance(entry, Row)]
    refused = [entry for entry in entries if isinstance(entry, RefusedRow)]
    assert read == ["first", "last"]
    assert [(entry.entry, "the most that can be read" in entry.detail) for entry in refused] == [("line 3", True)]


def test_a_packed_file_that_unfolds_is_an_error_that_names_it_and_the_variable_raises_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with gzip.open(tmp_path / "q.csv.gz", "wt") as handle:
        handle.write("question,answer\n" + "what,A\n" * 30_000)
    files = DatasetFiles(tmp_path)
    monkeypatch.setenv("BENCHWRIGHT_MAX_UNPACKED_MIB", "0.1")
    with pytest.raises(DataError, match=r"q\.csv\.gz unpacks to more than .* or set BENCHWRIGHT_MAX_UNPACKED_MIB to"):
        list(table_rows(files, "q.csv.gz"))
    with pytest.raises(DataError, match=r"q\.csv\.gz unpacks to more than"):
        list(corpus_words(tmp_path / "q.csv.gz"))
    monkeypatch.setenv("BENCHWRIGHT_MAX_UNPACKED_MIB", "0.3")
    assert len(list(table_rows(files, "q.csv.gz"))) == 30_000


def test_a_member_that_unfolds_is_an_error_that_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("q.csv", "question,answer\n" + "what,A\n" * 30_000)
    monkeypatch.setenv("BENCHWRIGHT_MAX_UNPACKED_MIB", "0.1")
    with pytest.raises(DataError, match=r"a\.zip: member 'q\.csv' unpacks to more than"):
        list(table_rows(DatasetFiles(tmp_path), "q.csv"))


def test_every_bound_is_raised_by_its_variable_and_a_wrong_value_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for bound in BOUNDS:
        monkeypatch.setenv(bound.variable, "3")
        assert bound.most() == bound.most(7) == 3 * bound.unit
        assert f"set {bound.variable} to more than 3" in bound.or_raise()
        for wrong in ("many", "0", "-1", "nan", "inf"):
            monkeypatch.setenv(bound.variable, wrong)
            with pytest.raises(BenchwrightError, match=f"{bound.variable} is '{wrong}', not a positive number"):
                bound.most()


def test_a_cell_over_many_lines_without_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text('question,answer\nfirst,A\n"' + "x\n" * 4500)
    entries = list(table_rows(DatasetFiles(tmp_path), "q.csv"))
    assert "the most that can be read" in str(entries[1])


def test_a_line_of_json_with_too_many_values_is_refused_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BENCHWRIGHT_MAX_ROW_MIB")
    lines = ['{"a": 1}', "[" + "[]," * 900 + "1]", json.dumps({"a": "x, " * 100})]
    (tmp_path / "q.jsonl").write_text("\n".join(lines))
    entries = list(table_rows(DatasetFiles(tmp_path), "q.jsonl"))
    assert [type(entry) for entry in entries] == [Row, RefusedRow, Row]
    assert "more than 500 values" in str(entries[1])


def test_an_entry_of_a_list_in_json_with_too_many_values_is_an_error_that_says_where(tmp_path: Path) -> None:
    (tmp_path / "q.json").write_text('[{"a": 1}, [' + "[]," * 2000 + "1]]")
    with pytest.raises(DataError, match="an entry has more than 500 values"):
        list(JsonLists(tmp_path / "q.json").entries())


def test_an_entry_of_a_list_in_json_longer_than_a_row_is_an_error_that_says_where(tmp_path: Path) -> None:
    for text in ("x" * 4500, "x" * 9000):  # one that ends before as much again was read, and one that does not
        (tmp_path / "q.json").write_text(json.dumps([{"a": 1}, {"a": text}]))
        with pytest.raises(DataError, match=r"q\.json, byte 11: an entry is longer than .* or set BENCHWRIGHT_MAX_ROW"):
            list(JsonLists(tmp_path / "q.json").entries())


def sheet(path: Path, rows_of_sheet: str, *, texts: str = "<si><t>a</t></si>", head: str = "") -> Path:
    """Write a spreadsheet of one sheet and its texts, as they stand."""
    name, kind = "http://schemas.openxmlformats.org", "application/vnd.openxmlformats-officedocument.spreadsheetml"
    main, office = f"{name}/spreadsheetml/2006/main", f"{name}/officeDocument/2006/relationships"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{name}/package/2006/content-types"><Override PartName="/xl/workbook.xml" '
        f'ContentType="{kind}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.'
        f'worksheet+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="{kind}.sharedStrings+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{name}/package/2006/relationships"><Relationship Id="a" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{name}/package/2006/relationships"><Relationship Id="b" '
        f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="s" sheetId="1" r:id="b"/>'
        "</sheets></workbook>",
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{rows_of_sheet}</sheetData></worksheet>',
        "xl/sharedStrings.xml": f'{head}<sst xmlns="{main}">{texts}</sst>',
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, text in parts.items():
            archive.writestr(part, text)
    return path


TEXT = '<c t="s"><v>0</v></c>'
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))


def test_a_long_sheet_of_small_rows_is_read(tmp_path: Path) -> None:
    path = sheet(tmp_path / "q.xlsx", f"<row>{TEXT}</row>" * 600)
    assert [row.cells for row in sheet_rows(path)] == [["a"]] * 600


@pytest.mark.parametrize(
    ("rows_of_sheet", "texts", "head", "why"),
    [
        ("<row>" + "<c/>" * 3000 + "</row>", "", "", "without the end of a row"),
        ("<!-- </row> -->" * 900, "", "", "without the end of a row"),
        ("<row/>", "<si><t>" + "x" * 9000 + "</t></si>", "", "without the end of a row|texts have more"),
        ("<row/>", "<si><t>a</t></si>" * 900, "", "texts have more than"),
        (f'<row r="1">{TEXT}</row><row r="99999999999">{TEXT}</row>', "<si><t>a</t></si>", "", "more than 1,000 rows"),
        ("<row/>", "<si><t>&l8;</t></si>", f'<!DOCTYPE x [<!ENTITY l0 "lol">{LAUGHS}]>', "spreadsheet"),
    ],
    ids=["wide row", "comments", "long text", "many texts", "row far away", "entities"],
)
def test_a_spreadsheet_that_unfolds_is_refused(
    tmp_path: Path, rows_of_sheet: str, texts: str, head: str, why: str
) -> None:
    with pytest.raises(DataError, match=why):
        list(sheet_rows(sheet(tmp_path / "q.xlsx", rows_of_sheet, texts=texts, head=head)))


def test_a_part_of_a_spreadsheet_is_looked_at_whatever_it_is_called(tmp_path: Path) -> None:
    path = sheet(tmp_path / "q.xlsx", "<row/>", texts="<si><t>&l8;</t></si>", head=f"<!DOCTYPE x [{LAUGHS}]>")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(tmp_path / "r.xlsx", "w") as new:
        for name in old.namelist():
            text = old.read(name).replace(b"sharedStrings.xml", b"sharedStrings.dat")
            new.writestr(name.replace("sharedStrings.xml", "sharedStrings.dat"), text)
    with pytest.raises(DataError, match=r"'xl/sharedStrings\.dat' declares entities"):
        list(sheet_rows(tmp_path / "r.xlsx"))
