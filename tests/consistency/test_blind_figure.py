"""The figure of the best blind strategy: card, release, score, leaderboard and audit state the same for one release."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_bench import OPERATION, Bench, BenchView
from worded_items import item

from benchwright.audit import audit
from benchwright.audit.checks.guessing import BestBlindStrategy
from benchwright.diagnostics.shortcuts.blind_strategy import blind_strategy
from benchwright.errors import BenchwrightError
from benchwright.evaluation import evaluate
from benchwright.evaluation.leaderboard.board import leaderboard_of
from benchwright.evaluation.leaderboard.page import write_leaderboard
from benchwright.exports.freezing.step import Freeze
from benchwright.release import Release, verify_release
from benchwright.release.format.blind_strategy import read_blind_strategy
from benchwright.steps import FinalContext

pytestmark = pytest.mark.slow

WHY = "The letters are those of the published test."


def uneven_bench() -> Bench:
    """Return thirty questions of two options, of which 22 have the key A."""
    bench = Bench()
    for number in range(30):
        picture = bench.picture(24, 24, (8 * number, 100, 50))
        asked = item(
            f"q {number}",
            f"Which of the two is at place {number}?",
            ("a cat", "a dog"),
            "B" if number % 4 == 3 or number == 2 else "A",
            root_image_id=picture.image_id,
            made_from=picture.image_id,
            operation_id=OPERATION.operation_id,
            group_keys=(f"image:{picture.image_id}",),
        )
        shown = asked.images[0].model_copy(update={"image_id": picture.image_id})
        bench.items.append((asked.model_copy(update={"images": (shown,)}), "test"))
    return bench


def _freeze(bench: Bench, folder: Path, **settings: str) -> Release:
    context = FinalContext(seed=17, stage="freeze", workspace=folder, recipe={}, artifacts={})
    made = Freeze.model_validate({"name": "own", **settings}).finish(BenchView(bench), context)
    return Release.open(folder / made["release"])


def _card(release: Release) -> str:
    return (release.path / "README.md").read_text(encoding="utf-8")


def test_a_version_far_above_chance_asks_for_a_reason_and_all_state_one_figure(tmp_path: Path) -> None:
    bench = uneven_bench()
    with pytest.raises(BenchwrightError, match=r"always A is right in 0\.\d\d .* state on the card why"):
        _freeze(bench, tmp_path, version="1.0")
    assert "Why it was frozen" not in _card(_freeze(bench, tmp_path))
    release = _freeze(bench, tmp_path, version="1.0", why=WHY)
    blind = read_blind_strategy(release)
    assert blind is not None
    assert blind == blind_strategy(one for one, _ in bench.items)
    assert blind.exceeds(0.05)
    assert f"`always A` is right in {blind.accuracy:.2f}" in _card(release)
    assert WHY in _card(release)
    assert verify_release(release.path).ok

    evaluate(release, "constant:A", out=tmp_path / "results")
    board = leaderboard_of(tmp_path / "results")
    assert board.document()["blind_strategy"] == blind.document()
    write_leaderboard(board, tmp_path / "board.html")
    assert f"{blind.accuracy:.2f}" in (tmp_path / "board.html").read_text(encoding="utf-8")
    assert board.rows[0].ranked.figure.value == pytest.approx(blind.accuracy, abs=0.05)

    report = audit(release.path, tmp_path / "audit", checks=[BestBlindStrategy()])
    assert report.to_json()["blind_strategy"] == blind.document()
    assert [finding.kind for finding in report.findings] == ["best_blind_strategy"]
    assert report.page is not None
    assert blind.words in report.page.read_text(encoding="utf-8")
