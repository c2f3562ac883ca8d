"""The data of a page, and the sections that use it, agree with scores and replies.

- `items.csv` has every item with difficulty, and each model's letter and outcome; `scores.csv` every figure.
- Two runs are compared item by item, and the four numbers add up.
- MM-SAP's figures, costs, the reader gap and an error analysis appear if there are any.
- No cell runs as a formula, and only a report's data is overwritten.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from math import nan
from pathlib import Path
from typing import Any

import pytest
from report_page import ReportPage

from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError, DataError
from benchwright.evaluation.analysis.error_sample import BLINK
from benchwright.evaluation.report.content.label_sums import labelled
from benchwright.evaluation.report.plots.difficulty import difficulty_chart
from benchwright.evaluation.report.plots.errors import category_shares
from benchwright.evaluation.report.writing import write_report
from benchwright.evaluation.results.score import read_scores
from benchwright.evaluation.run import evaluate
from benchwright.release import Release
from benchwright.review_files.findings import Findings, ItemFindings
from benchwright.statistics import wilson

pytestmark = pytest.mark.slow

FORMULA = "=HYPERLINK(1)"
Reply = Callable[[int], str]


@pytest.fixture
def release(bench: Any, tmp_path: Path) -> Release:
    """Twelve items of two levels, each with an option that declines; the last four have no answer. People answered."""
    for number in range(12):
        bench.add(
            f"q{number}",
            task=("first", "second")[number % 2],
            level=("low", "high")[number % 3 == 0],
            options=("cat", "dog", "I cannot tell"),
            answer=None if number >= 8 else "B",
            refusal="C",
            attributes={"domain": "Life, Art" if number < 3 else "Life", "formula": FORMULA if number < 6 else "none"},
        )
    items = {item.item_id: {"asked": 2, "right": number % 3} for number, (item, _) in enumerate(bench.items)}
    people = {"people": {"simulated": False, "annotators": 2, "answers_per_item": 2, "items": items}}
    return bench.release(tmp_path / "release", human_baseline=people)


@pytest.fixture
def results(release: Release, bench: Any, predictions_file: Callable[..., Path], tmp_path: Path) -> Path:
    """Four models: one right on the known, one on the unknown, one that says A, one that gives no letter."""
    replies: dict[str, Reply] = {
        "knows": lambda k: "(B)",
        "declines": lambda k: "(C)" if k >= 4 else "(B)",
        FORMULA: lambda k: "(A)",
        "vague": lambda k: "It could be A or B." if k < 6 else "I cannot help with that.",
    }
    for model, reply in replies.items():
        rows = [{"item_id": item.item_id, "reply": reply(k)} for k, (item, _) in enumerate(bench.items)]
        path = predictions_file(rows, f"{model.replace('=', '')}.jsonl")
        evaluate(release, f"predictions:{path}", out=tmp_path / "results")
    return tmp_path / "results"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


def test_every_item_stands_in_the_table_with_what_models_and_people_said(
    results: Path, release: Release, bench: Any
) -> None:
    written = write_report(results, release)
    assert written.data == results / "report-data"
    rows = {row["item_id"]: row for row in rows_of(written.data / "items.csv")}
    assert len(rows) == 12
    knows, declines = (next(m for m in written.models if name in m) for name in ("knows", "declines"))
    for number, (item, split) in enumerate(bench.items):
        row = rows[item.item_id]
        assert (row["split"], row["key"], row["options"], row["models_asked"]) == (split, item.answer or "C", "3", "4")
        right = sum([number < 8, number < 4 or number >= 8])
        assert (row["models_right"], float(row["difficulty"])) == (str(right), right / 4)
        assert (row["people_asked"], row["people_right"]) == ("2", str(number % 3))
        assert row[f"letter {knows}"] == "B"
        assert row[f"outcome {declines}"] == ("right" if number < 4 or number >= 8 else "wrong")


def test_every_figure_of_every_score_is_there(results: Path, release: Release) -> None:
    row_by_figure = {
        (row["model"], row["metric"]): row for row in rows_of(write_report(results, release).data / "scores.csv")
    }
    for score in read_scores(results):
        for name, figure in score.metrics.items():
            row = row_by_figure.pop((score.model, name))
            assert row["n"] == str(figure.n)
            assert (row["value"] == "") == (figure.value is None)
            if figure.value is not None:
                assert float(row["value"]) == pytest.approx(figure.value, abs=1e-5)
    assert row_by_figure == {}


def test_the_models_on_the_items_that_people_answered_are_those_of_evaluate_people(
    results: Path, release: Release, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads((write_report(results, release).data / "report.json").read_text(encoding="utf-8"))
    capsys.readouterr()
    assert invoke(["evaluate", "people", str(results), "--release", str(release.path), "--json"]) == 0
    campaigns = json.loads(capsys.readouterr().out)["campaigns"]
    assert campaigns
    assert document["on_the_items_of_people"] == {
        name: {key: campaign[key] for key in ("items", "models")} for name, campaign in campaigns.items()
    }


def test_no_cell_is_a_formula(results: Path, release: Release) -> None:
    data = write_report(results, release).data
    for name in ("scores.csv", "items.csv"):
        text = (data / name).read_text(encoding="utf-8")
        assert not any(cell.startswith(("=", "+", "@")) for line in csv.reader(text.splitlines()) for cell in line)


def test_two_runs_are_told_apart_item_by_item(results: Path, release: Release) -> None:
    written = write_report(results, release)
    document = json.loads((written.data / "report.json").read_text(encoding="utf-8"))
    pair = next(pair for pair in document["pairs"] if ("declines" in pair["first"] and "knows" in pair["second"]))
    # The one that declines has items 0-3 and 8-11, the one that knows 0-7.
    assert [pair[name] for name in ("both_right", "only_first", "only_second", "neither")] == [4, 4, 4, 0]
    assert (pair["difference"], pair["p_mcnemar"], pair["told_apart"]) == (0.0, 1.0, False)
    assert all(
        pair["both_right"] + pair["only_first"] + pair["only_second"] + pair["neither"] == 12
        for pair in document["pairs"]
    )
    page = ReportPage(written.path)
    counts = [(e.attributes["data-pair"], e.text) for e in page.all("span", class_="count")]
    assert len(counts) == 6 * 4
    assert ("first", "4") in counts


def test_mm_saps_scores_stand_in_the_leaderboard_where_all_items_can_be_declined(
    results: Path, release: Release, capsys: pytest.CaptureFixture[str]
) -> None:
    page = ReportPage(write_report(results, release).path)
    head, *rows = page.rows()
    place = next(k for k, cell in enumerate(head) if cell.startswith("score_kk"))
    by_name = {score.title: score.metrics for score in read_scores(results)}
    for row in rows[: len(by_name)]:
        assert row[place].split()[0] == f"{by_name[row[0]]['mm_sap/score_kk'].value:.2f}"
    assert invoke(["evaluate", "summary", str(results)]) == 0
    assert "score_kk" in capsys.readouterr().out


def test_labels_have_bars_with_chance_and_people(results: Path, release: Release) -> None:
    written = write_report(results, release)
    page = ReportPage(written.path)
    titles = [e.attributes["aria-label"] for e in page.all("svg", role="img") if "class" not in e.attributes]
    assert {"Accuracy by level", "Accuracy by domain", "Accuracy by formula"} <= set(titles)
    labels = json.loads((written.data / "report.json").read_text(encoding="utf-8"))["labels"]
    assert labels["domain"]["Art"] == {"items": 3, "chance": pytest.approx(1 / 3), "people": pytest.approx(3 / 6)}
    assert labels["level"]["high"]["people"] == 0.0  # items 0, 3, 6, 9: nobody right


def test_costs_are_those_of_the_run(results: Path, release: Release) -> None:
    assert not list(ReportPage(write_report(results, release).path).all("section", id="costs"))
    path = next(iter(sorted(results.glob("*/score.json"))))
    score = json.loads(path.read_text(encoding="utf-8"))
    score["usage"] = {"replies": 12, "prompt_tokens": 9000, "completion_tokens": 600, "cost": 0.6}
    path.write_text(json.dumps(score), encoding="utf-8")
    [section] = ReportPage(write_report(results, release).path).all("section", id="costs")
    for figure in ("9,000", "600", "800", "0.6000", "50.00"):
        assert figure in section.text


def test_the_gap_between_readers_stands_beside_the_accuracy(
    results: Path, release: Release, bench: Any, predictions_file: Callable[..., Path]
) -> None:
    rows = [{"item_id": item.item_id, "reply": "The answer is dog"} for item, _ in bench.items]
    evaluate(release, f"predictions:{predictions_file(rows, 'words.jsonl')}", reader="mvp-bench", out=results)
    head, *rows_shown = ReportPage(write_report(results, release).path).rows()
    place = next(k for k, cell in enumerate(head) if cell.startswith("reader gap"))
    gaps = [row[place] for row in rows_shown if row[0].endswith("@ mvp-bench")]
    assert gaps[0].startswith("+0.67")  # our reader finds the dog in eight of twelve, the paper's in none


def findings(release: Release, **changes: Any) -> Findings:
    ids = sorted(released.item.item_id for released in release.items())[:4]
    items = tuple(
        ItemFindings(
            item_id=item_id,
            about={"model": "knows"},
            annotators=2,
            reasons=("<b>why</b>",),
            categories={BLINK[0].code: 2, **({BLINK[1].code: 1} if k == 0 else {})},
        )
        for k, item_id in enumerate(ids)
    )
    fields: dict[str, Any] = {
        "campaign": "errors",
        "kind": "error_analysis",
        "release": "by-hand 1.0",
        "release_id": release.release_id,
        "categories": BLINK,
        "tasks": 5,
        "annotators": 2,
        "agreement": 0.5,
        "items": items,
    }
    return Findings(**{**fields, **changes})


def test_shares_of_error_categories_by_hand(release: Release) -> None:
    first, second, *rest = category_shares(findings(release))
    assert (first.items, first.share, first.of_named) == (4, 1.0, 8 / 9)
    assert (second.items, second.share, second.of_named) == (1, 0.125, 1 / 9)
    assert first.interval == wilson(4, 4).interval
    assert all(share.share == 0 for share in rest)
    assert category_shares(findings(release, items=())) == []


def test_an_error_analysis_stands_in_the_report(results: Path, release: Release, tmp_path: Path) -> None:
    path = tmp_path / "errors.json"
    path.write_bytes(findings(release).spelled())
    page = ReportPage(write_report(results, release, findings=path).path)
    [section] = page.all("section", id="error-analysis")
    assert "4 of 5 sampled errors" in section.text
    assert "<b>why</b>" in section.text
    assert page.source.count("&lt;b&gt;why") == 4
    path.write_bytes(findings(release, release_id="0" * 64).spelled())
    with pytest.raises(DataError, match="give the error analysis of this release"):
        write_report(results, release, findings=path)


def test_only_a_reports_data_is_written_over(results: Path, release: Release, tmp_path: Path) -> None:
    first = write_report(results, release, data=tmp_path / "data")
    before = {path.name: path.read_bytes() for path in first.data.iterdir()}
    again = write_report(results, release, data=tmp_path / "data")
    assert {path.name: path.read_bytes() for path in again.data.iterdir()} == before
    (first.data / "thesis.docx").write_bytes(b"years of work")
    with pytest.raises(BenchwrightError, match=r"contains 'thesis\.docx', which is not a report's data"):
        write_report(results, release, data=tmp_path / "data")


def test_the_command_takes_folder_and_findings(
    results: Path, release: Release, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "errors.json").write_bytes(findings(release).spelled())
    command = ["evaluate", "report", str(results), "--release", str(release.path), "--data", str(tmp_path / "d")]
    assert invoke([*command, "--errors", str(tmp_path / "errors.json"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"] == str(tmp_path / "d")


def test_items_are_labelled_as_the_metrics_name_them(bench: Any) -> None:
    item = bench.add(level="low", attributes={"level": "x", "night": True, "n": 3, "tags": "a, b, a"})
    assert list(labelled(item)) == [
        ("level", "low"),
        ("attribute.level", "x"),
        ("night", "yes"),
        ("tags", "a"),
        ("tags", "b"),
    ]


def test_difficulty_is_drawn_from_three_models_on() -> None:
    import numpy as np

    assert difficulty_chart(np.array([0.5, 1.0]), 2) is None
    assert difficulty_chart(np.array([nan, nan]), 3) is None
    plot = difficulty_chart(np.array([0.0, 1 / 3, 1.0, 1.0, nan]), 3)
    assert plot is not None
    assert "1 item is right for no model and 2 for all" in plot.caption


def test_protocols_of_one_model_have_ranks_of_their_own(bench: Any, tmp_path: Path) -> None:
    for number in range(40):
        bench.add(f"q{number}", answer="A" if number % 2 else "B")
    release = bench.release(tmp_path / "r")
    evaluate(release, "constant:A", out=tmp_path / "out")
    evaluate(release, "constant:A", protocol="circular", out=tmp_path / "out")
    rows = ReportPage(write_report(tmp_path / "out", release).path).rows()[1:3]
    assert [row[:2] for row in rows] == [["constant:A", "1 a"], ["constant:A @ circular", "2 b"]]
