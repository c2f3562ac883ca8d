"""The command `filter shortcuts` on questions in files without a run.

- It finds the same as in a run over the same file, and names questions by their own ids.
- Rows that are not items are counted by reason, with file and row; a question without its picture is measured by
  words.
- A model can answer them too; options of files are refused with a release, and cues allowed for an unknown task.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_server import ChatServer
from click.testing import CliRunner, Result
from dataset_fixtures.pictures import save

from benchwright.diagnostics.shortcuts.item_source import ItemSource
from benchwright.diagnostics.shortcuts.report import find_shortcuts
from benchwright.filters.cli.shortcuts import shortcuts
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe

pytestmark = pytest.mark.slow
WORDS = ("boat", "tree", "lamp", "horse", "river", "cloud", "stone", "house")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with 60 questions on 60 pictures, whose longest option is right; one has no key, one no picture."""
    folder = tmp_path_factory.mktemp("questions")
    rng = np.random.default_rng(3)
    lines = []
    for number in range(60):
        save(folder / "shown" / f"{number}.png", number, 40, 30)
        options = [" ".join(rng.choice(WORDS, 2)) for _ in range(4)]
        right = int(rng.integers(4))
        options[right] += " and a road behind it"
        lines.append(
            {"name": f"q{number}", "frage": "What is shown?", "answer": "ABCD"[right], "image": f"{number}.png"}
            | dict(zip(("o1", "o2", "o3", "o4"), options, strict=True))
        )
    lines.append(lines[0] | {"name": "sealed", "answer": ""})
    lines.append(lines[1] | {"name": "bare", "image": "nowhere.png"})
    lines.append(lines[2] | {"o2": "", "name": "half"})
    (folder / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


COLUMNS: dict[str, str | list[str]] = {"id": "name", "question": "frage", "options": ["o1", "o2", "o3", "o4"]}
_OPTIONS = ("--column", "id=name", "--column", "question=frage", "--column", "options=o1,o2,o3,o4")


def _say(*arguments: object) -> Result:
    return CliRunner().invoke(shortcuts, [str(argument) for argument in arguments])


def _rules(document: dict[str, Any]) -> dict[str, tuple[float, bool]]:
    [task] = document["tasks"]
    return {
        solver["solver"]: (solver["accuracy"], solver["carries"])
        for solver in task["solvers"]
        if solver["sides"] == "both"
    }


def test_a_file_gives_what_a_run_over_it_gives(folder: Path, tmp_path: Path) -> None:
    text = (
        "name: files\nshards: 2\nsteps:\n  - step: items\n    file: questions.jsonl\n    pictures: shown\n"
        "    mapping: {id: name, question: frage, options: [o1, o2, o3, o4]}\n"
    )
    run_recipe(parse_recipe(text, "files.yaml", folder), images=None, workspace=tmp_path / "w", workers=1)
    of_run = find_shortcuts(tmp_path / "w", workers=1).document()
    of_file = find_shortcuts(ItemSource(folder / "questions.jsonl", folder / "shown", COLUMNS), workers=1).document()
    assert (of_run["items"], of_file["items"]) == (60, 61)  # the run leaves out the question without its picture
    assert [task["learned_items"] for task in of_run["tasks"]] == [60]
    assert of_file["words_alone"] == 1
    lines = (folder / "questions.jsonl").read_text("utf-8").splitlines()
    (folder / "whole.jsonl").write_text(
        "".join(f"{line}\n" for line in lines if "nowhere" not in line), encoding="utf-8"
    )
    of_file = find_shortcuts(ItemSource(folder / "whole.jsonl", folder / "shown", COLUMNS), workers=1).document()
    rules = _rules(of_file)
    assert rules["most text.length"][1]
    assert rules == _rules(of_run)


def test_items_are_named_by_their_own_ids_and_pruning_says_which_it_takes_out(folder: Path, tmp_path: Path) -> None:
    result = _say(
        folder / "questions.jsonl", "--pictures", folder / "shown", *_OPTIONS,
        "--prune", "0.2", "--out", tmp_path / "out", "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["left_out"] == {"empty_option": 1, "no_key": 1}
    [pruning] = document["pruning"]
    assert len(pruning["pruned"]) == 12
    lines = [json.loads(line) for line in (tmp_path / "out" / "items.jsonl").read_text("utf-8").splitlines()]
    assert {line["item_id"] for line in lines if line["pruned"]} == set(pruning["pruned"])
    assert all(re.fullmatch(r"q\d+|bare", line["item_id"]) for line in lines)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "61 → 49" in page
    assert "Items whose pictures are not there: 1." in page
    assert "questions.jsonl: line 63" in page


def test_rows_that_are_no_items_are_told_by_reason(folder: Path) -> None:
    result = _say(folder / "questions.jsonl", *_OPTIONS, "--workers", "1")
    assert "left out, no_key: 1, such as sealed" in result.stdout
    assert re.search(r"left out, empty_option: 1, such as questions.jsonl: line 63 \(.+\)", result.stdout)


def test_a_model_is_asked_about_questions_whose_pictures_are_not_there(
    folder: Path, tmp_path: Path, chat_server: ChatServer
) -> None:
    chat_server.behave = lambda _words, _attempt, _handler: "A"
    result = _say(
        folder / "questions.jsonl", *_OPTIONS, "--model", "m", "--base-url", chat_server.url, "--sees", "captions",
        "--out", tmp_path / "out", "--json", "--workers", "1",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    [task] = document["tasks"]
    assert (document["model"], task["replies"][0]["asked"]) == ("m", 61)
    assert "What m was shown in place of the pictures" in (tmp_path / "out" / "report.html").read_text("utf-8")


def test_columns_and_pictures_belong_to_files(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "workspace.json").write_text("{}", encoding="utf-8")
    result = _say(tmp_path, "--column", "question=frage")
    assert result.exit_code == 2
    assert "--pictures and --column apply to files of questions" in result.stderr
    result = _say(folder / "questions.jsonl", "--column", "question=ask")
    assert "column 'ask' for question is missing" in str(result.exception)


def test_a_folder_that_holds_nothing_says_what_was_looked_for(tmp_path: Path) -> None:
    result = _say(tmp_path)
    assert re.search(
        "is neither a release nor a workspace, and cannot be read as questions: .* contains no question file",
        str(result.exception),
    )


def test_cues_allowed_for_a_task_that_no_item_has_are_refused_with_the_tasks_that_there_are(folder: Path) -> None:
    said = _say(folder / "questions.jsonl", "--pictures", folder / "shown", *_OPTIONS, "--allow", "questions=pixels")
    assert said.exit_code != 0
    assert "no item has the task questions" in str(said.exception) + said.output
    assert "imported" in str(said.exception) + said.output
