"""An audit that finds no learned cue says in one sentence how large a cue it could have found, by task and set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from audited_benches import clean_rows, write_rows

from benchwright.audit import AuditSettings, audit, verdict_of
from benchwright.audit.findings.cue_power import CuePower, power_sentence
from benchwright.audit.findings.texts import markdown, terminal_lines


def _power(task: str | None, could_find: float | None, *, items: int | None = 50, carries: bool = False) -> CuePower:
    return CuePower(task, 0.25, items, could_find, 3000, carries)


@pytest.mark.parametrize(
    ("powers", "sentence"),
    [
        pytest.param([], "", id="the adversary was not asked"),
        pytest.param([_power("counting", 0.6, carries=True)], "", id="a cue was found in the only task"),
        pytest.param(
            [_power("counting", 0.602)],
            "The adversary found no cue; in a single measure it would have found, with 80 % power, one that is "
            "right in 60% of 50 items (chance 25%).",
            id="one task",
        ),
        pytest.param(
            [_power("counting", 0.6), _power("colors", None, items=21), _power(None, 0.5, items=71)],
            "The adversary found no cue; in a single measure it would have found, with 80 % power, one that is "
            "right in 50% of 71 items over all tasks (chance 25%), one that is right in 60% of 50 items of counting "
            "(chance 25%), none of any size in 21 items of colors.",
            id="two tasks and the set",
        ),
        pytest.param(
            [_power("a", 0.7), _power("b", 0.6), _power("c", None), _power("d", 0.4, carries=True), _power("e", 0.65)],
            "The adversary found no cue in 4 tasks; in a single measure it would have found, with 80 % power, by "
            "task from one that is right in 60% of 50 items of b (chance 25%) to none of any size in 50 items of c.",
            id="many tasks, one of them with a cue",
        ),
        pytest.param(
            [_power("a", 0.7), _power("b", None, items=None)],
            "The adversary found no cue; in a single measure it would have found, with 80 % power, one that is "
            "right in 70% of 50 items of a (chance 25%). 1 task has too few items to learn from.",
            id="a task that is too small",
        ),
    ],
)
def test_the_sentence_names_where_nothing_was_found_and_how_large_a_cue_would_have_been(
    powers: list[CuePower], sentence: str
) -> None:
    assert power_sentence(powers) == sentence


def test_page_terminal_markdown_and_json_say_it(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "q.csv", clean_rows(40, seed=8))
    first = audit(source, tmp_path / "out", AuditSettings(workers=1))
    again = audit(source, tmp_path / "out", AuditSettings(workers=1))
    document = json.loads((tmp_path / "out" / "audit.json").read_text(encoding="utf-8"))["learned_cues"]
    (power,) = document["tasks"]
    assert power["learned_items"] == 40
    assert power["chance"] == 0.25 < power["could_find"] < 1
    assert power["items_needed"] > 40
    assert not power["carries"]
    assert f"right in {power['could_find']:.0%} of 40 items" in document["words"]
    assert document["words"] in verdict_of(first).reasons
    assert document["words"] in verdict_of(again).reasons
    assert any(document["words"] in line for line in terminal_lines(first))
    assert document["words"] in markdown(first)
    assert document["words"] in Path(str(first.page)).read_text(encoding="utf-8")
