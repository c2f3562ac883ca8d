"""Campaigns in a real Label Studio and back: nothing twice, nothing lost, and nothing untrustworthy accepted."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from label_studio.conftest import (
    ANSWER,
    ENVIRONMENT,
    TOKENS,
    VERIFY,
    LabelStudio,
    Waiting,
    bench,
    email,
    pull,
    push,
    regions,
    sign_in,
    store_of,
    submit_in,
)

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.kinds import KINDS
from benchwright.annotation.forms.payloads import TaskInput

PNG = b"\x89PNG"


def said(workspace: Path, campaign: str = "verify") -> set[tuple[str, str, tuple[str, ...], str | None, int]]:
    with store_of(workspace) as store:
        return {(one.annotator, one.decision, one.reasons, one.note, one.version) for one in store.decisions(campaign)}


def test_a_campaign_becomes_a_project_once(label_studio: LabelStudio, waiting: Waiting) -> None:
    workspace = waiting(VERIFY)
    first = push(label_studio, workspace)
    assert (first["added"], first["there"], first["not_sent"]) == (3, 0, [])
    again = push(label_studio, workspace)
    assert (again["added"], again["there"], again["removed"]) == (0, 3, 0)
    tasks = label_studio.tasks(first["project"])
    assert len(tasks) == 3
    for task in tasks:
        assert len(task["data"]["images"]) == 3
        for url in task["data"]["images"]:
            assert label_studio.fetch("ann", url)[:4] in {PNG, b"\xff\xd8\xff\xe0"}
        assert "<script>" not in task["data"]["guidelines"]
        assert "(right)" in task["data"]["choices"]
    project = label_studio.api("admin", "GET", f"projects/{first['project']}")
    assert project["maximum_annotations"] == 2


def test_decisions_come_back_with_reasons_notes_and_times_and_close_the_campaign(
    label_studio: LabelStudio, waiting: Waiting
) -> None:
    workspace = waiting(VERIFY)
    project = push(label_studio, workspace)["project"]
    first, second, third = (task["id"] for task in label_studio.tasks(project))
    for task in (first, second):
        label_studio.label("ann", task, decision="accept")
    label_studio.label("ben", first, decision="accept")
    label_studio.label("ben", second, decision="reject", reason=["unclear", "too_easy"], note="a <b>note</b>")
    done = pull(label_studio, workspace)
    assert (done["new"], done["quarantined"], done["tasks"]["done"]) == (4, [], 2)
    ann, ben = email("ann"), email("ben")
    assert said(workspace) == {
        (ann, "accept", (), None, 1),
        (ben, "accept", (), None, 1),
        (ben, "reject", ("too_easy", "unclear"), "a <b>note</b>", 1),
    }
    with store_of(workspace) as store:
        assert {(one.submitted_at - one.started_at).total_seconds() for one in store.decisions("verify")} == {12.5}
    again = pull(label_studio, workspace)
    assert (again["new"], again["changed"], again["unchanged"]) == (0, 0, 4)
    for user in ("ann", "ben"):
        label_studio.label(user, third, decision="accept")
    assert pull(label_studio, workspace)["tasks"] == {"open": 0, "done": 3, "retired": 0}
    agreed = bench("review", "agreement", "--workspace", workspace)
    assert agreed["percent"] == pytest.approx(2 / 3)


def test_an_annotation_that_was_changed_there_becomes_a_new_version(
    label_studio: LabelStudio, waiting: Waiting
) -> None:
    workspace = waiting(VERIFY)
    project = push(label_studio, workspace)["project"]
    task = label_studio.tasks(project)[0]["id"]
    annotation = label_studio.label("ann", task, decision="accept")
    pull(label_studio, workspace)
    label_studio.api(
        "ann", "PATCH", f"annotations/{annotation}", {"result": regions(decision="revise", note="say which cup")}
    )
    assert pull(label_studio, workspace)["changed"] == 1
    assert said(workspace) == {(email("ann"), "revise", (), "say which cup", 2)}


def test_what_was_deleted_there_is_told_and_withdrawn_until_it_comes_back(
    label_studio: LabelStudio, waiting: Waiting
) -> None:
    workspace = waiting(VERIFY)
    project = push(label_studio, workspace)["project"]
    first, second, third = (task["id"] for task in label_studio.tasks(project))
    alone = label_studio.label("ann", first, decision="accept")
    label_studio.label("ben", first, decision="accept")
    replaced = label_studio.label("ann", second, decision="accept")
    with_task = label_studio.label("ben", third, decision="reject", reason=["unclear"])
    done = pull(label_studio, workspace)
    assert (done["deleted"], done["tasks"]["done"]) == ([], 1)
    before = said(workspace)
    label_studio.api("admin", "DELETE", f"annotations/{alone}")
    label_studio.api("ann", "DELETE", f"annotations/{replaced}")
    label_studio.label("ann", second, decision="accept")
    label_studio.api("admin", "DELETE", f"tasks/{third}")
    done = pull(label_studio, workspace, code=1)
    found = [
        (each["annotation"], each["task"], each["author"], each["what"], each["withdrawn"]) for each in done["deleted"]
    ]
    assert found == [
        (alone, first, email("ann"), "annotation", True),
        (with_task, third, email("ben"), "task", True),
    ]
    assert done["tasks"] == {"open": 3, "done": 0, "retired": 0}, "the item is asked again"
    with store_of(workspace) as store:
        counted = sorted((one.item_id, one.annotator) for one in store.decisions("verify"))
        assert {name for item, name in counted if item == done["deleted"][0]["item_id"]} == {email("ben")}
        assert not [name for item, name in counted if item == done["deleted"][1]["item_id"]]
        assert store.audited().broken is None
    assert pull(label_studio, workspace)["deleted"] == [], "what is recorded is told once"
    assert push(label_studio, workspace)["added"] == 1, "the task that was deleted is there again"
    label_studio.label("ann", first, decision="reject", reason=["unclear"])
    done = pull(label_studio, workspace)
    assert (done["returned"], done["new"], done["tasks"]["done"]) == (1, 0, 1)
    done = pull(label_studio, workspace, "--keep-deleted")
    assert (done["kept"], done["deleted"]) == ({"votes": 1, "replaced": 0}, [])
    now = {(who, decision) for who, decision, *_ in said(workspace)}
    assert now == {
        (email("ben"), "accept"),
        (email("ann"), "accept"),
        (email("ann"), "reject"),
        (email("ben"), "reject"),
    }
    assert {(who, decision) for who, decision, *_ in before} < now


def test_a_vote_deleted_there_in_whose_place_another_person_decided_stays_withdrawn(
    label_studio: LabelStudio, waiting: Waiting
) -> None:
    workspace = waiting(VERIFY)
    project = push(label_studio, workspace)["project"]
    task = label_studio.tasks(project)[0]["id"]
    deleted = label_studio.label("ann", task, decision="accept")
    label_studio.label("ben", task, decision="accept")
    pull(label_studio, workspace)
    label_studio.api("admin", "DELETE", f"annotations/{deleted}")
    assert pull(label_studio, workspace, code=1)["deleted"][0]["withdrawn"]
    label_studio.label("admin", task, decision="accept")
    assert pull(label_studio, workspace)["new"] == 1
    label_studio.label("ann", task, decision="accept")
    done = pull(label_studio, workspace, code=1)
    assert "another annotator has decided in its place" in done["quarantined"][0]["reason"]
    assert {who for who, *_ in said(workspace)} == {email("ben"), email("admin")}


def test_of_a_deleted_project_decisions_stay_and_are_named_and_a_new_one_asks_what_is_open(
    label_studio: LabelStudio, waiting: Waiting
) -> None:
    workspace = waiting(VERIFY)
    project = push(label_studio, workspace)["project"]
    first, second, _ = (task["id"] for task in label_studio.tasks(project))
    given = [label_studio.label(user, first, decision="accept") for user in ("ann", "ben")]
    given.append(label_studio.label("ann", second, decision="accept"))
    pull(label_studio, workspace)
    before = said(workspace)
    label_studio.api("admin", "DELETE", f"projects/{project}")
    done = pull(label_studio, workspace, code=1)
    assert (done["gone"], done["tasks"]) == ([project], {"open": 2, "done": 1, "retired": 0})
    assert [(each["annotation"], each["what"]) for each in done["deleted"]] == [(one, "project") for one in given]
    assert said(workspace) == before
    again = push(label_studio, workspace)
    assert (again["instead_of"], again["added"]) == (project, 2)
    assert push(label_studio, workspace)["instead_of"] is None
    item = next(each["item_id"] for each in done["deleted"] if each["annotation"] == given[2])
    tasks = label_studio.tasks(again["project"])
    [asked] = [task for task in tasks if task["data"]["benchwright_task"].startswith(item)]
    label_studio.label("ann", asked["id"], decision="accept")
    done = pull(label_studio, workspace, code=1)
    assert [each["annotation"] for each in done["deleted"]] == given[:2], "what ann says again replaces what is gone"
    assert (done["gone"], said(workspace)) == ([], before)
    pull(label_studio, workspace, "--keep-deleted")
    assert pull(label_studio, workspace)["deleted"] == []


def test_pictures_whose_project_is_deleted_are_shown_again_after_a_push(
    label_studio: LabelStudio, waiting: Waiting
) -> None:
    workspace = waiting(VERIFY)
    project = push(label_studio, workspace)["project"]
    task = label_studio.tasks(project)[0]
    label_studio.label("ann", task["id"], decision="accept")
    pictures = max(each["id"] for each in label_studio.api("admin", "GET", "projects?page_size=100")["results"])
    assert pictures != project
    label_studio.api("admin", "DELETE", f"projects/{pictures}")
    again = push(label_studio, workspace)
    assert (again["added"], again["there"]) == (0, 3)
    after = label_studio.tasks(project)[0]
    assert not {*after["data"]["images"]} & {*task["data"]["images"]}
    assert all(label_studio.fetch("ann", path) for path in after["data"]["images"])
    assert pull(label_studio, workspace)["new"] == 1


def test_what_cannot_be_trusted_is_told_and_not_taken(label_studio: LabelStudio, waiting: Waiting) -> None:
    workspace = waiting(VERIFY)
    project = push(label_studio, workspace)["project"]
    tasks = [task["id"] for task in label_studio.tasks(project)]
    label_studio.label("ann", tasks[0], decision="burn it")
    label_studio.label("ben", tasks[0], decision="reject", reason=["made up"])
    forged = label_studio.label("ann", tasks[1], decision="accept")
    label_studio.api("ben", "PATCH", f"annotations/{forged}", {"result": regions(decision="reject")})
    for user in ("ann", "ben", "admin"):
        label_studio.label(user, tasks[2], decision="accept")
    done = pull(label_studio, workspace, code=1)
    why = sorted((one["author"], one["reason"]) for one in done["quarantined"])
    assert why == [
        (email("admin"), "all unanimous(2) decisions are in"),
        (email("ann"), "decision 'burn it' is not one of accept, reject, revise"),
        (email("ann"), why[2][1]),
        (email("ben"), "reason 'made up' is not one of the form's reasons"),
    ]
    assert "wrote it last, under the name of ann@example.org" in why[2][1]
    assert done["new"] == 2
    assert {one[0] for one in said(workspace)} == {email("ann"), email("ben")}


def test_a_user_may_be_called_otherwise_here(label_studio: LabelStudio, waiting: Waiting) -> None:
    workspace = waiting(VERIFY)
    project = push(label_studio, workspace)["project"]
    label_studio.label("ann", label_studio.tasks(project)[0]["id"], decision="accept")
    pull(label_studio, workspace, "--annotator", f"{email('ann')}=Ann B.")
    assert {one[0] for one in said(workspace)} == {"Ann B."}


def test_an_answer_campaign_shows_no_key_and_takes_choices(label_studio: LabelStudio, waiting: Waiting) -> None:
    workspace = waiting(ANSWER)
    project = push(label_studio, workspace)["project"]
    tasks = label_studio.tasks(project)
    for task in tasks:
        assert "(right)" not in str(task["data"])
        assert "answer" not in task["data"]
        assert [one["value"][:2] for one in task["data"]["options"]] == ["A.", "B."]
    label_studio.label("ann", tasks[0]["id"], answer=tasks[0]["data"]["options"][1]["value"])
    label_studio.label("ben", tasks[0]["id"], answer="C. none of them")
    done = pull(label_studio, workspace, code=1)
    assert (done["new"], len(done["quarantined"])) == (1, 1)
    assert said(workspace, "answer") == {(email("ann"), "B", (), None, 1)}


def test_a_typed_form_goes_there_and_its_fields_come_back(label_studio: LabelStudio, waiting: Waiting) -> None:
    workspace = waiting(VERIFY)
    make = KINDS["errata"].form
    assert make is not None
    form = CampaignForm(fields=make(()).fields)
    with store_of(workspace) as store:
        store.upsert_campaign(
            "errata", kind="errata", rule="majority(1)", slots_per_task=1, form=form, settings={}, seed=1
        )
        beside = [{"label": "A model", "text": "The <b>second</b>."}]
        store.upsert_tasks(
            "errata",
            [
                TaskInput(task.item_id, task.content_hash, {"item": task.payload, "beside": beside, "about": {}})
                for task in store.tasks("verify")
            ],
        )
    project = push(label_studio, workspace, "--campaign", "errata")["project"]
    tasks = label_studio.tasks(project)
    assert {task["data"]["beside"] for task in tasks} == {"A model: The <b>second</b>."}
    wrong = next(
        one["value"]
        for one in tasks[0]["data"]["options"]
        if f"{one['value']}    (right)" not in tasks[0]["data"]["choices"]
    )
    label_studio.label(
        "ann", tasks[0]["id"], field_finding="The key is wrong", field_instead=wrong, field_reason=["look again"]
    )
    label_studio.label("ann", tasks[1]["id"], field_finding="The key is right")
    label_studio.label("ann", tasks[2]["id"], field_finding="Ambiguous")
    done = pull(label_studio, workspace, "--campaign", "errata", code=1)
    assert (done["new"], done["tasks"]["done"]) == (2, 2)
    assert "reason" in done["quarantined"][0]["reason"]  # ambiguous needs one
    with store_of(workspace) as store:
        found = sorted((dict(one.fields or {}) for one in store.decisions("errata")), key=str)
    assert found == [
        {"finding": "key_right"},
        {"finding": "key_wrong", "instead": wrong[0], "reason": "look again"},
    ]


def test_pictures_may_be_served_from_local_files(label_studio: LabelStudio, waiting: Waiting) -> None:
    workspace = waiting(VERIFY)
    project = push(label_studio, workspace, "--local-root", label_studio.media)["project"]
    for task in label_studio.tasks(project):
        for url in task["data"]["images"]:
            assert url.startswith("/data/local-files/?d=benchwright-labelled/")
            assert label_studio.fetch("ann", url)[:4] in {PNG, b"\xff\xd8\xff\xe0"}


def test_pictures_may_lie_in_the_cloud(label_studio: LabelStudio, waiting: Waiting, tmp_path: Path) -> None:
    workspace = waiting(VERIFY)
    options = ("--pictures", tmp_path / "bucket", "--pictures-url", "https://example.org/bucket/")
    project = push(label_studio, workspace, *options)["project"]
    urls = {url for task in label_studio.tasks(project) for url in task["data"]["images"]}
    assert urls == {f"https://example.org/bucket/{path.name}" for path in (tmp_path / "bucket").iterdir()}


def test_tasks_that_are_gone_go_unless_somebody_labelled_them(
    label_studio: LabelStudio, waiting: Waiting, photographs: Path, tmp_path: Path
) -> None:
    workspace = waiting(VERIFY)
    project = push(label_studio, workspace)["project"]
    label_studio.label("ann", label_studio.tasks(project)[0]["id"], decision="accept")
    fewer = tmp_path / "fewer"
    fewer.mkdir()
    shutil.copyfile(photographs / "coffee.png", fewer / "other-name.png")
    bench("run", tmp_path / "recipe.yaml", "--images", fewer, "--workspace", workspace)
    again = push(label_studio, workspace)
    assert again["there"] + again["removed"] + again["outdated"] == 3
    assert again["there"] == 1
    left = label_studio.tasks(project)
    assert len(left) == again["there"] + again["outdated"]


def test_a_person_labels_in_the_browser_by_keyboard(label_studio: LabelStudio, waiting: Waiting, page: Any) -> None:
    workspace = waiting(VERIFY)
    project = push(label_studio, workspace)["project"]
    sign_in(page, label_studio, "ann")
    page.goto(f"{label_studio.url}/projects/{project}/data?labeling=1")
    page.get_by_text("Which image").first.wait_for()
    page.get_by_text("reject").first.click()
    page.get_by_text("unclear").first.click()
    submit_in(page)
    pull(label_studio, workspace)
    assert said(workspace) == {(email("ann"), "reject", ("unclear",), None, 1)}


@pytest.mark.parametrize("token", ["", "d" * 40])
def test_a_missing_or_wrong_token_is_named_and_not_shown(
    label_studio: LabelStudio, waiting: Waiting, token: str
) -> None:
    workspace = waiting(VERIFY)
    arguments = ("review", "label-studio", "push", "--url", label_studio.url, "--workspace", workspace)
    error = bench(*arguments, code=2, token=token)["error"]["message"]
    assert "BENCHWRIGHT_LABEL_STUDIO_TOKEN" in error
    assert "d" * 40 not in error


def test_a_server_that_is_not_there_and_a_campaign_that_was_never_pushed_are_told(
    label_studio: LabelStudio, waiting: Waiting
) -> None:
    workspace = waiting(VERIFY)
    error = bench("review", "label-studio", "push", "--url", "http://127.0.0.1:9", "--workspace", workspace, code=2)
    assert "http://127.0.0.1:9 cannot be reached" in error["error"]["message"]
    error = pull(label_studio, workspace, code=2)
    assert "was never pushed" in error["error"]["message"]
    assert TOKENS["admin"] not in str(error)


SCREEN = """
  - screen
  - {step: jigsaw, likeness: keep}
"""


def test_images_are_screened_there_and_the_next_run_drops_what_was_discarded(
    label_studio: LabelStudio, photographs: Path, tmp_path: Path
) -> None:
    recipe, workspace = tmp_path / "recipe.yaml", tmp_path / "screened"
    recipe.write_text(f"name: screened\nseed: 3\nsteps:{SCREEN}", encoding="utf-8")
    run = ("run", recipe, "--images", photographs, "--workspace", workspace)
    assert bench(*run)["state"] == "waiting"
    project = push(label_studio, workspace)["project"]
    first, second, third = label_studio.tasks(project)
    assert [len(task["data"]["images"]) for task in (first, second, third)] == [1, 1, 1]
    label_studio.label("ann", first["id"], field_verdict="Keep")
    label_studio.label("ann", second["id"], field_verdict="Discard", field_reasons=["Poor quality", "Other"])
    label_studio.label("ann", third["id"], field_verdict="Discard")
    done = pull(label_studio, workspace, code=1)
    assert (done["new"], "'reasons' (Why) is not filled in" in done["quarantined"][0]["reason"]) == (2, True)
    label_studio.label("ben", third["id"], field_verdict="Keep")
    pull(label_studio, workspace, code=1)
    steps = {step["name"]: step for step in bench(*run)["steps"]}
    assert (steps["screen"]["dropped"], steps["jigsaw"]["in"]) == ({"poor_quality": 1}, 2)


def test_a_description_with_its_lines_comes_back_whole(
    label_studio: LabelStudio, photographs: Path, tmp_path: Path
) -> None:
    recipe, workspace = tmp_path / "recipe.yaml", tmp_path / "described"
    recipe.write_text("name: described\nseed: 3\nsteps:\n  - describe\n", encoding="utf-8")
    bench("run", recipe, "--images", photographs, "--workspace", workspace)
    project = push(label_studio, workspace)["project"]
    written: dict[str, Any] = {
        "implication": "Conveys something", "image_type": "Photograph", "difficulty": "Easy", "domain": "Others",
        "emotion": "Neutral", "rhetoric": ["Contrast"], "questions": "One", "explanation": ["It looks on."],
        "ask_1": ["What of?"], "right_1": ["rest"], "wrong_1": ["a", "b", "c", "d", "e"],
    }  # fmt: skip
    texts = {name for name, value in written.items() if name in {"explanation", "ask_1", "right_1", "wrong_1"}}
    result = [
        {
            "from_name": f"field_{name}", "to_name": "question", "type": "textarea" if name in texts else "choices",
            "value": {"text" if name in texts else "choices": [value] if isinstance(value, str) else value},
        }
        for name, value in written.items()
    ]  # fmt: skip
    task = label_studio.tasks(project)[0]["id"]
    label_studio.api("ann", "POST", f"tasks/{task}/annotations", {"result": result, "lead_time": 60})
    assert pull(label_studio, workspace)["new"] == 1
    with store_of(workspace) as store:
        [one] = store.decisions("describe")
    assert one.fields is not None
    assert (one.fields["wrong_1"], one.fields["image_type"]) == (["a", "b", "c", "d", "e"], "photograph")


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:9", "socks5://127.0.0.1:9"])
def test_a_server_on_this_machine_is_asked_past_the_proxies_of_the_environment(
    label_studio: LabelStudio, proxy: str
) -> None:
    asked = "import sys; from benchwright.annotation.label_studio.server import Server; print(Server(*sys.argv[1:]).users())"
    named = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"), proxy)
    done = subprocess.run(
        [ENVIRONMENT / "bin" / "python", "-c", asked, label_studio.url, TOKENS["admin"]],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, **named, "NO_PROXY": "", "no_proxy": "", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert email("ben") in done.stdout, done.stderr[-2000:]
