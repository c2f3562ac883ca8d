"""`review agreement --ratings`: valid CSV files of ratings, and the messages for hostile ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchwright.annotation.agreement.rating_file import read_ratings
from benchwright.annotation.agreement.ratings import Rating
from benchwright.annotation.forms.csv_rows import read_rows
from benchwright.errors import DataError

GOOD = [Rating("u1", "ann", "yes"), Rating("u1", "ben", "no")]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"unit,rater,label\nu1,ann,yes\nu1,ben,no\n", id="plain"),
        pytest.param(b"\xef\xbb\xbfunit,rater,label\r\nu1,ann,yes\r\nu1,ben,no", id="byte order mark, CRLF"),
        pytest.param(b"note,Label, rater ,UNIT\nx,yes,ann,u1\n\n\ny, no ,ben, u1\n", id="order, case, spaces"),
        pytest.param(b'"unit","rater","label"\n"u1","ann","yes"\n"u1","ben","no"\n', id="quoted"),
    ],
)
def test_ratings_are_read_as_spreadsheets_write_them(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ratings.csv"
    path.write_bytes(content)
    assert read_ratings(path) == GOOD


def test_a_quoted_label_may_span_lines_and_hold_commas(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text('unit,rater,label\nu1,ann,"yes, of\ncourse"\nu2,ann,no\n')
    assert [rating.label for rating in read_ratings(path)] == ["yes, of\ncourse", "no"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"", "is empty; the first line must name the columns unit, rater, label", id="empty"),
        pytest.param(b"\n\n\n", "is empty", id="only line ends"),
        pytest.param(b"unit,rater,label\n", "contains no ratings, only a header", id="only a header"),
        pytest.param(b"unit,rater\nu1,ann\n", r"line 1: no column 'label' in 'unit', 'rater'", id="no label"),
        pytest.param(b"unit,rater,lable\n", "did you mean 'label' where it says 'lable'", id="misspelt"),
        pytest.param(b"unit,rater,label,unit\nu,a,b,c\n", "column 'unit' appears 2 times", id="column twice"),
        pytest.param(b"unit,rater,label\nu1,ann\n", "line 2: 2 cells where there are 3 columns", id="too few"),
        pytest.param(b"unit,rater,label\nu1,a,b\nu2,a,b,c\n", "line 3: 4 cells where there are 3 columns", id="too many"),
        pytest.param(b"unit,rater,label\nu1,ann,\n", "line 2: label is empty; leave out rows", id="empty label"),
        pytest.param(
            b"unit,rater,label\nu1,ann,yes\nu2,ann,no\nu1,ann,no\n",
            "line 4: rater 'ann' rated unit 'u1' on line 2 already", id="twice",
        ),
        pytest.param(b"unit,rater,label\nu1,ann,ye\0s\n", "line 2: cell 3 holds a null", id="null byte"),
        pytest.param(b"u\0n\0i\0t\0,\0\n", "is not UTF-16 like its beginning .byte 0x0a", id="UTF-16 cut off"),
        pytest.param(b"unit,rater,label\nu1,ann,caf\xe9 \x81\n", "is not UTF-8 .byte 0xe9", id="no known encoding"),
        pytest.param(
            b"unit,rater,label\nu1,ann," + b"x" * 100_000 + b"\n", r"line 2: label 'x{40}'... .100000 char", id="100 kB"
        ),
        pytest.param(b"unit,rater,label\nu1,ann," + b"x" * 2_000 + b"\n", "longer than 1000", id="2 kB"),
        pytest.param(b"unit,rater,label\nu1,ann," + b"x" * 200_000, r"line 2: label 'x{40}'... .200000 char", id="200 kB"),
        pytest.param(b'unit,rater,label\nu1,ann,"yes\nu2,ann,no\n', "no CSV", id="open quote"),
        pytest.param(b'unit,rater,label\nu1,ann,"y"es\n', "line 2: no CSV", id="stray quote"),
        pytest.param(b"x" * 50_000, r"no column 'unit', 'rater', 'label' in 'x{40}'... .50000 characters", id="one long line"),
        pytest.param(bytes(range(256)) * 9, "ratings.csv", id="noise"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_table_of_ratings_is_answered_with_place_and_value(
    tmp_path: Path, content: bytes, words: str
) -> None:
    path = tmp_path / "ratings.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=words) as caught:
        read_ratings(path)
    message = str(caught.value)
    assert str(path) in message
    assert message.isprintable()
    assert len(message) < 600


def test_a_path_that_is_no_file_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    for name, words in (("absent.csv", "is missing"), ("", "is not a file"), ("pipe.csv", "is not a file")):
        with pytest.raises(DataError, match=words):
            read_ratings(tmp_path / name)


def test_a_file_beyond_all_measure_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    with path.open("wb") as handle:
        handle.truncate(300 * 2**20)  # sparse: no disk is used
    with pytest.raises(DataError, match="has 314572800 bytes"):
        read_ratings(path)


def test_a_column_that_is_neither_wanted_nor_ignored_is_answered_with_the_nearest(tmp_path: Path) -> None:
    path = tmp_path / "decisions.csv"
    path.write_text("item_id,decision,raeson\n")
    with pytest.raises(DataError, match="column 'raeson' is unknown; did you mean 'reason'"):
        list(read_rows(path, required=("item_id", "decision"), optional=("reason",), ignored=("question",)))
