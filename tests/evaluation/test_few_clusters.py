"""With too few clusters or too many pairs for any test, no ranks are shown, and the page says why.

Facts held here: the smallest p that m clusters allow is 2 / 2^m, checked against all 2^m assignments of signs, however
many pairs are compared; models without ranks are not shown as equal; with more clusters, there are ranks again.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_page import ReportPage

from benchwright.cli.main import invoke
from benchwright.evaluation.report.writing import write_report
from benchwright.evaluation.run import evaluate
from benchwright.statistics.joint_signs import least_joint_p
from benchwright.statistics.paired_difference import sign_flip


def results(bench: Any, tmp_path: Path, predictions_file: Any, *, clusters: int, right: tuple[float, ...]) -> Path:
    """Score models of which each has a share right, in clusters of five items each, alike in every cluster."""
    for number in range(5 * clusters):
        bench.add(f"q{number}", answer="B", group_keys=(f"image:{number // 5}",))
    release = bench.release(tmp_path / "release")
    for model, share in enumerate(right):
        rows = [
            {"item_id": item.item_id, "answer": "B" if int(item.question[1:]) % 5 < 5 * share else "A"}
            for item, _ in bench.items
        ]
        path = predictions_file(rows, f"m{model}.jsonl")
        evaluate(release, f"predictions:{path}", out=tmp_path / "out")
    return tmp_path / "out"


SEVEN = (0.8, 0.4, 0.6, 0.8, 0.4, 0.6, 0.2)


@pytest.mark.parametrize("clusters", [1, 2, 5, 8])
def test_the_smallest_p_is_that_of_all_signs_alike(clusters: int) -> None:
    sums = np.array([3])
    signs = list(product((-1, 1), repeat=clusters))
    extreme = sum(abs(sum(sign_row)) == clusters for sign_row in signs) / len(signs)
    assert least_joint_p(clusters) == extreme == pytest.approx(sign_flip(sums, np.array([clusters])))


def compared(capsys: Any, *arguments: object) -> Any:
    capsys.readouterr()
    assert invoke(["evaluate", "compare", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_five_clusters_have_no_ranks_and_it_is_said_why(
    bench: Any, tmp_path: Path, predictions_file: Any, capsys: Any
) -> None:
    out = results(bench, tmp_path, predictions_file, clusters=5, right=SEVEN)
    document = compared(capsys, out)
    assert document["least_p"] == 2 / 2**5 == min(pair["p_joint"] for pair in document["pairs"])
    assert {ranked["rank"] for ranked in document["ranking"]} == {None}
    for words in ("with 5 clusters", "below 0.062", "more clusters"):
        assert words in document["why_no_ranks"]
    assert invoke(["evaluate", "compare", str(out)]) == 0
    assert capsys.readouterr().out.count("unknown") >= 7


def test_all_others_against_one_model_are_fewer_pairs_and_have_no_ranks(
    bench: Any, tmp_path: Path, predictions_file: Any, capsys: Any
) -> None:
    out = results(bench, tmp_path, predictions_file, clusters=8, right=SEVEN)
    document = compared(capsys, out, "--against", "predictions:m0.jsonl")
    assert len(document["pairs"]) == 6
    assert all("predictions:m0.jsonl" in (pair["first"], pair["second"]) for pair in document["pairs"])
    apart = {pair["second"]: pair["told_apart"] for pair in document["pairs"]}
    assert apart["predictions:m6.jsonl"] is True
    assert apart["predictions:m3.jsonl"] is False
    assert "compared with predictions:m0.jsonl only" in document["why_no_ranks"]
    assert invoke(["evaluate", "compare", str(out), "--against", "nobody"]) == 2
    assert "contains no score of 'nobody'" in capsys.readouterr().err


def test_eight_clusters_rank_seven_models_however_many_pairs_they_are(
    bench: Any, tmp_path: Path, predictions_file: Any, capsys: Any
) -> None:
    out = results(bench, tmp_path, predictions_file, clusters=8, right=SEVEN)
    document = compared(capsys, out)
    assert document["why_no_ranks"] is None
    ranks = {ranked["model"]: ranked["rank"] for ranked in document["ranking"]}
    assert ranks["predictions:m0.jsonl"] == ranks["predictions:m3.jsonl"] == [1, 2]
    assert ranks["predictions:m6.jsonl"] == [7, 7]


@pytest.mark.slow
def test_the_report_says_that_ranks_cannot_be_told(bench: Any, tmp_path: Path, predictions_file: Any) -> None:
    out = results(bench, tmp_path, predictions_file, clusters=5, right=SEVEN)
    page = ReportPage(write_report(out, tmp_path / "release").path)
    ranks = [cells[1] for cells in page.rows() if cells[0].startswith("predictions:")]
    assert ranks == ["–"] * 7
    assert "No model has a rank: ranks are unknown: with 5 clusters" in " ".join(page.source.split())
