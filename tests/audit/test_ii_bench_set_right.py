"""Two annotators set II-Bench's published questions right: from the audit to a release, scores and a filter."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from walks import run_json

from benchwright.release import Release, verify_release

pytestmark = pytest.mark.slow
GROUPS = 2
"""Groups of test pictures with equal bytes that are audited beside the 35 questions of the dev split."""


def equal_pictures(published: Path) -> list[list[dict[str, Any]]]:
    """Return records of the test split whose pictures have equal bytes, by picture."""
    groups: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for record in json.loads((published / "data" / "test_subset.json").read_text(encoding="utf-8")):
        picture = published / record["local_path"]
        if picture.is_file():
            groups[hashlib.sha256(picture.read_bytes()).hexdigest()].append(record)
    return [group for group in groups.values() if len({record["local_path"] for record in group}) > 1][:GROUPS]


def decide(
    workspace: Path, campaign: str, name: str, said: dict[str, dict[str, str]], rest: dict[str, str]
) -> list[str]:
    """Let an annotator decide all their tasks of a campaign, and return the ids of the items."""
    tasks, filled = workspace.parent / f"{campaign}-{name}.csv", workspace.parent / f"{campaign}-{name}-filled.csv"
    place = ("--workspace", workspace, "--campaign", campaign)
    run_json("review", "export", *place, "--out", tasks)
    with tasks.open(encoding="utf-8", newline="") as handle:
        shown = list(csv.DictReader(handle))
    tasks.unlink()
    rows = [
        {"annotator": name}
        | {column: row[column] for column in ("item_id", "version") if column in row}
        | said.get(row["item_id"], rest)
        for row in shown
    ]
    with filled.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, sorted({column for row in rows for column in row}))
        writer.writeheader()
        writer.writerows(rows)
    assert run_json("review", "import", filled, *place)["refused"] == []
    return [row["item_id"] for row in rows]


@pytest.fixture(scope="module")
def played(published_data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Follow the whole process and return the output of `set-right`, with the folder."""
    published, folder = published_data / "ii_bench", tmp_path_factory.mktemp("ii")
    source, workspace = folder / "ii-bench", folder / "w"
    source.mkdir()
    shutil.copy(published / "data" / "dev.json", source)
    shutil.copytree(published / "images" / "dev", source / "images" / "dev")
    copies = [record for group in equal_pictures(published) for record in group]
    for record in copies:
        (source / record["local_path"]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(published / record["local_path"], source / record["local_path"])
    (source / "test.json").write_text(json.dumps(copies), encoding="utf-8")
    words = ["audit", source, "--out", folder / "audit", "--workers", "1", "--set-right", workspace]
    opened = run_json(*words, "--annotators", "1")
    release = Release.open(Path(opened["set_right"]["release"]))
    ids = {str(each.item.attributes["source_id"]): each.item.item_id for each in release.items()}
    assert {each["name"] for each in opened["set_right"]["campaigns"]} == {"audit-items", "audit-edits"}
    # Of options that are equal, Ann words one anew, and Bob reads it again; of equal pictures she leaves one out.
    revised = {
        "decision": "revise",
        "new_choices": "E: It shows the wish to be left alone.",
        "note": "B and E were the same.",
    }
    decide(workspace, "audit-edits", "ann", {ids["dev-10"]: revised}, {"decision": "accept"})
    assert decide(workspace, "audit-edits", "bob", {}, {"decision": "accept"}) == [ids["dev-10"]]
    duplicate = {"finding": "duplicate", "reason": "The same file is asked about before."}
    gone = decide(workspace, "audit-items", "bob", {}, duplicate)
    results = folder / "results"
    run_json("evaluate", "run", release.path, "--model", "constant:A", "--split", "dev", "--out", results)
    [scored] = (path.parent for path in results.rglob("score.json"))
    done: dict[str, Any] = run_json(
        "set-right", workspace, "--version", "1.1", "--out", folder / "ii-bench-1.1", "--results", scored
    )
    return done | {"folder": folder, "gone": gone, "ids": ids, "before": release, "copies": copies}


def test_the_corrected_release_has_what_both_decided(played: dict[str, Any]) -> None:
    assert verify_release(played["folder"] / "ii-bench-1.1").ok
    after = {each.item.item_id: each.item for each in Release.open(played["folder"] / "ii-bench-1.1").items()}
    assert set(played["ids"].values()) - set(after) == set(played["gone"])
    texts = [choice.text for choice in after[played["ids"]["dev-10"]].choices]
    assert len(texts) == len(set(texts))
    assert len(played["gone"]) == len(played["copies"]) - GROUPS


def test_each_erratum_is_linked_to_its_place_in_the_comparison(played: dict[str, Any]) -> None:
    thread = (played["folder"] / "ii-bench-1.1-errata" / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\((ii-bench-1\.1-diff\.html|\.\./ii-bench-1\.1-diff\.html)#(item-\w+)\)", thread)
    assert len(links) == len(played["errata"])
    page = Path(played["page"]).read_text(encoding="utf-8")
    assert all(f'id="{anchor}"' in page for _, anchor in links)
    assert "| constant:A |" in thread


def test_the_model_has_scores_by_both_versions(played: dict[str, Any]) -> None:
    [score] = played["scores"]
    assert score["asked"] == 35
    assert score["kept"] == 34  # not dev-10, whose words changed
