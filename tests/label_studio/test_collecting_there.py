"""Photographs that annotators import into a real Label Studio: stored with source and license, nothing else."""

from __future__ import annotations

import urllib.request
from pathlib import Path
from typing import Any

import pytest
from label_studio.conftest import TOKENS, LabelStudio, bench, email, pull, push, region, store_of

COLLECT = """name: collected
seed: 3
steps:
  - step: collect
    prompts: ["a cup for $5, hot", "an <b>astronaut</b>"]
    per_prompt: 2
    max_bytes: 800000
    guidelines: "Only **photographs** below $9."
"""
OWN = {"field_found": "My own", "field_licence": "cc-by-4.0", "field_author": "Ann B."}
WEB = {**OWN, "field_found": "From the web", "field_source": "https://example.org/page"}
CUP, ASTRONAUT = "a cup for ＄5, hot", "an <b>astronaut</b>"


def bring(server: LabelStudio, user: str, project: int, path: Path, data: bytes | None = None) -> int:
    """Import a file into a project as a user's browser does; return the id of its task."""
    body = path.read_bytes() if data is None else data
    lines = [b"--part", f'Content-Disposition: form-data; name="file"; filename="{path.name}"'.encode()]
    lines += [b"Content-Type: application/octet-stream", b"", body, b"--part--", b""]
    headers = {"Authorization": f"Token {TOKENS[user]}", "Content-Type": "multipart/form-data; boundary=part"}
    request = urllib.request.Request(
        f"{server.url}/api/projects/{project}/import", data=b"\r\n".join(lines), headers=headers
    )
    urllib.request.urlopen(request, timeout=60).close()
    return max(task["id"] for task in server.tasks(project))


def say(server: LabelStudio, user: str, task: int, **said: str) -> int:
    texts = {"field_author", "field_source"}
    result = [region(control, value, is_text=control in texts, of="picture") for control, value in said.items()]
    made = server.api(user, "POST", f"tasks/{task}/annotations", {"result": result, "lead_time": 30})
    return int(made["id"])


@pytest.fixture
def collecting(tmp_path: Path) -> tuple[Path, tuple[object, ...]]:
    """Return a workspace that waits for photographs, and the arguments of its run."""
    recipe, empty, workspace = tmp_path / "recipe.yaml", tmp_path / "empty", tmp_path / "collected"
    recipe.write_text(COLLECT, encoding="utf-8")
    empty.mkdir()
    run = ("run", recipe, "--images", empty, "--workspace", workspace)
    assert bench(*run)["state"] == "waiting"
    return workspace, run


def test_imported_photographs_are_handed_in_and_join_the_next_run(
    label_studio: LabelStudio, collecting: Any, photographs: Path
) -> None:
    workspace, run = collecting
    pushed = push(label_studio, workspace)
    project = pushed["project"]
    assert pushed["added"] == 4
    asked = [(task["id"], task["data"]["prompt"]) for task in label_studio.tasks(project)]
    cup = bring(label_studio, "ann", project, photographs / "coffee.png")
    say(label_studio, "ann", cup, prompt=CUP, **WEB)
    man = bring(label_studio, "ben", project, photographs / "astronaut.png")
    say(label_studio, "ben", man, prompt=ASTRONAUT, **OWN)
    again = bring(label_studio, "ben", project, photographs / "rocket.jpg")
    say(label_studio, "ben", again, prompt=ASTRONAUT, **OWN)
    none = [task for task, told in asked if "$5" in told]
    say(label_studio, "ben", none[1], field_found="None to be found")
    done = pull(label_studio, workspace)
    assert (done["new"], done["quarantined"], done["tasks"]["open"]) == (4, [], 0)
    repeated = pull(label_studio, workspace)
    assert (repeated["new"], repeated["unchanged"]) == (0, 4)
    with store_of(workspace) as store:
        said = {(one.annotator, one.decision, (one.fields or {}).get("source")) for one in store.decisions("collect")}
        questions = {task.item_id: task.payload["question"] for task in store.tasks("collect", states=("done",))}
        [handed] = [one for one in store.decisions("collect") if one.decision == "web"]
    assert said == {
        (email("ann"), "web", "https://example.org/page"), (email("ben"), "own", None), (email("ben"), "none", None),
    }  # fmt: skip
    assert questions[handed.item_id] == "a cup for $5, hot"
    assert push(label_studio, workspace)["removed"] == 3
    assert {task["id"] for task in label_studio.tasks(project)} == {cup, man, again, none[1]}
    assert bench(*run)["state"] == "done"


def test_what_is_no_photograph_of_the_project_or_says_too_little_is_not_taken(
    label_studio: LabelStudio, collecting: Any, photographs: Path
) -> None:
    workspace, _ = collecting
    project = push(label_studio, workspace)["project"]
    cup, page = photographs / "coffee.png", Path("page.png")
    wrong = [
        (bring(label_studio, "ann", project, page, b"<script>no picture</script>"), {"prompt": CUP, **WEB}),
        (bring(label_studio, "ann", project, page, b"\x89PNG" * 200_001), {"prompt": CUP, **WEB}),
        (bring(label_studio, "ann", project, cup), {"prompt": CUP, **WEB, "field_licence": "all rights reserved"}),
        (bring(label_studio, "ann", project, cup), {"prompt": CUP, **OWN, "field_found": "From the web"}),
        (bring(label_studio, "ann", project, cup), {"prompt": "another prompt", **WEB}),
        (bring(label_studio, "ann", project, cup), {**WEB}),
    ]
    for place in ("https://example.org/a.png", f"/data/upload/{project}/../1/a.png", "/data/upload/999999/a.png"):
        label_studio.api("ann", "POST", f"projects/{project}/import", [{"image": place}])
        wrong.append((max(task["id"] for task in label_studio.tasks(project)), {"prompt": CUP, **WEB}))
    forged = {"image": f"/data/upload/{project}/a.png", "benchwright_task": "made:up"}
    label_studio.api("ann", "POST", f"projects/{project}/import", [forged])
    wrong.append((max(task["id"] for task in label_studio.tasks(project)), {"prompt": CUP, **WEB}))
    wrong.append((label_studio.tasks(project)[0]["id"], OWN))
    for task, said in wrong:
        say(label_studio, "ann", task, **said)
    done = pull(label_studio, workspace, code=1)
    why = {one["task"]: one["reason"] for one in done["quarantined"]}
    told = (
        "photograph cannot be accepted", "larger than the 800,000 bytes", "not one of cc0_1_0",
        "'source' (Address of its page) is not filled in", "not one of the campaign's prompts",
        "which prompt the photograph is for", *["is not a picture file imported"] * 3,
        "not in the campaign: it has changed", "import the photograph",
    )  # fmt: skip
    assert done["new"] == 0
    assert [words in why[task] for (task, _), words in zip(wrong, told, strict=True)] == [True] * 11, why


def test_one_photograph_is_handed_in_once_by_whoever_labelled_it_first(
    label_studio: LabelStudio, collecting: Any, photographs: Path
) -> None:
    workspace, _ = collecting
    project = push(label_studio, workspace)["project"]
    task = bring(label_studio, "ann", project, photographs / "coffee.png")
    mine = say(label_studio, "ann", task, prompt=CUP, **OWN)
    say(label_studio, "ben", task, prompt=CUP, **OWN)
    copy = bring(label_studio, "ben", project, photographs / "coffee.png")
    say(label_studio, "ben", copy, prompt=CUP, **OWN)
    twice = bring(label_studio, "ann", project, photographs / "coffee.png")
    say(label_studio, "ann", twice, prompt=CUP, **{**OWN, "field_author": "Somebody"})
    done = pull(label_studio, workspace, code=1)
    assert (done["new"], sorted(one["reason"].split(",")[0] for one in done["quarantined"])) == (
        1, ["another annotator has already labeled this photograph",
            *["this photograph was imported before"] * 2],
    )  # fmt: skip
    changed = [region(name, text, is_text=name == "field_author", of="picture") for name, text in {
        "prompt": CUP, **OWN, "field_author": "Ann Bee",
    }.items()]  # fmt: skip
    label_studio.api("ann", "PATCH", f"annotations/{mine}", {"result": changed})
    assert pull(label_studio, workspace, code=1)["changed"] == 1
    with store_of(workspace) as store:
        [one] = store.decisions("collect")
    assert (one.version, (one.fields or {})["author"]) == (2, "Ann Bee")
