"""Items edited in a real Label Studio, and reviews there: answers first, the key once all are in, then the votes."""

from __future__ import annotations

from typing import Any

from label_studio.conftest import (
    VERIFY,
    LabelStudio,
    Waiting,
    email,
    pull,
    push,
    sign_in,
    store_of,
    submit_in,
)

REVIEW = """
  - step: review
    rule: at_least(2, of=2)
    rounds: 2
"""
YES = {"field_accurate": "Yes", "field_reasonable": "Yes", "field_difficult": "Yes"}


def test_a_person_edits_an_item_in_the_browser_and_it_comes_again_as_a_new_version(
    label_studio: LabelStudio, waiting: Waiting, page: Any
) -> None:
    workspace = waiting(VERIFY)
    project = push(label_studio, workspace)["project"]
    with store_of(workspace) as store:
        before = {task.item_id: task for task in store.tasks("verify")}
    sign_in(page, label_studio, "ann")
    page.goto(f"{label_studio.url}/projects/{project}/data?labeling=1")
    page.get_by_text("Which image").first.wait_for()
    assert not page.get_by_text("Edit the item").is_visible()
    page.get_by_text("revise").first.click()
    page.get_by_text("Edit the item").first.wait_for()
    area = page.locator("textarea").first
    assert area.input_value() == next(iter(before.values())).payload["question"]
    area.fill("Which of the two pieces is missing?")
    submit_in(page)
    assert pull(label_studio, workspace)["new"] == 1
    with store_of(workspace) as store:
        [said] = store.decisions("verify")
    assert (said.decision, said.edits) == ("revise", {"question": "Which of the two pieces is missing?"})
    [task] = [one for one in label_studio.tasks(project) if one["total_annotations"]]
    label_studio.label("ben", task["id"], decision="reject", edit_question=said.edits["question"])
    refused = pull(label_studio, workspace, code=1)["quarantined"]
    assert ["only `revise` does" in one["reason"] for one in refused] == [True]
    label_studio.label("admin", task["id"], decision="revise", edit_question="", edit_right="A")
    assert any(
        "is empty; write it again" in one["reason"] for one in pull(label_studio, workspace, code=1)["quarantined"]
    )


def test_a_review_shows_its_keys_once_all_have_answered_and_comes_again_round_by_round(
    label_studio: LabelStudio, waiting: Waiting
) -> None:
    workspace = waiting(REVIEW)
    first = push(label_studio, workspace)
    assert (first["added"], first["votes"]["added"]) == (3, 0)
    tasks = label_studio.tasks(first["project"])
    assert "(right)" not in str([task["data"] for task in tasks])
    label_studio.label("ann", tasks[0]["id"], answer=tasks[0]["data"]["options"][0]["value"])
    assert pull(label_studio, workspace)["new"] == 1
    assert push(label_studio, workspace)["votes"]["added"] == 0
    label_studio.label("ben", tasks[0]["id"], answer=tasks[0]["data"]["options"][0]["value"])
    assert pull(label_studio, workspace)["new"] == 1
    shown = push(label_studio, workspace)["votes"]
    assert (shown["added"], shown["not_sent"]) == (1, [])
    [voted] = label_studio.tasks(shown["project"])
    assert "(right)" in voted["data"]["choices"]
    assert voted["data"]["reviewers"] == f"To be voted on by {email('ann')}, {email('ben')}, who answered it"
    texts = {name: text for name, text in voted["data"].items() if name.startswith("edit_") and isinstance(text, str)}
    texts = {name: text for name, text in texts.items() if text} | {"edit_question": "Which piece is it?"}
    label_studio.label("ann", voted["id"], **YES, editing="Edit the item", **texts)
    label_studio.label("ben", voted["id"], **{**YES, "field_difficult": "No"}, field_note="too <b>easy</b>")
    label_studio.label("admin", voted["id"], **YES)
    done = pull(label_studio, workspace, code=1)
    assert (done["new"], done["unchanged"]) == (2, 2)
    assert ["has not answered this item" in one["reason"] for one in done["quarantined"]] == [True]
    again = push(label_studio, workspace)
    assert (again["added"], again["outdated"], again["votes"]["outdated"]) == (1, 1, 1)
    [gone] = label_studio.tasks(shown["project"])
    assert "(right)" not in str(gone["data"])
    [second] = [one for one in label_studio.tasks(first["project"]) if one["data"]["question"] == "Which piece is it?"]
    label_studio.label("ann", second["id"], answer=second["data"]["options"][0]["value"])
    label_studio.label("admin", second["id"], answer=second["data"]["options"][0]["value"])
    third = pull(label_studio, workspace, code=1)
    assert (third["new"], third["unchanged"]) == (1, 4)
    assert any("was shown the right answer" in one["reason"] for one in third["quarantined"])
