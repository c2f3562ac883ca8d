"""An audit's findings appear with the tasks of its campaigns in a real Label Studio, and lead to a release."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from audited_benches import clean_rows, write_pictures
from label_studio.conftest import LabelStudio, pull, push, sign_in
from walks import run_json

MARKUP = "<img src=x onerror=alert(1)>"
ASKS, MENDED = f"Which thing standz near the chair {MARKUP}?", "Which thing stands near the chair?"
EXPLANATION, EXPLAINED = "It stands <b>nearest</b> to it.", "Nothing else is so near to it."
FOUND = "misspelled words: Words in no word list."


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audited")
    rows = [row | {"explanation": ""} for row in clean_rows(12)]
    rows[0] |= {"question": ASKS, "explanation": EXPLANATION}
    write_pictures(folder, rows)
    people = [
        {"id": row["id"], "annotator": f"p{number}", "reply": letter}
        for row in rows
        for number, letter in enumerate(
            ("BCDA"["ABCD".index(row["answer"])] * 5 if row["id"] == "q1" else row["answer"] * 5) + row["answer"] * 7
        )
    ]
    for name, written in (("quiz", rows), ("people", people)):
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, list(written[0]))
            writer.writeheader()
            writer.writerows(written)
    words = ["audit", folder / "quiz.csv", "--out", folder / "out", "--workers", "1", "--annotators", "1"]
    opened = run_json(*words, "--people", folder / "people.csv", "--set-right", folder / "w")["set_right"]["campaigns"]
    assert {(each["name"], each["tasks"]) for each in opened} == {("audit-edits", 1), ("audit-reviews", 1)}
    return folder / "w"


def test_what_was_found_stands_beside_the_task_as_text_and_the_edits_are_released(
    label_studio: LabelStudio, workspace: Path, page: Any
) -> None:
    edits = ("--campaign", "audit-edits")
    project = push(label_studio, workspace, *edits)["project"]
    [task] = label_studio.tasks(project)
    beside = task["data"]["beside"]
    assert beside.startswith("The audit found: markup in text: ")
    assert FOUND in beside
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    sign_in(page, label_studio, "ann")
    page.goto(f"{label_studio.url}/projects/{project}/data?labeling=1")
    page.get_by_text(FOUND).first.wait_for()
    assert page.get_by_text(f"Explanation: {EXPLANATION}").first.is_visible()
    assert page.get_by_text(ASKS).first.is_visible()
    assert dialogs == []
    data = task["data"]
    texts = {name: text for name, text in data.items() if name.startswith("edit_") and isinstance(text, str) and text}
    texts |= {"edit_question": MENDED, "edit_explanation": EXPLAINED}
    label_studio.label("ann", task["id"], decision="revise", **texts)
    assert pull(label_studio, workspace, *edits)["new"] == 1
    assert push(label_studio, workspace, *edits)["added"] == 1
    [later] = [each for each in label_studio.tasks(project) if each["data"]["question"] == MENDED]
    assert f"Explanation: {EXPLAINED}" in later["data"]["beside"]
    label_studio.label("ben", later["id"], decision="accept")
    assert pull(label_studio, workspace, *edits)["new"] == 1


def test_a_review_shows_what_was_found_only_once_it_is_answered(label_studio: LabelStudio, workspace: Path) -> None:
    reviews = ("--campaign", "audit-reviews")
    project = push(label_studio, workspace, *reviews)["project"]
    [task] = label_studio.tasks(project)
    assert "audit" not in str(task["data"])
    assert "(right)" not in str(task["data"])
    label_studio.label("ann", task["id"], answer=task["data"]["options"][0]["value"])
    assert pull(label_studio, workspace, *reviews)["new"] == 1
    [voted] = label_studio.tasks(push(label_studio, workspace, *reviews)["votes"]["project"])
    assert voted["data"]["beside"].startswith("The audit found: ambiguous item: People split between ")
    assert "(right)" in voted["data"]["choices"]
    label_studio.label("ann", voted["id"], field_accurate="Yes", field_unambiguous="No", field_note="Both stand there.")
    assert pull(label_studio, workspace, *reviews)["new"] == 1


def test_the_release_has_what_was_decided_there(workspace: Path) -> None:
    done = run_json("set-right", workspace, "--version", "1.1", "--out", workspace.parent / "quiz-1.1")
    errata = {erratum["source_id"]: (erratum["finding"], erratum["edits"]) for erratum in done["errata"]}
    assert errata == {
        "q0": ("wording", {"question": MENDED, "explanation": EXPLAINED}), "q1": ("ambiguous", None)
    }  # fmt: skip
