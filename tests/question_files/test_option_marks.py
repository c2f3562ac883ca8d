"""Marks before options: removed if nearly all rows of a source have them, otherwise kept; keys stay the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from dataset_fixtures.pictures import save

from benchwright.errors import DataError
from benchwright.question_files.item_check import read_questions

Row = tuple[Sequence[str], str]


def _read(folder: Path, rows: Sequence[Row], *, as_columns: bool = False) -> list[tuple[list[str], str | None]]:
    """Return for each row its options and the words of its key."""
    save(folder / "1.png", 1, 12, 10)
    entries = []
    for number, (options, key) in enumerate(rows):
        cells = dict(zip(("Choice A", "Choice B", "Choice C"), options, strict=False))
        entry = {"id": f"q{number}", "image": "1.png", "question": f"Nr {number}?", "answer": key}
        entries.append(entry | (cells if as_columns else {"options": list(options)}))
    (folder / "q.json").write_text(json.dumps(entries))
    with read_questions(folder) as read:
        questions = [entry.question for entry in read.index.questions()]
    return [([*map(str, q.options)], None if q.answer is None else str(q.options[q.answer])) for q in questions]


STRIPPED = {
    "colon": ([([" A:a mast ", " B:an oar ", " C:B "], " an oar"), ([" A:7 ", " B:2 ", " C:1 "], " 7")], ["an oar", "7"]),
    "brackets": ([(["(A) ash", "(B) elm"], "B"), (["(A) B", "(B) A"], "A")], ["elm", "B"]),
    "full width": ([(["（A）猫", "（B）狗"], "B"), (["A、猫", "B、狗"], "A")], ["狗", "猫"]),
    "key with its mark": ([(["a) 3", "b) 1"], "b) 1"), (["a) red", "b) b"], "a) red")], ["1", "red"]),
    "numbers": ([(["1. 2", "2. 3", "3. 1"], "3"), (["1) ash", "2) elm", "3) oak"], "1")], ["1", "ash"]),
}  # fmt: skip


@pytest.mark.parametrize("as_columns", [False, True])
@pytest.mark.parametrize("name", [n for n in STRIPPED if n != "numbers"])
def test_marks_of_all_rows_are_no_words_of_the_options(name: str, as_columns: bool, tmp_path: Path) -> None:
    rows, keys = STRIPPED[name]
    read = _read(tmp_path, rows, as_columns=as_columns)
    assert [key for _, key in read] == keys
    assert not any(option[0] in "(（ " or option[1:2] in list(":.)、") for options, _ in read for option in options)


def test_numbers_before_options_are_marks_and_keys(tmp_path: Path) -> None:
    rows, keys = STRIPPED["numbers"]
    assert _read(tmp_path, rows) == [(["2", "3", "1"], keys[0]), (["ash", "elm", "oak"], keys[1])]


KEPT = {
    "decimals and times": [(["1.5", "2.5"], "A"), (["1:30", "2:30"], "B")],
    "short forms": [(["A.D.", "B.C."], "A"), (["A.M.", "P.M."], "B")],
    "one row of several": [(["A. Smith", "B. Jones"], "A"), (["ash", "elm"], "B"), (["oak", "fir"], "B")],
    "another order": [(["B. dog", "A. cat"], "A"), (["B. ox", "A. ewe"], "B")],
    "letters alone": [(["A", "B"], "A"), (["A.", "B."], "B")],
}  # fmt: skip


@pytest.mark.parametrize("first", [0, 1])
def test_keys_that_fit_the_numbers_of_options_and_another_base_are_refused(first: int, tmp_path: Path) -> None:
    options = [f"{first + n}) {word}" for n, word in enumerate(("ash", "elm", "oak"))]
    with pytest.raises(DataError, match="can be read in 2 ways"):
        _read(tmp_path, [(options, "1"), (options, "2")])


@pytest.mark.parametrize("name", KEPT)
def test_what_only_looks_like_marks_stays(name: str, tmp_path: Path) -> None:
    assert [options for options, _ in _read(tmp_path, KEPT[name])] == [options for options, _ in KEPT[name]]


def test_it_is_told_that_marks_were_left_out(tmp_path: Path) -> None:
    _read(tmp_path, STRIPPED["brackets"][0])
    with read_questions(tmp_path) as read:
        assert any("begin with marks" in note.note for note in read.notes)
