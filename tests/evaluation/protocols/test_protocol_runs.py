"""Runs under protocols: continued logs, requests with the protocol's words, reports, steps, and older results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scripted_model import Scripted, rows, says

from benchwright.errors import BenchwrightError
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.report.writing import write_report
from benchwright.evaluation.run import evaluate
from benchwright.evaluation.step import Evaluate
from benchwright.steps import FinalContext


def sent_words(body: dict[str, Any]) -> str:
    return "\n".join(part["text"] for part in body["messages"][0]["content"] if part["type"] == "text")


@pytest.mark.slow
def test_a_server_gets_the_words_of_the_protocol_and_no_picture_if_blind(
    bench: Any, server: Any, tmp_path: Path
) -> None:
    bench.add("Is it?", kind="yes_no", options=("Yes", "No"), answer="A")
    release = bench.release(tmp_path / "release")
    options = BackendOptions(base_url=server.url)
    evaluate(release, "openai:m", protocol="mvp-bench:commonsense=true", options=options)
    evaluate(release, "openai:m", protocol="blind", options=options)
    assert sent_words(server.bodies[0]).startswith("You are a helpful visio-linguistic AI assistant")
    kinds = [[part["type"] for part in body["messages"][0]["content"]] for body in server.bodies]
    assert kinds == [["text", "image_url", "text"], ["text"]]


def test_what_was_answered_under_one_protocol_is_not_asked_again_under_another(
    bench: Any, server: Any, tmp_path: Path
) -> None:
    bench.add("q", options=("a", "b", "c"), answer="B")
    release = bench.release(tmp_path / "release")
    settings = {"options": BackendOptions(base_url=server.url), "out": tmp_path / "out"}
    evaluate(release, "openai:m", **settings)
    first = evaluate(release, "openai:m", protocol="circular", **settings)
    assert len(server.bodies) == 3
    again = evaluate(release, "openai:m", protocol="circular", **settings)
    assert len(server.bodies) == 3
    assert again == first


def test_a_second_round_goes_on_from_the_log_too(bench: Any, server: Any, tmp_path: Path) -> None:
    bench.add("q", options=("a", "b", "I can't say"), answer="A", refusal="C")
    server.behave = lambda words, attempt, handler: "(C)" if "I can't say" in words else "(A)"
    release = bench.release(tmp_path / "release")
    settings = {"options": BackendOptions(base_url=server.url), "out": tmp_path / "out", "protocol": "forced"}
    score = evaluate(release, "openai:m", **settings)
    assert score.metrics["mm_sap/unknown_knowns_rate"].value == 1
    assert evaluate(release, "openai:m", **settings) == score
    assert len(server.bodies) == 2


def test_results_of_one_protocol_are_the_same_bytes_every_time(bench: Any, tmp_path: Path) -> None:
    for number in range(4):
        bench.add(f"q{number}", options=("a", "b", "c"), answer="A")
    release = bench.release(tmp_path / "release")
    for out in ("1", "2"):
        evaluate(release, "random", protocol="shuffle:k=3", out=tmp_path / out)
    for name in ("predictions.parquet", "score.json"):
        first, two = ((tmp_path / out / "random@shuffle.k=3" / name).read_bytes() for out in ("1", "2"))
        assert first == two


def test_a_report_shows_protocols_side_by_side(bench: Any, tmp_path: Path) -> None:
    for number in range(4):
        bench.add(f"q{number}", options=("a", "b", "c"), answer="A")
    release = bench.release(tmp_path / "release")
    for protocol in ("vanilla", "circular", "shuffle:k=3"):
        evaluate(release, Scripted(says("a")), protocol=protocol, out=tmp_path / "out")
    page = write_report(tmp_path / "out", release).path.read_text(encoding="utf-8")
    assert "scripted @ circular" in page
    assert "scripted @ shuffle:k=3" in page


@pytest.mark.parametrize(
    ("version", "added"), [("1", {"group", "attempts", "robust_right"}), ("2", {"attempts", "robust_right"})]
)
def test_predictions_of_older_versions_are_still_read(
    bench: Any, tmp_path: Path, version: str, added: set[str]
) -> None:
    bench.add("q", options=("a", "b"), answer="A")
    release = bench.release(tmp_path / "release")
    evaluate(release, "constant:A", out=tmp_path / "out")
    path = tmp_path / "out" / "constant-A" / "predictions.parquet"
    table: pa.Table = pq.read_table(path)
    old = table.drop_columns(sorted(added)).replace_schema_metadata(
        {**table.schema.metadata, b"version": version.encode()}
    )
    pq.write_table(old, path)
    score = path.parent / "score.json"
    document = json.loads(score.read_text())
    del document["reader"]
    score.write_text(json.dumps(document))
    assert write_report(tmp_path / "out", release).path.is_file()


def test_a_single_plain_question_has_no_list_of_attempts(bench: Any, tmp_path: Path) -> None:
    bench.add("q", options=("a", "b"), answer="A")
    evaluate(bench.release(tmp_path / "release"), "constant:A", out=tmp_path / "out")
    assert rows(tmp_path / "out", "constant-A")[0]["attempts"] is None


def test_the_step_scores_every_model_by_every_protocol_and_removes_those_no_longer_named(
    bench: Any, tmp_path: Path
) -> None:
    bench.add()
    bench.release(tmp_path / "release")
    context = FinalContext(7, "evaluate", tmp_path, {}, {"release": "release"})
    both = Evaluate(models=("random", "constant:B"), protocol=("vanilla", "circular"), report=False)
    both.finish(None, context)  # type: ignore[arg-type]
    names = {path.parent.name for path in (tmp_path / "results").glob("*/score.json")}
    assert names == {"random", "constant-B", "random@circular", "constant-B@circular"}
    Evaluate(models=("random",), protocol="circular", report=False).finish(None, context)  # type: ignore[arg-type]
    assert {path.parent.name for path in (tmp_path / "results").glob("*/score.json")} == {"random@circular"}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"protocol": "circle"}, "did you mean 'circular'"), ({"protocol": ("blind", "blind")}, "each only once"),
        ({"protocol": ()}, "at least one"), ({"reader": "mm-sap"}, "unknown reader 'mm-sap'"),
    ],
)  # fmt: skip
def test_the_step_refuses_protocols_and_readers_that_do_not_exist(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Evaluate(models=("random",), **settings)


def test_an_unknown_reader_is_refused(bench: Any, tmp_path: Path) -> None:
    bench.add()
    with pytest.raises(
        BenchwrightError, match="unknown reader 'mm-sap'; choose from robust, blink, ii-bench, mvp-bench"
    ):
        evaluate(bench.release(tmp_path / "release"), "random", reader="mm-sap")


def test_repetitions_are_no_more_items_and_chance_is_that_of_one_question(bench: Any, tmp_path: Path) -> None:
    from benchwright.evaluation.analysis.comparison import compare_results
    from benchwright.evaluation.report.content.score_table import board_of
    from benchwright.evaluation.results.score import read_scores
    from benchwright.evaluation.results.summary import chance_figure

    for number in range(4):
        bench.add(f"q{number}", options=("a", "b"), answer="A")
    release = bench.release(tmp_path / "release")
    for protocol in ("vanilla", "circular", "shuffle:k=3"):
        evaluate(
            release, Scripted(says("a" if protocol == "vanilla" else "b")), protocol=protocol, out=tmp_path / "out"
        )
    scores = read_scores(tmp_path / "out")
    _, comparisons = compare_results(tmp_path / "out")
    lines = {line.model: line.best[0] for line in board_of(scores, None, comparisons[0].ranking).lines}
    assert lines == {"scripted": True, "scripted @ circular": False, "scripted @ shuffle:k=3": False}
    chance = chance_figure(scores, "chance")
    assert chance is not None
    assert chance.value == 0.5
