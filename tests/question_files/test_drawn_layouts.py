"""Sources drawn from a seed are read correctly or refused with the reason, never read wrongly.

`benchmarks/question_layouts.py` tests thousands.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from drawn_layouts.drawing import make_source
from drawn_layouts.examining import examine, judged
from drawn_layouts.sources import Source

from benchwright.errors import DataError
from benchwright.question_files.item_check import read_questions
from benchwright.question_files.listed_rows import listed_rows


def _listed(folder: Path) -> Iterator[dict[str, Any]]:
    with read_questions(folder) as read:
        yield from listed_rows(read.index)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(5000, 5060, 10))
def test_drawn_sources_are_read_rightly_or_refused_with_both_readings(first: int, tmp_path: Path) -> None:
    faults = []
    for seed in range(first, first + 10):
        source = make_source(seed)
        verdict = examine(source, tmp_path / str(seed), _listed, DataError)
        expected = "refused" if source.ambiguous else "right"
        if verdict.outcome != expected or (source.ambiguous and "can be read in 2 ways" not in verdict.why[0]):
            faults.append((seed, verdict))
    assert faults == []


@pytest.fixture
def source() -> Source:
    """A source in which every key can be read."""
    return next(s for s in map(make_source, range(5000, 5060)) if all(row.right is not None for row in s.rows))


def _told(source: Source) -> list[dict[str, Any]]:
    return [row.as_truth() for row in source.rows]


def test_the_truth_itself_is_right(source: Source) -> None:
    assert judged(source, _told(source)).outcome == "right"


def test_a_shifted_key_is_wrong(source: Source) -> None:
    told = _told(source)
    told[3]["answer"] = next(option["key"] for option in told[3]["options"] if option["key"] != told[3]["answer"])
    assert judged(source, told).outcome == "WRONG"


def test_a_picture_of_another_question_is_wrong(source: Source) -> None:
    told = _told(source)
    told[3]["images"] = told[4]["images"]
    assert judged(source, told).outcome == "WRONG"


def test_a_row_that_nobody_tells_is_lost(source: Source) -> None:
    assert judged(source, _told(source)[1:]).outcome == "lost"


def test_a_readable_row_that_is_left_out_is_refused(source: Source) -> None:
    first, *others = _told(source)
    left_out = {"file": first["file"], "row": first["row"], "left_out": "no_key", "detail": "no key"}
    assert judged(source, [left_out, *others]).outcome == "refused"
