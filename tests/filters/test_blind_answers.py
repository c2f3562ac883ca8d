"""Items that models answer without their picture: real blind scores of a real release, and bad input."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pydantic import ValidationError
from small_bench import small_bench

from benchwright.errors import DataError, PrerequisiteError
from benchwright.filters.items.blind_answers import BlindAnswers, read_blind_replies
from benchwright.recipe import parse_recipe
from benchwright.records import Item
from benchwright.release import Release
from benchwright.rooms import find
from benchwright.steps import FOLDER, Outcome


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release, asked without pictures of two constant models, and with pictures of a third."""
    folder = tmp_path_factory.mktemp("blind")
    small_bench().write(folder / "release")
    evaluate = find("commands", "evaluate run").load()
    for model, protocol in (("constant:A", "blind"), ("constant:C", "blind"), ("constant:B", "vanilla")):
        words = [str(folder / "release"), "--model", model, "--protocol", protocol, "--out", str(folder / "scores")]
        assert CliRunner().invoke(evaluate, words, catch_exceptions=False).exit_code == 0
    return folder


def step(place: Path, **settings: Any) -> BlindAnswers:
    named = {"results": "scores", "release": "release", **settings}
    return BlindAnswers.model_validate(named, context={FOLDER: place})


class Opened:
    """The part of a context that the step reads."""

    def __init__(self, one: BlindAnswers) -> None:
        self.opened = one.open(None)  # type: ignore[arg-type]


def judged(one: BlindAnswers, item: Item) -> Outcome:
    return one.judge(one.measure(item, Opened(one)))  # type: ignore[arg-type]


def items(place: Path) -> list[Item]:
    return [found.item for found in Release.open(place / "release").items()]


def test_what_was_said_without_the_picture_is_counted_and_nothing_else(place: Path) -> None:
    replies = read_blind_replies(place / "scores", place / "release")
    assert len(replies.scores) == 2
    for item in items(place):
        found = replies.items[item.item_id]
        right = {item.answer, item.refusal if item.answer is None else None}
        assert (found.asked, found.right) == (2, len(right & {"A", "C"}))
    assert Counter(one.right for one in replies.items.values())[1] > 0


def test_an_item_is_flagged_from_so_many_right_answers_and_such_a_share(place: Path) -> None:
    known = next(item for item in items(place) if item.answer == "A")
    assert judged(step(place), known) == Outcome()
    assert judged(step(place, at_least=1), known) == Outcome(
        "ask", "answerable_blind", evidence={"right": 1, "asked": 2}
    )
    assert judged(step(place, at_least=1, verdict="drop"), known).verdict == "drop"
    assert judged(step(place, at_least=1, min_share=0.6), known) == Outcome()


def test_an_item_that_has_changed_since_counts_as_not_asked(place: Path) -> None:
    known = next(item for item in items(place) if item.answer == "A")
    changed = known.model_copy(update={"question": "Another question?"})
    one = step(place, at_least=1)
    assert one.measure(changed, Opened(one)) == {"asked": 0, "right": 0}  # type: ignore[arg-type]
    assert judged(one, changed) == Outcome()


def test_new_thresholds_read_nothing_anew_and_the_folders_have_no_part_in_it(place: Path, tmp_path: Path) -> None:
    assert BlindAnswers.thresholds == {"at_least", "min_share", "verdict"}
    (tmp_path / "here").symlink_to(place)
    moved = step(tmp_path, results="here/scores", release="here/release")
    assert moved.parameters() == step(place).parameters()
    assert moved.parameters()["results"].startswith("sha256:")
    again = BlindAnswers(**moved.parameters())
    assert again.parameters() == moved.parameters()
    with pytest.raises(PrerequisiteError, match="by digest only"):
        again.replies()


def test_a_recipe_names_both_folders_relative_to_itself(place: Path) -> None:
    text = "name: x\nsteps:\n  - step: blind_answers\n    results: scores\n    release: release\n"
    [(_, one)] = parse_recipe(text, "x.yaml", place).steps
    assert one.parameters() == step(place).parameters()


def test_without_answers_the_run_ends_with_the_command_that_makes_them(place: Path) -> None:
    for settings in ({"results": "nowhere"}, {"release": "nowhere"}):
        with pytest.raises(PrerequisiteError, match=r"evaluate run .* --model MODEL --protocol blind --out"):
            step(place, **settings).parameters()


@pytest.mark.parametrize("content", [b"{", b"[]", json.dumps({"format": "other"}).encode()])
def test_a_damaged_score_is_named(place: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "score.json").write_bytes(content)
    with pytest.raises(DataError, match=r"score\.json"):
        read_blind_replies(tmp_path, place / "release")


def test_damaged_predictions_are_named(place: Path, tmp_path: Path) -> None:
    score = next(path for path in (place / "scores").glob("*/score.json") if "blind" in path.parent.name)
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "score.json").write_bytes(score.read_bytes())
    (tmp_path / "one" / "predictions.parquet").write_bytes(b"PAR1 or not")
    with pytest.raises(DataError, match=r"predictions.parquet cannot be read"):
        read_blind_replies(tmp_path, place / "release")


@pytest.mark.parametrize("setting", [{"at_least": 0}, {"min_share": 2}, {"verdict": "keep"}, {"results": ""}])
def test_wrong_settings_are_refused(place: Path, setting: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        step(place, **setting)
