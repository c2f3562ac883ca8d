"""What ratings tell of each rater: who stands against the others, who errs, who hurries; and the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from benchwright.annotation.agreement_commands import agreement, annotators
from benchwright.annotation.annotator_quality import rater_qualities
from benchwright.annotation.ratings import Rating


def crowd() -> list[Rating]:
    """Four raters who are right nine times of ten, and one who guesses."""
    rng = np.random.default_rng(1)
    rows = []
    for unit in range(200):
        truth = "accept" if unit % 3 else "reject"
        for name in ("ann", "bea", "cem", "dov"):
            said = truth if rng.random() < 0.9 else ("accept" if truth == "reject" else "reject")
            rows.append(Rating(f"u{unit:03}", name, said))
        rows.append(Rating(f"u{unit:03}", "guess", str(rng.choice(["accept", "reject"]))))
    return rows


def test_who_guesses_stands_out_in_every_measure() -> None:
    found = {one.rater: one for one in rater_qualities(crowd(), categories=("accept", "reject"))}
    others = [one for name, one in found.items() if name != "guess"]
    guess = found["guess"]
    assert guess.estimated_accuracy < 0.65 < 0.85 < min(one.estimated_accuracy for one in others)
    share = guess.with_others[0]
    assert share is not None
    assert share < 0.6
    alphas = [one.alpha_without for one in others]
    assert guess.alpha_without is not None
    assert all(alpha is not None and alpha < guess.alpha_without for alpha in alphas)


def test_units_on_which_the_others_tie_say_nothing() -> None:
    rows = [Rating("u1", "a", "x"), Rating("u1", "b", "x"), Rating("u1", "c", "y"), Rating("u2", "a", "x")]
    found = {one.rater: one.with_others for one in rater_qualities(rows)}
    assert found == {"a": (None, 0), "b": (None, 0), "c": (0.0, 1)}


def test_a_rater_much_faster_than_the_rest_is_named() -> None:
    seconds = {"ann": [10.0, 12.0], "bea": [9.0], "cem": [13.0], "dov": [11.0], "guess": [0.8, 0.9, 40.0]}
    found = {one.rater: one.to_json() for one in rater_qualities(crowd(), seconds=seconds)}
    assert [name for name, one in found.items() if one["suspiciously_fast"]] == ["guess"]
    assert found["guess"]["median_seconds"] == 0.9


def test_pace_is_undefined_where_times_are_unknown_or_all_alike() -> None:
    assert {one.pace for one in rater_qualities(crowd())} == {None}
    alike = {key: [5.0] for key in ("ann", "bea", "cem", "dov", "guess")}
    assert {one.pace for one in rater_qualities(crowd(), seconds=alike)} == {None}


def test_no_ratings_are_no_annotators() -> None:
    assert rater_qualities([]) == []


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "ratings.csv"
    path.write_text("unit,rater,label\n" + "".join(",".join(row) + "\n" for row in crowd()), encoding="utf-8")
    return path


def test_the_command_tells_it_of_a_file(csv: Path) -> None:
    done = CliRunner().invoke(annotators, ["--ratings", str(csv), "--json"])
    found = json.loads(done.stdout)["annotators"]
    assert [one["rater"] for one in found] == ["ann", "bea", "cem", "dov", "guess"]
    assert sum(found[0]["confusion"]["accept"].values()) == pytest.approx(1)
    assert "guess: 200 ratings" in CliRunner().invoke(annotators, ["--ratings", str(csv)]).stdout


def test_agreement_without_each_rater_is_told_on_request(csv: Path) -> None:
    done = json.loads(CliRunner().invoke(agreement, ["--ratings", str(csv), "--leave-one-out", "--json"]).stdout)
    assert done["without"]["guess"]["krippendorff_alpha"] > done["krippendorff_alpha"]
    assert done["without"]["ann"]["raters"] == 4
    assert "without guess: alpha" in CliRunner().invoke(agreement, ["--ratings", str(csv), "--leave-one-out"]).stdout


def test_labels_are_numbers_or_sets_not_both(csv: Path) -> None:
    done = CliRunner().invoke(agreement, ["--ratings", str(csv), "--ordinal", "--sets"])
    assert "not both" in str(done.exception)
