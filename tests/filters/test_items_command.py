"""`benchwright filter items`: its output for II-Bench's published questions, and for bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from small_bench import small_bench
from worded_items import item

from benchwright.diagnostics.item_report import report_on
from benchwright.errors import DataError
from benchwright.filters.cli.items import items
from benchwright.rooms import find


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(items, [str(arg) for arg in args], catch_exceptions=False)


@pytest.fixture(scope="module")
def dev(ii_bench: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of II-Bench's 35 dev questions, made by the command."""
    out = tmp_path_factory.mktemp("dev") / "release"
    command = find("commands", "evaluate import").load()
    CliRunner().invoke(command, ["ii-bench", "--data", str(ii_bench), "--out", str(out)], catch_exceptions=False)
    return out


@pytest.mark.slow
def test_the_published_questions_repeat_options_and_favour_long_answers(dev: Path) -> None:
    document = json.loads(run(dev, "--json").stdout)
    assert document["items"] == 35
    assert len({pair["item_id"] for pair in document["repeated_options"]}) == 5
    assert document["similar_options"] == document["questions"] == []
    [letters] = document["letters"]
    assert letters["counts"] == {"A": 4, "B": 4, "C": 7, "D": 5, "E": 8, "F": 7}
    assert letters["p"] > 0.5
    assert {one["rule"] for one in document["rules"] if one["gives_away"]} == {"longest"}


@pytest.mark.slow
def test_people_read_a_table_and_a_summary(dev: Path) -> None:
    lines = run(dev).stdout.splitlines()
    assert sum(line.startswith("repeated") for line in lines) == 5
    assert any(line.startswith("longest") and line.endswith("gives the key away") for line in lines)
    assert lines[-1] == (
        "items 35, with repeated options 5, questions asked twice or nearly 0, groups with uneven letters 0, "
        "rules that give a task away 1"
    )


def test_a_release_with_pictures_as_options_and_without_some_keys_is_read_too(tmp_path: Path) -> None:
    release = small_bench().write(tmp_path / "release")
    document = json.loads(run(release.path, "--scope", "all", "--json").stdout)
    assert document["items"] == 8
    assert {(one["task"], one["of"]) for one in document["letters"]} == {
        ("jigsaw", "answer"), ("ring_colour", "answer"), ("ring_colour", "refusal"), (None, "answer"), (None, "refusal"),
    }  # fmt: skip


def test_the_order_of_items_does_not_matter() -> None:
    found = [item(str(n), picture="one", options=["a cat", "A cat", "an owl"]) for n in range(5)]
    report = report_on(found)
    assert len(report.questions) == 4
    assert report.document() == report_on(found[::-1]).document()


def test_no_items_give_an_empty_report() -> None:
    assert report_on([]).document() == {
        "items": 0, "repeated_options": [], "similar_options": [], "questions": [], "letters": [], "rules": [],
    }  # fmt: skip


def test_a_folder_that_is_no_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a readable release"):
        run(tmp_path)
