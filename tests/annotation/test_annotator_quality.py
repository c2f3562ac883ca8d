"""Quality of each rater from ratings: disagreement, errors and haste; and the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from benchwright.annotation.agreement.annotator_quality import LEAST_SHARED, rater_qualities
from benchwright.annotation.agreement.ratings import Rating
from benchwright.annotation.cli.agreement import agreement, annotators


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
    assert guess.estimated_accuracy is not None
    assert guess.estimated_accuracy < 0.65 < 0.85 < min(one.estimated_accuracy or 0.0 for one in others)
    share = guess.with_others[0]
    assert share is not None
    assert share < 0.6
    alphas = [one.alpha_without[0] for one in others]
    without_guess, _ = guess.alpha_without
    assert without_guess is not None
    assert all(alpha is not None and alpha < without_guess for alpha in alphas)


def test_units_on_which_the_others_tie_say_nothing() -> None:
    rows = [Rating("u1", "a", "x"), Rating("u1", "b", "x"), Rating("u1", "c", "y"), Rating("u2", "a", "x")]
    found = {one.rater: one.with_others for one in rater_qualities(rows)}
    assert found == {"a": (None, 0), "b": (None, 0), "c": (0.0, 1)}


def test_a_rater_much_faster_than_the_rest_is_named() -> None:
    seconds = {"ann": [10.0, 12.0] * 3, "bea": [9.0] * 5, "cem": [13.0] * 5, "dov": [11.0] * 5}
    seconds["guess"] = [0.8, 0.8, 0.9, 0.9, 40.0, 50.0]
    found = {one.rater: one.to_json() for one in rater_qualities(crowd(), seconds=seconds)}
    assert [name for name, one in found.items() if one["suspiciously_fast"]] == ["guess"]
    assert (found["guess"]["median_seconds"], found["guess"]["timed"]) == (0.9, 6)


def test_nobody_is_called_fast_for_a_single_quick_decision() -> None:
    seconds = {"ann": [10.0] * 5, "bea": [9.0] * 5, "cem": [13.0] * 5, "dov": [11.0] * 5, "guess": [0.8]}
    found = {one.rater: one for one in rater_qualities(crowd(), seconds=seconds)}
    assert (found["guess"].median_seconds, found["guess"].timed, found["guess"].pace) == (0.8, 1, None)
    assert found["ann"].pace is not None


def alone_and_together(together: int) -> list[Rating]:
    """Two raters with thirty separate units each, and some that both rated, half of them alike."""
    rows = [Rating(f"{name} {unit}", name, "xy"[unit % 2]) for name in ("ann", "bea") for unit in range(30)]
    for unit in range(together):
        rows += [Rating(f"both {unit}", "ann", "x"), Rating(f"both {unit}", "bea", "xy"[unit % 2])]
    return rows


@pytest.mark.parametrize("together", [0, 1, LEAST_SHARED - 1])
def test_nobodys_accuracy_is_estimated_from_tasks_that_nobody_else_saw(together: int) -> None:
    for one in rater_qualities(alone_and_together(together)):
        assert (one.ratings, one.shared) == (30 + together, together)
        assert (one.estimated_accuracy, one.confusion) == (None, {})


def test_an_estimate_rests_on_shared_tasks_alone_and_says_on_how_many() -> None:
    shared = [row for row in alone_and_together(40) if row.unit.startswith("both")]
    found, expected = (
        {one.rater: one.estimated_accuracy for one in rater_qualities(rows)}
        for rows in (alone_and_together(40), shared)
    )
    assert found == pytest.approx(expected)
    assert {one.shared for one in rater_qualities(alone_and_together(40))} == {40}


def test_agreement_of_the_others_says_on_how_many_tasks_they_can_be_compared() -> None:
    rows = [Rating(f"u{n}", who, "xy"[n % 2]) for n in range(6) for who in ("ann", "bea")]
    rows += [Rating("u0", "cem", "y")]
    found = {one.rater: one.alpha_without for one in rater_qualities(rows)}
    assert found["cem"] == (1.0, 6)
    assert found["ann"][1] == 1


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
    assert (
        "without guess: 200 units, 200 of them compared, 4 raters; alpha"
        in CliRunner().invoke(agreement, ["--ratings", str(csv), "--leave-one-out"]).stdout
    )


def test_labels_are_numbers_or_sets_not_both(csv: Path) -> None:
    done = CliRunner().invoke(agreement, ["--ratings", str(csv), "--ordinal", "--sets"])
    assert "not both" in str(done.exception)
