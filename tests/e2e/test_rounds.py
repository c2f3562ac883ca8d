"""Two rounds through the command line: an item edited in a table comes again, is accepted, and is released as its new version."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from walks import in_process, make_photographs, run_json, tree_digest

from benchwright.release import Release

RECIPE = """\
name: rounds
seed: 5
shards: 2
steps:
  - step: jigsaw
    min_tile_px: 16
    likeness: keep
  - step: verify
    rule: unanimous(2)
    form: {reasons: [unclear]}
  - splits
  - step: freeze
    name: rounds
"""
EDITED, HOPELESS = "Which piece belongs into the gap?", "Which of these two pieces?"


def run(folder: Path) -> dict[str, Any]:
    return dict(run_json("run", folder / "r.yaml", "--images", folder / "p", "--workspace", folder / "w"))


def rows_in(table: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))


def fill_in(folder: Path, name: str, decisions: dict[str, list[dict[str, str]]]) -> Path:
    """Export the open tasks, and write what two people say of each: by item, else accept."""
    table = folder / f"{name}.csv"
    run_json("review", "export", "--workspace", folder / "w", "--out", table)
    rows = rows_in(table)
    filled = [
        row | said
        for row in rows
        for said in decisions.get(
            row["item_id"], [{"annotator": one, "decision": "accept"} for one in ("ann", "ben")]
        )
    ]  # fmt: skip
    out = folder / f"{name}-filled.csv"
    with out.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(filled)
    return out


def test_an_item_edited_in_a_table_is_released_as_its_new_version_and_its_history_is_told(tmp_path: Path) -> None:
    make_photographs(tmp_path / "p", count=4)
    (tmp_path / "r.yaml").write_text(RECIPE, encoding="utf-8")
    workspace = tmp_path / "w"
    assert run(tmp_path)["state"] == "waiting"
    run_json("review", "export", "--workspace", workspace, "--out", tmp_path / "look.csv")
    ids = sorted(row["item_id"] for row in rows_in(tmp_path / "look.csv"))
    good, bad = ids[0], ids[1]
    edits = {
        item: [
            {"annotator": "ann", "decision": "revise", "new_question": question},
            {"annotator": "ben", "decision": "accept"},
        ]
        for item, question in ((good, EDITED), (bad, HOPELESS))
    }
    first = fill_in(tmp_path, "first", edits)
    taken = run_json("review", "import", first, "--workspace", workspace)
    assert (taken["new"], taken["refused"]) == (2 * len(ids), [])

    # The next round is open at once, for the two that were edited, and the run waits for it.
    [status] = run_json("review", "status", "--workspace", workspace)["campaigns"]
    assert (status["tasks"], status["slots"]["free"]) == ({"open": 2, "done": len(ids) - 2, "retired": 2}, 4)
    assert run(tmp_path)["state"] == "waiting"
    again = in_process("review", "import", first, "--workspace", workspace, "--json")
    assert again.returncode == 1  # the old rows say nothing of the new versions
    assert [row["reason"].split("; ")[1] for row in json.loads(again.stdout)["refused"]] == [
        "export the tasks again"
    ] * 4
    others = ("ben", "cas")
    second = fill_in(
        tmp_path, "second",
        {good: [{"annotator": one, "decision": "accept"} for one in others],
         bad: [{"annotator": "ben", "decision": "accept"},
               {"annotator": "cas", "decision": "revise", "new_question": "Which one?"}]},
    )  # fmt: skip
    assert {row["question"] for row in rows_in(second)} == {EDITED, HOPELESS}
    run_json("review", "import", second, "--workspace", workspace)

    done = run(tmp_path)
    verify = next(step for step in done["steps"] if step["name"] == "verify")
    assert (done["state"], verify["kept"], verify["dropped"]) == ("done", len(ids) - 1, {"out_of_rounds": 1})
    release = Release.open(Path(done["artifacts"]["release"]))
    items = {one.item.item_id: one.item for one in release.items()}
    assert sorted(items) == sorted(set(ids) - {bad})
    version = items[good]
    assert (version.revision, version.question, version.written_by["question"]) == (1, EDITED, "person")
    [revision] = version.evidence["revisions"]
    assert revision["changed"]["question"]["to"] == EDITED
    report = json.loads((release.path / "agreement.json").read_text(encoding="utf-8"))["campaigns"]["verify"]
    assert report["rounds"] == [
        {"round": 1, "items": len(ids), "kept": len(ids) - 2, "dropped": 0, "revised": 2},
        {"round": 2, "items": 2, "kept": 1, "dropped": 1, "revised": 0},
    ]

    chain = run_json("trace", good, "--workspace", workspace)["chain"]
    told = [
        link
        for link in chain
        if link["what"] in {"item made", "item revised", "released"} or link.get("step") == "verify"
    ]
    assert [link["what"] for link in told] == ["item made", "verdict", "item revised", "released"]
    assert told[0]["item"]["question"] != EDITED
    assert [one.get("edits") for one in told[1]["evidence"]["rounds"]] == [{"question": EDITED}, None]
    assert told[2]["item"]["question"] == EDITED
    dropped = [
        link for link in run_json("trace", bad, "--workspace", workspace)["chain"] if link.get("step") == "verify"
    ]
    assert dropped[0]["reason"] == "out_of_rounds"
    assert dropped[0]["evidence"]["rounds"][0]["edits"] == {"question": HOPELESS}

    # Nothing left to do: the same command changes no byte.
    before = (release.path / "manifest.json").read_bytes()
    assert run(tmp_path)["executed_shards"] == 0
    assert (release.path / "manifest.json").read_bytes() == before


def test_simulated_people_verify_and_review_in_rounds_and_end_in_the_same_bytes_each_time(tmp_path: Path) -> None:
    make_photographs(tmp_path / "p", count=12)
    people = RECIPE.replace(
        "    form: {reasons: [unclear]}\n",
        "    simulate: {annotators: 5, error_rate: 0.1, revise_rate: 0.4}\n"
        "  - step: review\n"
        "    simulate: {annotators: 9, accuracy: 0.95, approval: 0.85}\n",
    )
    (tmp_path / "r.yaml").write_text(people, encoding="utf-8")
    done = run(tmp_path)
    steps = {step["name"]: step for step in done["steps"]}
    assert done["state"] == "done"
    assert steps["review"]["in"] == steps["verify"]["kept"]
    release = Release.open(Path(done["artifacts"]["release"]))
    report = json.loads((release.path / "agreement.json").read_text(encoding="utf-8"))["campaigns"]
    assert len(report["verify"]["rounds"]) == 2
    assert 2 <= len(report["review"]["rounds"]) <= 4
    revisions = {one.item.revision for one in release.items()}
    assert len(revisions) > 1  # both campaigns revise, each what the other made
    assert all(
        one.item.revision == len(one.item.evidence.get("revisions", ())) for one in release.items()
    )  # fmt: skip
    before = tree_digest(tmp_path / "w")
    (tmp_path / "w").rename(tmp_path / "first")
    run(tmp_path)
    assert tree_digest(tmp_path / "w") == before
