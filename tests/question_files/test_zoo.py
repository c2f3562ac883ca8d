"""Sixty question files in the layouts of published benchmarks, each row compared with its description by people.

`zoo/README.md` describes each source and where its layout was found.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchwright.construction.imported.command import items

ZOO = Path(__file__).resolve().parent / "zoo"
NAMES = sorted(path.parent.name for path in ZOO.glob("*/truth.json"))


def _plain(text: str) -> str:
    return " ".join(text.split())


def _told(line: dict[str, Any]) -> dict[str, Any]:
    """Return a listed row as `truth.json` has it."""
    place = {"file": line["file"], "row": line["row"]}
    if "left_out" in line:
        return {**place, "left_out": line["left_out"]}
    options = {option.pop("key"): option for option in line["options"]}
    texts = {None: None, **{key: next(iter(option.values())) for key, option in options.items()}}
    return {
        **place,
        "question": _plain(line["question"]),
        "options": list(options.values()),
        "answer": texts[line["answer"]],
        "declines": texts[line["declines"]],
        "images": line["images"],
        **({"stated_answer": line["stated_answer"]} if line.get("stated_answer") is not None else {}),
    }


@pytest.mark.parametrize("name", NAMES)
def test_every_row_is_told_once_and_as_people_read_it(name: str) -> None:
    truth = json.loads((ZOO / name / "truth.json").read_text(encoding="utf-8"))
    source = ZOO / name / "source"
    pictures = ["--pictures", str(source / truth["pictures"])] if truth["pictures"] else []
    done = CliRunner().invoke(items, [str(source), "--list", *pictures])
    assert done.exit_code == 0, done.exception
    expected = [{**row, "question": _plain(row["question"])} if "question" in row else row for row in truth["rows"]]
    assert [_told(json.loads(line)) for line in done.stdout.splitlines()] == expected


def test_the_table_of_the_zoo_names_every_source() -> None:
    table = (ZOO / "README.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    named = {cells[0]: cells[-1] for cells in rows if cells[0] != "source"}
    truths = {name: json.loads((ZOO / name / "truth.json").read_text(encoding="utf-8")) for name in NAMES}
    assert named == {name: truth["reading"] for name, truth in truths.items()}
    assert len(named) == 60
