"""A file of predictions is judged by columns as it is item by item: equal files, equal figures, equal errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from handmade_bench import Bench

from benchwright.errors import DataError
from benchwright.evaluation.backends.prediction_columns import prediction_columns
from benchwright.evaluation.backends.predictions import PredictionsFile
from benchwright.evaluation.results.judged_predictions import attempt_of
from benchwright.evaluation.results.score import PREDICTIONS_FILE, SCORE_FILE
from benchwright.evaluation.run import evaluate
from benchwright.release import Release

Rows = list[dict[str, Any]]


class RowByRow(PredictionsFile):
    """The same file, judged item by item."""

    is_plain = False


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    bench = Bench()
    for number in range(12):
        bench.add(
            f"What is in picture {number}?", options=("cat", "dog", "bird")[: 2 + number % 2],
            attributes={"source_id": f"q{number}"} if number % 3 else {}, task=f"task_{number % 2}",
            split="dev" if number < 8 else "test", group_keys=(f"scene:{number // 3}",),
            **({"answer": None, "refusal": "B"} if number == 5 else {"answer": "AB"[number % 2]}),
        )  # fmt: skip
    return bench.release(tmp_path_factory.mktemp("given") / "release")


def _ids(release: Release) -> list[str]:
    return [released.item.item_id for released in release.items()]


def _outcome(release: Release, file: PredictionsFile, out: Path, **settings: Any) -> Any:
    """Return what scoring leaves: the bytes of its files, or the error."""
    try:
        evaluate(release, file, out=out, **settings)
    except DataError as error:
        return str(error)
    return {path.name: path.read_bytes() for name in (PREDICTIONS_FILE, SCORE_FILE) for path in out.glob(f"*/{name}")}


def _both(release: Release, path: Path, tmp_path: Path, **settings: Any) -> Any:
    """Return the outcome by columns, which is that item by item."""
    by_columns = _outcome(release, PredictionsFile(path), tmp_path / "columns", **settings)
    assert by_columns == _outcome(release, RowByRow(path), tmp_path / "rows", **settings)
    return by_columns


_SAID = [
    "A",
    "B",
    "",
    None,
    "The answer is (B).",
    "b",
    "I cannot answer that.",
    "\ud800 (A)",
    "A and B",
    "(A)",
    "é",
    "B",
]


@pytest.mark.parametrize(
    ("given", "settings"),
    [
        ("letters", {"reader": "ii-bench"}), ("replies", {}), ("both", {}), ("both", {"split": "test"}),
        ("both", {"reader": "ii-bench"}), ("by_source_id", {}), ("csv", {}),
    ],
    ids=str,
)  # fmt: skip
def test_rows_and_figures_are_those_of_judging_item_by_item(
    release: Release, given: str, settings: dict[str, Any], tmp_path: Path,
    predictions_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("benchwright.evaluation.results.judged_predictions.ROWS_PER_GROUP", 3)
    ids = _ids(release)
    letters = [{"item_id": item_id, "answer": "AB"[n % 3 == 0]} for n, item_id in enumerate(ids)]
    replies: Rows = [{"item_id": item_id, "reply": said} for item_id, said in zip(ids, _SAID, strict=True)]
    called = [released.item.attributes.get("source_id") for released in release.items()]
    own: Rows = [
        {"source_id": name, "answer": "A", "release_id": ""} if name else row
        for name, row in zip(called, replies, strict=True)
    ]
    kinds: dict[str, Rows] = {
        "letters": letters[::-1], "replies": replies, "by_source_id": own, "csv": letters,
        "both": [row for pair in zip(letters[::2], replies[1::2], strict=True) for row in pair],
    }  # fmt: skip
    path = predictions_file(kinds[given])
    if given == "csv":
        path = path.with_suffix(".csv")
        path.write_text("item_id,answer\n" + "".join(f"{row['item_id']},{row['answer']}\n" for row in letters))
    outcome = _both(release, path, tmp_path, **settings)
    assert set(outcome) == {PREDICTIONS_FILE, SCORE_FILE}


@pytest.mark.parametrize("said", ["b", "(b)", "dog", "Dog.", "B: dog", " b "])
def test_a_small_letter_and_the_words_of_an_option_are_its_letter(
    release: Release, predictions_file: Callable[..., Path], said: str
) -> None:
    path = predictions_file([{"item_id": item_id, "answer": said} for item_id in _ids(release)])
    score = evaluate(release, PredictionsFile(path))
    assert (score.ended["answered"], score.right_items) == (12, 6)  # every other key is B


def test_letters_alone_are_read_without_a_row_of_python(
    release: Release, predictions_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = predictions_file([{"item_id": item_id, "answer": "A"} for item_id in _ids(release)])
    monkeypatch.setattr("benchwright.evaluation.backends.predictions.json_lines", pytest.fail)
    monkeypatch.setattr("benchwright.evaluation.given_predictions.attempt_of", pytest.fail)
    assert evaluate(release, PredictionsFile(path)).asked == 12


def test_equal_replies_to_equal_options_are_judged_once(
    release: Release, predictions_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = predictions_file([{"item_id": item_id, "reply": "It is (B)."} for item_id in _ids(release)])
    judged: list[str] = []

    def once(item: Any, *others: Any) -> Any:
        judged.append(" ".join(str(option.text) for option in item.choices))
        return attempt_of(item, *others)

    monkeypatch.setattr("benchwright.evaluation.backends.predictions.json_lines", pytest.fail)
    monkeypatch.setattr("benchwright.evaluation.given_predictions.attempt_of", once)
    assert evaluate(release, PredictionsFile(path), split="dev").asked == 8
    assert sorted(judged) == ["cat dog", "cat dog bird"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: rows.pop(3), "no prediction for 1 of the items"),
        (lambda rows: rows.append(dict(rows[4])), "line 13: item .* already has a prediction in line 5"),
        (lambda rows: rows.append({"item_id": "f" * 32, "answer": "A"}), "line 13: item f* is missing from release"),
        (lambda rows: rows.append({"item_id": "no", "answer": "A"}), "line 13: item_id is 'no', neither 32"),
        (lambda rows: rows[6].update(answer="D"), "line 7: answer 'D' is not among the options A, B"),
        (lambda rows: rows[6].update(answer="\ud800"), "line 7: answer '.ud800' is not among the options"),
        (lambda rows: rows[6].update(answer=3), "line 7: answer is 3, not a text"),
        (lambda rows: rows[6].update(reply="A"), "line 7: give either reply or answer"),
        (lambda rows: rows[6].update(release_id="0" * 64), "line 7: this prediction is for release"),
        # Of two faults, the first to be met is reported.
        (lambda rows: (rows[6].update(answer="D"), rows.pop(3)), "no prediction for 1 of"),
        (lambda rows: (rows[3].update(answer="D"), rows.pop(6)), "line 4: answer 'D'"),
        (
            lambda rows: (rows.insert(2, dict(rows[0])), rows[5].update(answer=3)),
            "line 3: item .* already has a prediction in line 1",
        ),
        (lambda rows: (rows.append(dict(rows[0])), rows[5].update(answer=3)), "line 6: answer is 3"),
        (lambda rows: [row.update(item_id=f"{n:032d}") for n, row in enumerate(rows)], "none of its 12 item ids"),
    ],
)
def test_faults_are_named_as_when_judged_item_by_item(
    release: Release, change: Callable[[Rows], object], words: str, tmp_path: Path,
    predictions_file: Callable[..., Path],
) -> None:  # fmt: skip
    rows: Rows = [{"item_id": item_id, "answer": "A"} for item_id in _ids(release)]
    change(rows)
    with pytest.raises(DataError, match=words):
        raise DataError(_both(release, predictions_file(rows), tmp_path))


_ROW = '{"item_id": "' + "a" * 32 + '", "answer": "A"}'
_REPLY = '{"reply": "So {A}.", "item_id": "' + "b" * 32 + '"}'


@pytest.mark.parametrize(
    "text",
    [
        _ROW, _ROW + "\r\n" + _ROW.replace("aa", "bb") + "\n", _ROW.replace('"A"', r'"\u0041"'),
        _REPLY + "\n" + _REPLY.replace("So {A}.", "") + "\n" + _REPLY,
    ],
)  # fmt: skip
def test_lines_of_plain_letters_or_replies_are_columns(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchwright.evaluation.backends.prediction_columns._PIECE_BYTES", 100)
    path = tmp_path / "p.jsonl"
    path.write_text(text)
    table = prediction_columns(path)
    assert table is not None
    rows = [json.loads(line) for line in text.splitlines()]
    assert table.column("item_id").to_pylist() == [row["item_id"] for row in rows]
    assert table.column("line").to_pylist() == list(range(1, len(rows) + 1))
    said = [row.get("answer", row.get("reply")) for row in rows]
    assert [text.decode() for text in table.column("text").to_pylist()] == said


@pytest.mark.parametrize(
    "text",
    [
        "", "\n", "{", _ROW + "\n\n", _ROW + _ROW + "\n\n", "\ufeff" + _ROW, _ROW + "]", _ROW + "\n,", f"[{_ROW}]",
        _ROW.replace("}", ', "answer": "B"}'), _ROW.replace("}", "\n}"), _ROW.replace('"A"', "null"),
        _ROW.replace('"A"', "1"), _ROW.replace('"A"', '"AB"'), _ROW.replace('"A"', r'"\ud800"'),
        _ROW.replace('"A"', '"A" // c'), _ROW.replace("}", ', "model": "m"}'), f"{_ROW}\n{_REPLY}",
        f"{_REPLY}\n{_ROW}", _REPLY.replace('"So {A}."', "null"), _REPLY + "{}", _REPLY + "\n{}",
        _ROW.replace("a" * 32, "a" * 31), _ROW.replace("a" * 32, "a" * 32 + r"\n"), _ROW + "\x00",
        _ROW + " " * (1 << 17),
    ],
)  # fmt: skip
def test_whatever_is_not_plain_is_left_to_the_reader_of_rows(tmp_path: Path, text: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(text, encoding="utf-8")
    assert prediction_columns(path) is None
