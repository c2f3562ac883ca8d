"""A score follows from the replies, states everything on which it depends, and its files are the same every time."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from benchwright.errors import BenchwrightError, CheckFailed, DataError
from benchwright.evaluation import run
from benchwright.evaluation.backends.base import BackendContext, PerQuestion
from benchwright.evaluation.backends.result_names import slug
from benchwright.evaluation.prompting.question import Question, Reply
from benchwright.evaluation.results.score import read_score, read_scores
from benchwright.evaluation.results.summary import drawn, summary_document, summary_table
from benchwright.evaluation.run import evaluate


def fill(bench: Any) -> None:
    """Three namings (B, B, C), two countings (A, nothing but a refusal C), one reading that nothing answers."""
    for question, answer, split in (("n1", "B", "test"), ("n2", "B", "dev"), ("n3", "C", "test")):
        bench.add(question, answer=answer, split=split)
    bench.add("c1", task="counting", options=("1", "2"), answer="A")
    bench.add("c2", task="counting", options=("1", "2", "I can't say"), answer=None, refusal="C")
    bench.add("r1", task="reading", answer=None, split="dev")


def says(replies: dict[str, str], **settings: Any) -> PerQuestion:
    def reply(question: Question, content_id: str) -> str:
        if replies[question.text] == "!":
            raise DataError(f"cannot answer {question.text}")
        return replies[question.text]

    return PerQuestion("spoken", reply, **settings)


SPOKEN = {"n1": "(B)", "n2": "A or B", "n3": "!", "c1": "Answer: B", "c2": "I can't say", "r1": "Sorry, I can't tell."}


def test_a_score_counts_what_was_right_missed_refused_and_failed(bench: Any, tmp_path: Path) -> None:
    fill(bench)
    release = bench.release(tmp_path / "release")
    score = evaluate(release, says(SPOKEN, settings={"volume": 3}))
    values = {
        name: (figure.value, figure.n) for name, figure in score.metrics.items() if not name.startswith("mm_sap/")
    }
    assert values == {
        "accuracy": (pytest.approx(2 / 6), 6),
        "accuracy/counting": (0.5, 2),
        "accuracy/naming": (pytest.approx(1 / 3), 3),
        "accuracy/reading": (0.0, 1),
        "accuracy_macro": (pytest.approx((1 / 2 + 1 / 3 + 0) / 3), 6),
        "chance": (pytest.approx((3 / 3 + 1 / 2 + 1 / 3 + 0) / 6), 6),
        "chance/counting": (pytest.approx((1 / 2 + 1 / 3) / 2), 2),
        "chance/naming": (pytest.approx(1 / 3), 3),
        "chance/reading": (0.0, 1),
    }
    assert (score.miss, score.refusal, score.error, score.asked, score.items) == (1, 1, 1, 6, 6)
    assert (score.model, score.protocol, score.release) == ("spoken", "vanilla", "by-hand 1.0")
    assert (score.release_id, score.content_id) == (release.release_id, release.content_id)
    intervals = {"level": 0.95, "clusters": 6, "resamples": None}
    assert score.settings == {
        "backend": {"volume": 3},
        "reader": run.READER_VERSION,
        "intervals": intervals,
        "protocol": {"name": "vanilla", "wording": "vanilla", "joined": False, "shots": 0, "examples": None, "seed": 0},
    }
    assert (score.title, score.folder, score.reader) == ("spoken", "spoken", "robust")


def test_an_interval_is_wilsons(bench: Any, tmp_path: Path) -> None:
    for number in range(10):
        bench.add(f"q{number}", answer="B" if number < 8 else "A")
    score = evaluate(bench.release(tmp_path / "release"), "constant:B")
    assert score.metrics["accuracy"].ci == pytest.approx((0.490163, 0.943317), abs=2e-6)
    assert score.metrics["chance"].ci is None


def test_items_that_a_model_cannot_take_are_not_asked_and_the_score_says_so(bench: Any, tmp_path: Path) -> None:
    fill(bench)
    score = evaluate(bench.release(tmp_path / "release"), says(SPOKEN, tasks=frozenset({"counting"})))
    assert (score.asked, score.items) == (2, 6)
    assert score.metrics["accuracy"].n == 2
    assert score.tasks == ("counting",)


def test_a_model_that_can_take_nothing_has_no_value_rather_than_zero(bench: Any, tmp_path: Path) -> None:
    fill(bench)
    score = evaluate(bench.release(tmp_path / "release"), "edge_continuity")
    assert (score.asked, score.items) == (0, 6)
    assert score.metrics["accuracy"].model_dump() == {"value": None, "ci": None, "n": 0, "method": None}


def test_one_split_is_scored_alone(bench: Any, tmp_path: Path) -> None:
    fill(bench)
    score = evaluate(bench.release(tmp_path / "release"), says(SPOKEN), split="dev")
    assert (score.split, score.asked, score.items) == ("dev", 2, 2)


def test_an_unknown_split_is_refused_with_those_that_exist(bench: Any, tmp_path: Path) -> None:
    fill(bench)
    with pytest.raises(BenchwrightError, match="no split 'val'; it has dev, test"):
        evaluate(bench.release(tmp_path / "release"), "random", split="val")


def test_predictions_are_written_row_by_row_with_how_each_was_read(bench: Any, tmp_path: Path) -> None:
    fill(bench)
    release = bench.release(tmp_path / "release")
    evaluate(release, says(SPOKEN), out=tmp_path / "out")
    table = pq.read_table(tmp_path / "out" / "spoken" / "predictions.parquet")
    ids = [released.item.item_id for released in release.items()]
    assert table.column("item_id").to_pylist() == ids
    question = {item.item_id: item.question for item, _ in bench.items}
    row_by_question = {question[row["item_id"]]: row for row in table.to_pylist()}
    outcomes = {
        name: (row["state"], row["letter"], row["right"], row["cause"]) for name, row in row_by_question.items()
    }
    assert outcomes == {
        "n1": ("answered", "B", True, None),
        "n2": ("miss", None, False, None),
        "n3": ("error", None, False, "cannot answer n3"),
        "c1": ("answered", "B", False, None),
        "c2": ("answered", "C", True, None),
        "r1": ("refusal", None, False, None),
    }
    assert {name: row["reply"] for name, row in row_by_question.items()} == {**SPOKEN, "n3": None}
    stamp = table.schema.metadata
    assert stamp[b"format"] == b"benchwright/predictions"
    assert stamp[b"release_id"] == release.release_id.encode()
    assert stamp[b"version"] == b"7"


def test_predictions_and_intervals_know_which_items_hang_together(bench: Any, tmp_path: Path) -> None:
    """Two items share a key, and a third is joined to one of them, across splits and tasks."""
    for number, keys in enumerate([("image:1",), ("image:2",), ("image:1", "image:3"), (), ("image:3",)]):
        bench.add(f"q{number}", group_keys=keys, task="naming" if number else "counting", split="test")
    release = bench.release(tmp_path / "release")
    score = evaluate(release, "constant:B", out=tmp_path / "out")
    table = pq.read_table(tmp_path / "out" / "constant-B" / "predictions.parquet")
    question = {item.item_id: item.question for item, _ in bench.items}
    group = {question[row["item_id"]]: row["group"] for row in table.to_pylist()}
    assert group["q0"] == group["q2"] == group["q4"]
    assert len(set(group.values())) == 3
    assert score.settings["intervals"]["clusters"] == 3
    assert score.metrics["accuracy"].method == "wilson_clustered"  # three clusters are too few to resample
    assert score.metrics["accuracy/counting"].method == "wilson"


def test_the_same_model_on_the_same_release_writes_the_same_bytes(bench: Any, tmp_path: Path) -> None:
    fill(bench)
    release = bench.release(tmp_path / "release")
    for out in ("one", "two"):
        evaluate(release, "random", out=tmp_path / out)
    evaluate(release, "random", out=tmp_path / "two")
    for name in ("score.json", "predictions.parquet"):
        first, two = ((tmp_path / out / "random" / name).read_bytes() for out in ("one", "two"))
        assert first == two
    assert sorted(path.name for path in (tmp_path / "two" / "random").iterdir()) == [
        "predictions.parquet",
        "score.json",
    ]


def test_predictions_of_many_row_groups_hold_every_row_once(
    bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchwright.evaluation.results.judged_predictions.ROWS_PER_GROUP", 4)
    for number in range(11):
        bench.add(f"q{number}", answer="A")
    release = bench.release(tmp_path / "release")
    assert evaluate(release, "constant:A", out=tmp_path / "out").metrics["accuracy"].value == 1
    path = tmp_path / "out" / slug("constant:A") / "predictions.parquet"
    assert pq.ParquetFile(path).num_row_groups == 3
    assert len(set(pq.read_table(path).column("item_id").to_pylist())) == 11


@pytest.mark.parametrize("change", ["flip", "cut", "remove"])
def test_a_changed_release_is_not_scored(bench: Any, tmp_path: Path, change: str) -> None:
    fill(bench)
    release = bench.release(tmp_path / "release")
    (path,) = (release.path / "data").glob("test-*.parquet")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.unlink()
    if change != "remove":
        path.write_bytes(data if change == "flip" else data[:-9])
    with pytest.raises(DataError, match=r"test-00000\.parquet"):
        evaluate(release.path, "random", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert evaluate(release.path, "random", split="dev").asked == 2


def test_results_of_something_else_are_not_overwritten_unasked(bench: Any, tmp_path: Path) -> None:
    fill(bench)
    first = bench.release(tmp_path / "one")
    second = bench.release(tmp_path / "two", version="2.0")
    evaluate(first, "random", out=tmp_path / "out")
    kept = (tmp_path / "out" / "random" / "score.json").read_bytes()
    for release, split in ((second, None), (first, "dev")):
        with pytest.raises(BenchwrightError, match="give another folder with --out"):
            evaluate(release, "random", out=tmp_path / "out", split=split)
    assert (tmp_path / "out" / "random" / "score.json").read_bytes() == kept
    assert evaluate(second, "random", out=tmp_path / "out", replace=True).release == "by-hand 2.0"


def test_a_run_that_fails_leaves_score_and_predictions_as_they_were(bench: Any, tmp_path: Path) -> None:
    fill(bench)
    release = bench.release(tmp_path / "release")
    whole = evaluate(release, says(SPOKEN), out=tmp_path / "out")

    def broken(question: Question, content_id: str) -> str:
        raise CheckFailed("wrong") if question.text == "n1" else RuntimeError("a defect")

    with pytest.raises(RuntimeError, match="a defect"):
        evaluate(release, PerQuestion("spoken", broken), out=tmp_path / "out")
    assert read_scores(tmp_path / "out") == [whole]
    assert pq.read_table(tmp_path / "out" / "spoken" / "predictions.parquet").num_rows == whole.asked


class Wrong:
    """A backend that breaks its promise."""

    name, tasks, settings = "wrong", None, {}

    def __init__(self, answers: Callable[[Question], list[Reply]]) -> None:
        self.answers = answers

    def answer(self, questions: Iterable[Question], context: BackendContext) -> Generator[Reply]:
        for question in questions:
            yield from self.answers(question)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (lambda question: [], "left 6 questions without a reply"),
        (lambda question: [Reply("0" * 32, text="A")], "in place of .* was next"),
    ],
)
def test_a_backend_that_loses_or_swaps_items_is_a_defect(
    bench: Any, tmp_path: Path, answers: Callable[[Question], list[Reply]], words: str
) -> None:
    fill(bench)
    with pytest.raises(RuntimeError, match=words):
        evaluate(bench.release(tmp_path / "release"), Wrong(answers))


def test_a_reply_with_half_a_character_is_stored_without_it(bench: Any, tmp_path: Path) -> None:
    bench.add("only", answer="B")
    score = evaluate(bench.release(tmp_path / "release"), says({"only": "Answer: B \ud83d"}), out=tmp_path / "out")
    assert score.metrics["accuracy"].value == 1
    table = pq.read_table(tmp_path / "out" / "spoken" / "predictions.parquet")
    assert table.column("reply").to_pylist() == ["Answer: B ?"]


@pytest.mark.parametrize(
    ("model", "folder"),
    [
        ("random", "random"),
        ("constant:A", "constant-A"),
        ("openai:gpt-4o", "openai-gpt-4o"),
        ("openai:../../etc", None),
        ("openai:a/b", None),
        ("openai:a b", None),
        ("..", None),
        ("x" * 300, None),
    ],
)
def test_a_models_folder_is_one_plain_name_and_its_own(model: str, folder: str | None) -> None:
    name = slug(model)
    assert folder in {None, name}
    assert "/" not in name
    assert not name.startswith(".")
    assert len(name) < 100


def test_names_that_look_alike_get_folders_of_their_own() -> None:
    models = ["openai:a/b", "openai:a b", "openai:a-b", "openai:a:b", "openai/a/b"]
    assert len({slug(model) for model in models}) == len(models)


def test_scores_stand_side_by_side_with_chance(bench: Any, tmp_path: Path) -> None:
    fill(bench)
    release = bench.release(tmp_path / "release")
    for model in ("constant:A", says(SPOKEN, tasks=frozenset({"counting"}))):
        evaluate(release, model, out=tmp_path / "out")
    scores = read_scores(tmp_path / "out")
    lines = [line.split() for line in drawn(summary_table(scores)).splitlines() if line.strip()]
    assert lines[1] == ["task", "constant:A", "spoken", "chance"]
    rows = {line[0]: " ".join(line[1:]) for line in lines[2:]}
    assert rows["all"] == "asked 0.17 [0.03, 0.56] n=6 0.50 [0.09, 0.91] n=2 0.31 n=6"
    assert rows["counting"] == "0.50 [0.09, 0.91] n=2 0.50 [0.09, 0.91] n=2 0.42 n=2"
    assert rows["reading"] == "0.00 [0.00, 0.79] n=1 - 0.00 n=1"
    assert rows["answered"] == "6 2"
    assert "misses" not in rows  # no item ended so
    assert summary_document(scores)["spoken"]["accuracy"]["n"] == 2


def test_where_models_outnumber_tasks_each_model_has_a_line(bench: Any, tmp_path: Path) -> None:
    fill(bench)
    release = bench.release(tmp_path / "release")
    for model in ("constant:A", "constant:B", "random"):
        evaluate(release, model, out=tmp_path / "out")
    lines = [line.split() for line in drawn(summary_table(read_scores(tmp_path / "out"))).splitlines() if line.strip()]
    assert lines[1] == ["model", "all", "asked", "counting", "naming", "reading", "answered"]
    rows = {line[0]: " ".join(line[1:]) for line in lines[2:]}
    assert rows["constant:A"] == (
        "0.17 [0.03, 0.56] n=6 0.50 [0.09, 0.91] n=2 0.00 [0.00, 0.56] n=3 0.00 [0.00, 0.79] n=1 6"
    )
    assert rows["chance"] == "0.31 n=6 0.42 n=2 0.33 n=3 0.00 n=1"


def test_a_model_name_cannot_dress_the_table(bench: Any, tmp_path: Path) -> None:
    fill(bench)
    score = evaluate(bench.release(tmp_path / "release"), PerQuestion("[bold]\x1b[31m", lambda *_: "A"))
    assert "[bold]\\x1b[31m" in drawn(summary_table([score]))


def test_scores_of_two_releases_do_not_stand_side_by_side(bench: Any, tmp_path: Path) -> None:
    fill(bench)
    evaluate(bench.release(tmp_path / "one"), "random", out=tmp_path / "out")
    evaluate(bench.release(tmp_path / "two", version="2.0"), "constant:A", out=tmp_path / "out")
    with pytest.raises(DataError, match=r"by-hand 1\.0 .*; by-hand 2\.0"):
        read_scores(tmp_path / "out")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is not a score"),
        ("[]", "is not a score"),
        ('{"format": "benchwright/score", "version": 99}', "reads up to 5; upgrade"),
        ('{"format": "benchwright/score", "version": 1}', "is not a score"),
    ],
)
def test_a_file_that_is_no_score_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "score.json").write_text(text)
    with pytest.raises(DataError, match=words):
        read_score(tmp_path)


def test_a_score_reads_back_as_it_was_written(bench: Any, tmp_path: Path) -> None:
    fill(bench)
    score = evaluate(bench.release(tmp_path / "release"), "random", out=tmp_path / "out")
    assert read_score(tmp_path / "out" / "random") == score
    assert json.loads((tmp_path / "out" / "random" / "score.json").read_text())["format"] == "benchwright/score"


def test_two_metrics_of_one_name_are_refused(bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.add("only")
    metrics = dict(run.catalogue("metrics"))
    monkeypatch.setattr(run, "catalogue", lambda kind: {**metrics, "again": metrics["accuracy"]})
    with pytest.raises(BenchwrightError, match="gives a figure 'accuracy', as another"):
        evaluate(bench.release(tmp_path / "release"), "random")


def test_a_model_of_one_task_is_asked_its_items_in_their_clusters(bench: Any, tmp_path: Path) -> None:
    """Items of other tasks, which it is not asked, count for clusters: through them others hang together."""
    bench.add("n1", answer="B", group_keys=("a",))
    bench.add("c1", task="counting", options=("1", "2"), answer="A", group_keys=("a", "b"))
    bench.add("n2", answer="B", group_keys=("b",))
    bench.add("c2", task="counting", options=("1", "2"), answer="A")
    bench.add("n3", answer="C")
    release = bench.release(tmp_path / "release")
    asked_ids: list[str] = []

    def reply(question: Question, content_id: str) -> str:
        asked_ids.append(question.text)
        return "(B)"

    score = evaluate(release, PerQuestion("one task", reply, tasks=frozenset({"naming"})), out=tmp_path / "out")
    assert sorted(asked_ids) == ["n1", "n2", "n3"]
    assert (score.asked, score.items, score.settings["intervals"]["clusters"]) == (3, 5, 2)
    rows = pq.read_table(next((tmp_path / "out").glob("*/predictions.parquet"))).to_pylist()
    by_id = {row["item_id"]: row["group"] for row in rows}
    named = {item.question: by_id[item.item_id] for item, _ in bench.items if item.item_id in by_id}
    assert named["n1"] == named["n2"] != named["n3"]
