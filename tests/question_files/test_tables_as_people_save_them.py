"""Tables of questions as people save them: the position of the column names, and options in cells."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from benchwright.errors import DataError
from benchwright.files.number_formats import shown_in
from benchwright.question_files.question_source import open_source
from benchwright.question_files.questions.asked_question import AskedQuestion
from benchwright.source_files.refusals import RefusedRow

HEAD = "id,image,question,A,B,C,D,answer\n"
CUPS = "q1,1.png,Which cup is full?,Red,Blue,Green,Grey,C\nq2,2.png,Which cup is empty?,Red,Blue,Green,Grey,A\n"
COLOURS = ("Red", "Blue", "Green", "Grey")
READ = [("Which cup is full?", COLOURS, 2), ("Which cup is empty?", COLOURS, 0)]
Asked = tuple[str, tuple[str | int, ...], int | None]


class Came(list[Asked]):
    """The questions that were read, with the reported and omitted rows."""

    told: str
    left_out: dict[str, str]


def read(path: Path, content: bytes | str, **mapping: Any) -> Came:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    source = open_source(path.parent, mapping=mapping or None)
    entries = [entry for _, entry in source.entries()]
    questions = [entry.question for entry in entries if not isinstance(entry, RefusedRow)]
    came = Came(_shown(question) for question in questions if question is not None)
    came.told = "; ".join(note.note for note in source.notes())
    came.left_out = {entry.entry: entry.detail for entry in entries if isinstance(entry, RefusedRow)}
    return came


def _shown(question: AskedQuestion) -> Asked:
    return question.ask, question.options, question.answer


def sheet(*rows: Sequence[Any], formats: dict[str, str] | None = None) -> bytes:
    return book({"Sheet": rows}, formats)


def book(sheets: Mapping[str, Sequence[Sequence[Any]]], formats: dict[str, str] | None = None) -> bytes:
    made, out = Workbook(), io.BytesIO()
    made.remove(made.worksheets[0])
    for title, rows in sheets.items():
        filled = made.create_sheet(title)
        for row in rows:
            filled.append(list(row))
        for cell, code in (formats or {}).items():
            filled[cell].number_format = code
    made.save(out)
    return out.getvalue()


def cells(text: str) -> list[list[str | None]]:
    return [[cell or None for cell in line.split(",")] for line in text.splitlines()]


@pytest.mark.parametrize(
    "above",
    [
        "Export of March,,,,,,,\n,,,,,,,\n", "Report: cups\nAuthor: M. Keller\n\n", "# made by export.py\n# rows: 2\n",
        "Report, of March\n", ",,,Options,,,,\n",
    ],
)  # fmt: skip
def test_titles_and_notes_above_the_names_of_the_columns_are_left_out_and_told(tmp_path: Path, above: str) -> None:
    came = read(tmp_path / "q.csv", above + HEAD + CUPS)
    assert came == READ
    assert "the names of the columns are those of line" in came.told


def test_a_sheet_has_its_names_below_a_title_or_in_two_rows(tmp_path: Path) -> None:
    title = [["Cups"], ["Please keep the keys"], []]
    assert read(tmp_path / "q.xlsx", sheet(*title, *cells(HEAD + CUPS))) == READ
    both = [["id", "image", "question", "Options", None, None, None, "answer"], [None] * 3 + ["A", "B", "C", "D"]]
    came = read(tmp_path / "q.xlsx", sheet(*both, *cells(CUPS)))
    assert came == READ
    assert "those of line 1 and line 2" in came.told


def test_a_row_of_values_is_never_taken_for_names(tmp_path: Path) -> None:
    odd = "q3,3.png,question,answer,options,id,image,A\n"
    came = read(tmp_path / "q.csv", HEAD + odd + CUPS)
    assert [row[0] for row in came] == ["question", *(row[0] for row in READ)]
    with pytest.raises(DataError, match="lacks a column for the question"):
        read(tmp_path / "q.csv", "when,who,what\n1,2,3\nquestion,answer,x\n")


@pytest.mark.parametrize("again", ["option,option,option,option", "option,option.1,option.2,option.3"])
def test_columns_of_options_with_one_name_are_taken_in_order(tmp_path: Path, again: str) -> None:
    assert read(tmp_path / "q.csv", HEAD.replace("A,B,C,D", again) + CUPS) == READ
    with pytest.raises(DataError, match="occurs twice"):
        read(tmp_path / "q.csv", HEAD.replace("id", "answer") + CUPS)


def test_the_names_of_rows_that_r_writes_are_no_column_of_the_question(tmp_path: Path) -> None:
    rows = "".join(f"{number},{line}\n" for number, line in enumerate(CUPS.splitlines(), start=1))
    assert read(tmp_path / "q.csv", HEAD + rows) == READ
    # A comma in each question makes one cell more, too; no column moves then.
    split = CUPS.replace("Which cup", "Here,which cup")
    with pytest.raises(DataError, match="9 cells where there are 8 columns"):
        read(tmp_path / "q.csv", HEAD + split)


@pytest.mark.parametrize(
    ("head", "keys"),
    [
        ("Nr.,Bild,Frage,Antwort A,Antwort B,Antwort C,Antwort D,Richtige Antwort", "CA"),
        ("id,imagen,pregunta,opción_a,opción_b,opción_c,opción_d,respuesta correcta", "CA"),
        ("n°,image,question posée,Réponse A,Réponse B,Réponse C,Réponse D,Bonne réponse", "CA"),
        ("número,imagem,pergunta,opção 1,opção 2,opção 3,opção 4,gabarito", "31"),
        ("numero,immagine,domanda,opzione a,opzione b,opzione c,opzione d,risposta corretta", "CA"),
        ("№,изображение,вопрос,А,Б,В,Г,ответ", "ВА"),
        ("№,картинка,вопрос,Вариант А,Вариант Б,Вариант В,Вариант Г,Правильный ответ", "ва"),
        ("序号,图片,问题,选项A,选项B,选项C,选项D,答案", "CA"),
        ("番号,画像,問題,選択肢ア,選択肢イ,選択肢ウ,選択肢エ,正解", "ウア"),
        ("번호,이미지,질문,보기1,보기2,보기3,보기4,정답", "31"),
    ],
)
def test_names_in_other_languages_are_known_with_the_letters_of_their_keys(
    tmp_path: Path, head: str, keys: str
) -> None:
    lines = CUPS.splitlines()
    rows = "".join(f"{line[:-1]}{key}\n" for line, key in zip(lines, keys, strict=True))
    more = "q3,3.png,Which cup is old?,Red,Blue,Green,Grey," + {"3": "4"}.get(keys[0], keys[0]) + "\n"
    assert read(tmp_path / "q.csv", f"{head}\n{rows}{more}")[:2] == READ


def test_a_latin_letter_is_no_cyrillic_option_that_looks_like_it(tmp_path: Path) -> None:
    head = "id,изображение,вопрос,А,Б,В,Г,ответ\n"
    came = read(tmp_path / "q.csv", head + CUPS.replace(",C\n", ",B\n").replace(",A\n", ",В\n"))
    assert [answer for _, _, answer in came] == [None, 2]


def test_text_of_excel_on_a_macintosh_is_read_and_told(tmp_path: Path) -> None:
    text = "id;image;question;A;B;answer\rq1;1.png;Où est la clé de la fenêtre ?;Très haut;À gauche;A\r"
    came = read(tmp_path / "q.csv", text.encode("mac_roman"))
    assert came == [("Où est la clé de la fenêtre ?", ("Très haut", "À gauche"), 0)]
    assert "Mac OS Roman" in came.told


def test_options_are_without_what_fills_shorter_rows_and_the_number_is_told(tmp_path: Path) -> None:
    rows = [
        "a,1.png,Open?,Yes,No,NaN,NaN,A", "b,1.png,Which?,Left,Right,Both,NaN,B", "c,1.png,What?,x,y,z,NaN,D",
        "d,1.png,Sign?,+,×,÷,-,A", "e,1.png,On?,Yes,No,-,-,B", "f,1.png,Side?,Left,Right,Both,-,C",
        "g,1.png,Shut?,Yes,No,-,-,C",
    ]  # fmt: skip
    came = read(tmp_path / "q.csv", HEAD + "\n".join(rows))
    assert [(len(options), answer) for _, options, answer in came] == [
        (2, 0), (3, 1), (4, 3), (4, 0), (2, 1), (3, 2), (2, None),
    ]  # fmt: skip
    assert "8 cells at the end of the options" in came.told


def test_one_mark_at_an_end_stays_where_no_row_shows_that_it_fills(tmp_path: Path) -> None:
    came = read(tmp_path / "q.csv", HEAD + "a,1.png,What is 0/0?,0,1,-1,NaN,A\nb,1.png,Which?,x,y,z,w,B\n")
    assert came[0][1] == ("0", "1", "-1", "NaN")


def test_numbers_of_sheets_are_options_as_they_are_shown_and_keys_in_words_still_name_them(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        ["id", "image", "question", "A", "B", "answer"],
        ["a", "1.png", "How full?", 0.25, 0.5, 0.25], ["b", "1.png", "How much?", 1234.5, 12, "$12.00"],
        ["c", "1.png", "What does it show?", 0.1 + 0.2, 2, 2], ["d", "1.png", "When?", date(2024, 3, 5), "never", "never"],
    ]  # fmt: skip
    formats = {"D2": "0%", "E2": "0%", "D3": '"$"#,##0.00', "E3": '"$"#,##0.00', "D5": "dd/mm/yyyy"}
    assert [(options, answer) for _, options, answer in read(tmp_path / "q.xlsx", sheet(*rows, formats=formats))] == [
        (("25%", "50%"), 0), (("$1,234.50", "$12.00"), 1), (("0.3", "2"), 1), (("05/03/2024", "never"), 1),
    ]  # fmt: skip


def test_a_format_that_is_not_known_leaves_the_value_and_is_told(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["image", "question", "A", "B", "answer"], ["1.png", "How much?", 0.5, 0.25, "A"]]
    came = read(tmp_path / "q.xlsx", sheet(*rows, formats={"C2": "# ?/?"}))
    assert came[0][1] == ("0.5", "0.25")
    assert "'# ?/?' are read as their values" in came.told


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (0.125, "0%", "13%"), (-3.5, "0.00;[Red](0.00)", "(3.50)"), (1234567, "#,##0", "1,234,567"), (0, '0;0;"none"', None),
        (1234.5, "#,##0.00 [$€-407]", "1,234.50 €"), (7, "000", "007"), (1500, "0,", None), (0.3, "0.0E+00", None),
        (2, "[>1]0;0", None), (-0.001, "0.00", "0.00"), (2.5, "0", "3"), (float("nan"), "0", None),
        (date(2024, 5, 1), "d mmmm yyyy", "1 May 2024"), (date(2024, 5, 1), "mm-dd-yy", None), (date(2024, 5, 1), "hh:mm", None),
    ],
)  # fmt: skip
def test_number_formats_show_a_value_or_nothing(value: Any, code: str, shown: str | None) -> None:
    assert shown_in(value, code) == shown


def test_texts_that_excel_keeps_as_formulas_are_the_texts_within(tmp_path: Path) -> None:
    came = read(tmp_path / "q.csv", HEAD + 'a,1.png,Which badge?,="007","=""012""",="120",=1+1,A\n')
    assert came == [("Which badge?", ("007", "012", "120", "=1+1"), 0)]
    assert '="007"' in came.told


def test_an_error_leaves_out_the_row_that_uses_it_and_no_other(tmp_path: Path) -> None:
    rows = cells(HEAD.replace("answer", "answer,notes") + CUPS)
    rows[1][8:], rows[2][4] = ["#REF!"], "#N/A"
    came = read(tmp_path / "q.xlsx", sheet(*rows))
    assert came == READ[:1]
    assert "contains the error '#N/A'" in came.left_out["row 3"]


def test_sheets_that_are_splits_are_all_read_and_others_are_named(tmp_path: Path) -> None:
    parts = {"train": cells(HEAD + CUPS), "test": cells(HEAD + CUPS.replace("cup", "jug")), "old": cells(HEAD + CUPS)}
    path = tmp_path / "q.xlsx"
    came = read(path, book(parts))
    assert len(came) == 2
    assert "its sheet 'train' is read, and not 'test', 'old'" in came.told
    came = read(path, book({title: rows for title, rows in parts.items() if title != "old"}))
    assert [row[0] for row in came] == [row[0].replace("cup", word) for word in ("cup", "jug") for row in READ]
    source = open_source(tmp_path)
    assert [entry.question.split for _, entry in source.entries() if not isinstance(entry, RefusedRow) and entry.question] == [
        "train", "train", "test", "test",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (["Cow; Horse; Goat,Horse", "Red; Blue,Blue"], [3, 2]),
        (['"red, green, blue",blue', '"Yes, sir, No, sir, Wait","No, sir"'], [3]),
        (['"red, white, and blue, green",green'], []),
        (["Cow; Horse; Goat,B"], []),
    ],
)
def test_options_in_one_cell_are_parted_where_the_keys_show_it(
    tmp_path: Path, rows: list[str], options: list[int]
) -> None:
    lines = "".join(f"q{number},1.png,Which {number}?,{row}\n" for number, row in enumerate(rows))
    came = read(tmp_path / "q.csv", f"id,image,question,choices,answer\n{lines}")
    assert [len(found) for _, found, _ in came] == options
    assert all(answer is not None for _, _, answer in came)
    assert len(came) + len(came.left_out) == len(rows)


@pytest.mark.parametrize("orient", ["index", "list"])
def test_json_by_columns_is_read_as_rows(tmp_path: Path, orient: str) -> None:
    names, *rows = cells(HEAD + CUPS)
    by_name = {str(name): [row[place] for row in rows] for place, name in enumerate(names)}
    columns: dict[str, Any] = dict(by_name)
    if orient == "index":
        columns = {name: {str(index): value for index, value in enumerate(values)} for name, values in by_name.items()}
    assert read(tmp_path / "q.json", json.dumps(columns)) == READ


def test_an_open_document_shows_percents_and_dates_and_leaves_out_rows_with_errors(tmp_path: Path) -> None:
    def row(*made: str) -> str:
        return f"<table:table-row>{''.join(made)}</table:table-row>"

    def cell(text: str, stated: str = 'office:value-type="string"') -> str:
        return f"<table:table-cell {stated}><text:p>{text}</text:p></table:table-cell>"

    percent = 'office:value-type="percentage" office:value="0.25"'
    error = 'table:formula="of:=1/0" calcext:value-type="error" xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
    rows = [
        row(*map(cell, ("image", "question", "A", "B", "answer", "notes"))),
        row(cell("1.png"), cell("How full?"), cell("25%", percent), cell("half"), cell("A"), cell("#DIV/0!", error)),
        row(cell("1.png"), cell("How old?"), cell("new"), cell("#DIV/0!", error), cell("A")),
    ]
    names = " ".join(f'xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for n in ("office", "table", "text"))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(
            "content.xml",
            f"<office:document-content {names}><office:body><office:spreadsheet><table:table>{''.join(rows)}"
            "</table:table></office:spreadsheet></office:body></office:document-content>",
        )
    came = read(tmp_path / "q.ods", out.getvalue())
    assert came == [("How full?", ("25%", "half"), 0)]
    assert "contains the error '#DIV/0!'" in came.left_out["row 3"]
