"""One reading of keys for a whole source: chosen from all rows of all files, reported, and refused if two readings fit.

- Each reading by a source that shows it, also where the options are letters or numbers themselves.
- Files with the same columns are read together: a file in which no key shows the base has that of the others.
- For an ambiguous source, the message names both readings, an example and the setting that decides.
- A row that needs a reading other than the chosen one is left out and named; words are read as texts next to other
  keys.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchwright.errors import DataError
from benchwright.question_files.item_check import check_items, read_questions

WORDS = ["cat", "dog", "cow", "fox"]
Rows = Sequence[tuple[Any, Any]]
"""Options and key of each row."""


def _write(path: Path, rows: Rows, first: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    documents = [
        {"id": f"{path.stem}{n}", "question": f"Which is number {n}?", "options": options, "answer": key}
        for n, (options, key) in enumerate(rows, start=first)
    ]
    path.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")


def _answers(source: Path, **mapping: Any) -> tuple[list[str | None], str | None]:
    """Return the letter of the right option of each row, in order, None for a row left out; and the reading."""
    with read_questions(source, mapping=mapping) as read:
        answers = [
            None
            if row.question is None or row.question.question.answer is None
            else "ABCDEFGHIJ"[row.question.question.answer]
            for row in read.index.rows()
        ]
        return answers, read.keys[0].reading if read.keys else None


SOURCES: list[Any] = [
    pytest.param([(WORDS, key) for key in ("B", "(c)", "D.", "Option A", "b", "[B]")], "BCDABB", "letters", id="letters"),
    pytest.param([(WORDS, "A. cat"), (WORDS, "B) dog"), (WORDS, "C")], "ABC", "letters", id="letters with words"),
    pytest.param([(WORDS, 0), (WORDS, 2.0), (WORDS, "3"), (["1", "2", "3", "4"], 2)], "ACDC", "from_0", id="from 0"),
    pytest.param([(WORDS, 4), (WORDS, "1"), (WORDS, "2)"), (["3", "2", "1", "4"], 3)], "DABC", "from_1", id="from 1"),
    pytest.param([(WORDS, "Dog."), (WORDS, "fox"), (["x", "B", "A", "C"], "A")], "BDC", "text", id="texts"),
    pytest.param([(["B", "A"], "B"), (["A", "B", "AB", "O"], "AB"), (["O", "AB", "A"], "O")], "ACA", "text", id="blood groups"),
    pytest.param([(["3", "5", "7"], 7), (["2", "4", "6"], 4), (["10", "0", "5"], 10)], "CBA", "text", id="counts"),
    pytest.param([(["B", "A", "C"], "C")] + [(WORDS, "D")] * 4, "CDDDD", "letters", id="letters beside options that are letters"),
    pytest.param([({"1": "cat", "2": "dog"}, 1), ({"A": "cat", "B": "dog"}, "B")], "AB", "labels", id="labels of two kinds"),
    pytest.param([(["B. dog", "A. cat"], "A"), (["A. cat", "B. dog"], "B")], "BB", "letters", id="letters that stand in the options"),
    pytest.param([("A. cat B. dog C. cow", "C"), ("(a) cat (b) dog (c) cow", "(b)")], "CB", "letters", id="options in one cell"),
    pytest.param([("1) cat 2) dog 3) cow", 3), ("1) cat 2) dog 3) cow", 1)], "CA", "from_1", id="numbered options in one cell"),
    pytest.param([(["2. dog", "1. cat"], 1), (["1. cat", "3. cow", "2. dog"], 3)], "BB", "labels", id="numbers that stand in the options"),
    pytest.param([(WORDS, ["B"]), (WORDS, "['D']"), (["BAD", "CAB", "A"], "B")], "BDB", "letters", id="lists of one key"),
    pytest.param([(["Bad", "Cab", "Dab"], "Cab"), (["BED", "BAD", "CAB"], "BAD"), (WORDS, "cow")], "BBC", "text", id="words of letters"),
    pytest.param([(["Yes", "No"], True), (["No", "Yes"], True), (["no", "yes"], False)], "ABA", "yes_no", id="true is yes"),
    pytest.param([(["Yes", "No"], "yes"), (["No", "Yes"], "Yes.")], "AB", "text", id="yes in words"),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "right", "reading"), SOURCES)
def test_one_reading_fits_the_source(rows: Rows, right: str, reading: str, tmp_path: Path) -> None:
    _write(tmp_path / "q.jsonl", rows)
    assert _answers(tmp_path) == ([*right], reading)


@pytest.mark.parametrize("layout", ["{0}.jsonl", "{0}/data.jsonl", "test-0000{0}-of-00003.jsonl"])
def test_files_with_the_same_columns_are_read_together(layout: str, tmp_path: Path) -> None:
    """No key of the first two files is 0 or 4, so that alone they would tell no base."""
    for number, keys in enumerate([(1, 2, 1), (3, 2), (0, 3, 1)]):
        _write(tmp_path / layout.format(number), [(WORDS, key) for key in keys], first=10 * number)
    assert _answers(tmp_path) == ([*"BCBDCADB"], "from_0")


def test_shards_of_parquet_are_read_together_and_their_pictures_once(tmp_path: Path) -> None:
    for number, keys in enumerate([(1, 2), (0, 3)]):
        rows = [{"id": f"{number}{key}", "question": "?", "options": WORDS, "answer": key,
                 "image": {"bytes": b"x", "path": None}} for key in keys]  # fmt: skip
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / f"test-{number}.parquet")
    assert _answers(tmp_path)[0] == [*"BCAD"]


AMBIGUOUS: list[Any] = [
    pytest.param([(WORDS, 1), (WORDS, 2)], ("from_0", "from_1"), ("B", "A"), id="no key shows the base"),
    pytest.param([(["B", "A"], "A"), (["A", "B"], "B")], ("letters", "text"), ("A", "B"), id="options are letters"),
    pytest.param([(["2", "3", "1", "4"], "1"), (["1", "3", "2", "4"], "3")], ("from_1", "text"), ("A", "C"), id="options are numbers"),
    pytest.param([(["2", "3", "1", "4"], "1"), (["3", "3", "1"], "3")], ("from_1", "text"), ("A", "C"), id="a number stands twice"),
    pytest.param([(["1. cat", "2. dog", "3. cow"], 1)] * 2, ("labels", "from_0"), ("A", "B"), id="numbers that stand in the options"),
    pytest.param([(["Yes", "No"], 1), (["Yes", "No"], 0)], ("from_0", "yes_no"), ("B", "A"), id="1 is yes, or the second"),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "readings", "first"), AMBIGUOUS)
def test_two_readings_that_fit_are_refused_until_one_is_stated(
    rows: Rows, readings: tuple[str, str], first: tuple[str, str], tmp_path: Path
) -> None:
    _write(tmp_path / "q.jsonl", rows)
    with pytest.raises(DataError) as refused, read_questions(tmp_path):
        pass
    for reading in readings:
        assert f"--column keys={reading}" in str(refused.value)
    assert "q.jsonl, line 1 (q0): the key" in str(refused.value)
    assert [_answers(tmp_path, keys=reading)[0][0] for reading in readings] == [*first]


def test_a_file_that_counts_otherwise_than_the_rest_is_refused_by_name(tmp_path: Path) -> None:
    _write(tmp_path / "dev.jsonl", [(WORDS, key) for key in (1, 4, 2, 3)])
    _write(tmp_path / "test.jsonl", [(WORDS, key % 4) for key in range(400)])
    with pytest.raises(DataError, match=r"dev\.jsonl: its keys .* fit as numbers from 1 .*4 of 4 keys.* better"):
        _answers(tmp_path)
    (tmp_path / "columns.yaml").write_text(
        "format: benchwright/columns\nversion: 1\nfiles: {dev*: {keys: from_1}, test*: {keys: from_0}}\n"
    )
    with read_questions(tmp_path, columns=tmp_path / "columns.yaml") as read:
        assert [q.question.answer for q in read.index.questions()][:5] == [0, 3, 1, 2, 0]


def test_rows_under_another_reading_are_left_out_by_name_and_words_are_read(tmp_path: Path) -> None:
    _write(
        tmp_path / "q.jsonl", [(WORDS, "A"), (WORDS, "2"), (WORDS, "fox"), (WORDS, "None"), (WORDS, "K"), (WORDS, "C")]
    )
    document = check_items(tmp_path)
    [table] = document["keys"]
    assert (table["reading"], table["in_words"], table["other_reading"]) == ("letters", 1, 1)
    with read_questions(tmp_path) as read:
        assert [row.question and row.question.question.answer for row in read.index.rows()] == [
            0,
            None,
            3,
            None,
            None,
            2,
        ]
        left = {
            row.position: (row.reason, row.detail)
            for row in read.index.rows()
            if row.reason not in ("no_picture", None)
        }
    assert {place: reason for place, (reason, _) in left.items()} == {
        1: "other_reading",
        3: "no_key",
        4: "key_not_an_option",
    }
    assert "it is C as one of numbers from 0, B as one of numbers from 1" in left[1][1]
    assert "--column keys=from_0 or --column keys=from_1" in left[1][1]


def test_the_table_says_how_well_each_reading_fits_and_names_rows_that_differ(tmp_path: Path) -> None:
    _write(tmp_path / "q.jsonl", [(WORDS, 0), (WORDS, 3), (["1", "2", "3", "4"], 2)])
    [table] = check_items(tmp_path)["keys"]
    fits = {fit["reading"]: (fit["valid"], fit["differing"], fit["spread"]) for fit in table["readings"]}
    assert fits == {
        "from_0": (3, 0, {"A": 1, "C": 1, "D": 1}), "from_1": (2, 2, {"B": 1, "C": 1}), "text": (1, 1, {"B": 1}),
    }  # fmt: skip
    [row] = table["differing"]
    assert (row["entry"], row["options"]) == ("line 3", {"from_0": "C", "from_1": "B", "text": "B"})


def test_choices_of_label_studio_are_words_or_their_aliases_and_never_letters(tmp_path: Path) -> None:
    (tmp_path / "config.xml").write_text(
        '<View><Image name="img" value="$image"/><Header value="Who?"/><Choices name="c" toName="img">'
        '<Choice value="Girl" alias="7"/><Choice value="Boy" alias="B"/><Choice value="Dog" alias="a"/></Choices></View>'
    )
    tasks = [
        {"id": n, "data": {"image": "p.png"}, "annotations": [{"result": [
            {"from_name": "c", "to_name": "img", "type": "choices", "value": {"choices": [choice]}}]}]}
        for n, choice in enumerate(["7", "B", "a", "Girl"])
    ]  # fmt: skip
    (tmp_path / "export.json").write_text(json.dumps(tasks))
    assert _answers(tmp_path)[0] == [*"ABCA"]


def test_a_key_in_brackets_that_is_an_option_is_that_option_and_no_list_of_keys(tmp_path: Path) -> None:
    rows = [(["[0, 2]", "[3, 2]", "[2, 4]", "[-3, 4]"], "[0, 2]"), (WORDS, "cow"), (WORDS, "fox")]
    _write(tmp_path / "ranges.jsonl", rows)
    assert _answers(tmp_path / "ranges.jsonl")[0] == ["A", "C", "D"]
