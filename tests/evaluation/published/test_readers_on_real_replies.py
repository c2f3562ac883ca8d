"""Our reader on the replies that the papers published.

Facts held here: it agrees with BLINK's rule if that settles a row, with BLINK's judge on nearly all others, with
II-Bench's reader on every reply, and with MVP-Bench's on every reply of the three models that answer as they were
asked.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.evaluation.published import blink, ii_bench, mvp_bench, mvp_layout
from benchwright.replies.answers import read_answer
from benchwright.replies.readers import READERS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def blink_readings(published_data: Path) -> list[tuple[bool, str, str | None]]:
    """For each output: whether the rule settles it, the stored choice, and what our reader says."""
    data = published_data / "blink"
    return [
        (blink.read_choice(row, "rule") is not None, row.choice[:3], blink.read_choice(row, "robust"))
        for model in blink.models(data)
        for row in blink.read_outputs(data, model, ("val", "test"))
    ]


def test_blinks_rule_and_our_reader_agree_where_the_rule_settles_the_row(
    blink_readings: list[tuple[bool, str, str | None]],
) -> None:
    settled = [(stored, ours) for by_rule, stored, ours in blink_readings if by_rule]
    assert len(settled) == 7240
    assert sum(stored == ours for stored, ours in settled) / len(settled) >= 0.99
    assert sum(ours is not None and ours != stored for stored, ours in settled) <= 5


def test_blinks_judge_and_our_reader_seldom_name_different_letters(
    blink_readings: list[tuple[bool, str, str | None]],
) -> None:
    judged = [(stored, ours) for by_rule, stored, ours in blink_readings if not by_rule]
    none = {"(Z)", "(E)"}
    agreed = sum(ours == (None if stored in none else stored) for stored, ours in judged)
    assert agreed / len(judged) >= 0.95
    assert sum(stored not in none and ours is not None and ours != stored for stored, ours in judged) <= 10


def test_ii_benchs_reader_and_ours_agree_on_every_reply(published_data: Path) -> None:
    for path in sorted((published_data / "ii_bench" / "results").iterdir()):
        for row in ii_bench.read_results(path):
            choices = list(zip("ABCDEF", row.options, strict=True))
            assert row.response is not None
            assert READERS["ii-bench"](row.response, choices) == read_answer(row.response, choices).letter


@pytest.mark.parametrize("model", ["llava_v1.5_7b", "deepseek_vl_7b", "GPT4o"])
def test_mvp_benchs_reader_and_ours_agree_on_replies_that_follow_the_instruction(
    published_data: Path, model: str
) -> None:
    data = published_data / "mvp_bench"
    rotations = mvp_layout.read_rotations(data)
    outputs = mvp_layout.read_outputs(data, model, mvp_layout.read_questions(data), rotations).rotated
    assert outputs is not None
    assert len(outputs) == 4359
    for key, output in outputs.items():
        choices = mvp_bench.options_of(rotations[key].text)
        assert READERS["mvp-bench"](output.output, choices) == read_answer(output.output, choices).letter, output.output


def test_our_reader_reads_far_more_of_a_model_that_talks(published_data: Path) -> None:
    """The paper's reader reads 1,099 of its 4,359 replies; the few that only the paper reads open a list with A."""
    data = published_data / "mvp_bench"
    rotations = mvp_layout.read_rotations(data)
    outputs = mvp_layout.read_outputs(data, "MiniGPT-4-v1-7B", mvp_layout.read_questions(data), rotations).rotated
    assert outputs is not None
    read = [
        (READERS["mvp-bench"](output.output, choices), read_answer(output.output, choices).letter, output.output)
        for key, output in outputs.items()
        for choices in [mvp_bench.options_of(rotations[key].text)]
    ]
    assert sum(theirs is not None for theirs, _, _ in read) == 1099
    assert sum(ours is not None for _, ours, _ in read) > 2200
    only_theirs = [output for theirs, ours, output in read if theirs is not None and ours is None]
    assert len(only_theirs) <= 60
    assert sum(output.strip().startswith("A") for output in only_theirs) >= len(only_theirs) - 2
