"""Models are named on the command line; baselines are reproducible; a file of predictions must fit the release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import BenchwrightError, DataError
from benchwright.evaluation.backends.base import BackendContext, parse_model
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.prompting.question import Question
from benchwright.evaluation.run import evaluate
from benchwright.records import LETTERS, Choice


def questions(count: int, *, options: int = 3) -> list[Question]:
    choices = tuple(Choice(key=key, text=f"option {key}") for key in LETTERS[:options])
    return [Question(f"{k:032x}", "naming", "Which?", (), choices) for k in range(count)]


def replies(model: str, questions_asked: list[Question], content_id: str = "c" * 64) -> list[str | None]:
    context = BackendContext(
        release_id="r" * 64, content_id=content_id, item_ids=lambda: frozenset(q.item_id for q in questions_asked)
    )
    return [reply.text for reply in parse_model(model).answer(questions_asked, context)]


def test_random_draws_every_letter_about_as_often() -> None:
    counts = Counter(replies("random", questions(3000)))
    assert set(counts) == {"(A)", "(B)", "(C)"}
    # Three standard deviations of a binomial count with p = 1/3, n = 3000 are 77.
    assert all(abs(count - 1000) < 78 for count in counts.values())


def test_random_repeats_itself_on_a_release_and_differs_on_another() -> None:
    questions_asked = questions(200)
    assert replies("random", questions_asked) == replies("random", questions_asked[::-1])[::-1]
    assert replies("random", questions_asked) != replies("random", questions_asked, content_id="d" * 64)


def test_constant_always_says_its_letter() -> None:
    assert replies("constant:C", questions(2)) == ["(C)", "(C)"]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("randum", "did you mean 'random'"),
        ("", "there is no backend named ''"),
        ("random:7", "takes no argument"),
        ("constant", "one capital letter"),
        ("constant:b", "one capital letter"),
        ("constant:AB", "one capital letter"),
        ("edge_continuity:x", "takes no argument"),
        ("local_features:x", "takes no argument"),
        ("predictions", "is not a file"),
        ("predictions:nowhere.jsonl", "'nowhere.jsonl' is not a file"),
        ("openai", "needs a model's name"),
    ],
)
def test_a_wrong_model_name_says_what_to_write(model: str, words: str) -> None:
    with pytest.raises(BenchwrightError, match=words):
        parse_model(model, BackendOptions())


Write = Callable[..., Path]


def test_predictions_are_read_as_replies_or_taken_as_letters(
    bench: Any, tmp_path: Path, predictions_file: Write
) -> None:
    items = [bench.add(f"q{k}", answer="B") for k in range(5)]
    release = bench.release(tmp_path / "release")
    values = [{"reply": "I think it is (B)."}, {"answer": "B"}, {"reply": ""}, {"answer": None}, {"reply": "the dog"}]
    rows = [{"item_id": item.item_id, **value} for item, value in zip(items, values, strict=True)]
    score = evaluate(release, f"predictions:{predictions_file(rows)}")
    assert score.model == "predictions:predictions.jsonl"
    assert score.metrics["accuracy"].value == pytest.approx(3 / 5)
    assert (score.miss, score.error) == (2, 0)


def test_predictions_in_csv_give_the_same_score_as_in_json_lines(
    bench: Any, tmp_path: Path, predictions_file: Write
) -> None:
    items = [bench.add(f"q{k}", answer="B") for k in range(3)]
    release = bench.release(tmp_path / "release")
    texts = ["(B), because\nof the fur", 'The answer is "B"', "A"]
    rows = [{"item_id": item.item_id, "reply": text} for item, text in zip(items, texts, strict=True)]
    table = tmp_path / "predictions.csv"
    cells = [f'{row["item_id"]},"{row["reply"].replace(chr(34), chr(34) * 2)}",x' for row in rows]
    table.write_text("\ufeffitem_id,reply,note\r\n" + "\r\n".join(cells) + "\r\n", encoding="utf-8")
    from_csv, from_json = (evaluate(release, f"predictions:{path}") for path in (table, predictions_file(rows)))
    assert from_csv.metrics == from_json.metrics
    assert from_csv.metrics["accuracy"].value == pytest.approx(2 / 3)


def test_predictions_for_other_splits_may_stand_in_the_file(
    bench: Any, tmp_path: Path, predictions_file: Write
) -> None:
    items = [bench.add(f"q{k}", answer="B", split="dev" if k else "test") for k in range(3)]
    release = bench.release(tmp_path / "release")
    path = predictions_file([{"item_id": item.item_id, "answer": "B"} for item in items])
    assert evaluate(release, f"predictions:{path}", split="dev").asked == 2


GOOD = '{"item_id": "%s", "reply": "B"}'


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        pytest.param([GOOD, "{'item_id'"], "line 2: no JSON", id="not JSON"),
        pytest.param([GOOD, "", "[1]"], r"line 3: \[1\] is not an object", id="not an object, after a blank line"),
        pytest.param([GOOD, "[" * 100_000], "line 2: no JSON: it is nested too deeply", id="deeply nested"),
        pytest.param([GOOD, "\xff"], "line 2: no JSON", id="not UTF-8"),
        pytest.param([GOOD, GOOD], "line 2: item %s already has a prediction in line 1", id="repeated"),
        pytest.param([GOOD], "no prediction for 1 of the items asked", id="missing"),
        pytest.param([GOOD, '{"item_id": "%s", "reply": "B"}' % ("0" * 32)], "line 2: item 0{32} is missing from", id="unknown"),
        pytest.param(['{"item_id": "%s", "reply": "B"}' % ("0" * 32)], "has none of its", id="all unknown"),
        pytest.param(['{"item_id": "x", "reply": "B"}'], "line 1: item_id is 'x'", id="malformed id"),
        pytest.param(['{"reply": "B"}'], "line 1: item_id is None", id="no id"),
        pytest.param(['{"item_id": "%s"}'], "line 1: give either reply or answer; found neither", id="no reply"),
        pytest.param(
            ['{"item_id": "%s", "reply": "B", "answer": "B"}'], "found reply and answer", id="reply and answer"
        ),
        pytest.param(['{"item_id": "%s", "reply": 2}'], "line 1: reply is 2, not a text", id="a number"),
        pytest.param(['{"item_id": "%s", "reply": "A", "reply": "B"}'], "'reply' occurs twice", id="a key twice"),
        pytest.param(
            ['{"item_id": "%s", "answer": "D"}'], "line 1: answer 'D' is not among the options A, B, C", id="no option"
        ),
        pytest.param(
            ['{"item_id": "%s", "reply": "B", "release_id": "abc"}'], "line 1: this prediction is for release 'abc'",
            id="of another release",
        ),
    ],
)  # fmt: skip
def test_a_file_that_does_not_fit_is_refused_with_file_and_line(
    bench: Any, tmp_path: Path, lines: list[str], words: str
) -> None:
    item_id = bench.add("first").item_id
    if words.startswith("no prediction"):
        bench.add("second")
    path = tmp_path / "replies.jsonl"
    path.write_bytes("\n".join(line.replace("%s", item_id) for line in lines).encode("latin-1"))
    with pytest.raises(DataError, match=words.replace("%s", item_id)) as raised:
        evaluate(bench.release(tmp_path / "release"), f"predictions:{path}", out=tmp_path / "out")
    assert str(path) in str(raised.value)
    assert not list((tmp_path / "out").rglob("*.parquet"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("", "is empty; its first line needs item_id", id="empty"),
        pytest.param("id,reply\n", "needs item_id", id="no id column"),
        pytest.param("item_id,item_id,reply\n", "each once", id="a column twice"),
        pytest.param("item_id,note\n%s,x\n", "found neither", id="no reply column"),
        pytest.param("item_id,reply\n%s,a,b\n", "line 2: 3 cells where there are 2 columns", id="too many cells"),
        pytest.param('item_id,reply\n%s,"open\n', "line 2: no CSV", id="an open quote"),
    ],
)
def test_a_csv_file_that_does_not_fit_is_refused(bench: Any, tmp_path: Path, text: str, words: str) -> None:
    item_id = bench.add("first").item_id
    path = tmp_path / "replies.csv"
    path.write_text(text.replace("%s", item_id))
    with pytest.raises(DataError, match=words):
        evaluate(bench.release(tmp_path / "release"), f"predictions:{path}")


def test_a_file_of_another_kind_is_not_guessed_at(tmp_path: Path) -> None:
    path = tmp_path / "predictions.pdf"
    path.write_bytes(b"%PDF")
    with pytest.raises(DataError, match=r"\.csv.*\.jsonl"):
        parse_model(f"predictions:{path}")
