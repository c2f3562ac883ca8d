"""The demo: photographs to a scored release in one command, and the same with people."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from described import described_reasons
from walks import in_process, run_json


@pytest.fixture(scope="module")
def headless(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what the headless demo said, and with it what it prints."""
    out = tmp_path_factory.mktemp("demo") / "out"
    document: dict[str, Any] = run_json("demo", "--out", out, "--headless")
    return document | {"printed": in_process("demo", "--out", out, "--headless").stdout}


def test_it_releases_at_least_sixty_items_of_four_papers_kinds(headless: dict[str, Any]) -> None:
    items = headless["items"]
    assert items["made"] >= items["accepted"] >= items["released"] >= 60
    said = json.dumps(run_json("release", "show", headless["release"]))
    for task in ("jigsaw", "visual_correspondence", "object_localization", "beyond_the_image", "image_implication"):
        assert f'"{task}"' in said
    assert '"background_yes_no"' in said


def test_its_report_is_one_file_of_a_few_megabytes(headless: dict[str, Any]) -> None:
    report = Path(headless["report"])
    assert report.name == "report.html"
    assert report.stat().st_size < 10_000_000
    assert "Simulated annotators." in report.read_text(encoding="utf-8")


def test_its_release_verifies(headless: dict[str, Any]) -> None:
    assert run_json("release", "verify", headless["release"])["ok"]


def test_at_least_four_models_are_scored_and_the_specialists_see_what_chance_does_not(headless: dict[str, Any]) -> None:
    results = headless["results"]
    assert len(results) >= 4
    for model, task in (("edge_continuity", "jigsaw"), ("local_features", "visual_correspondence")):
        metrics = results[model]
        assert metrics[f"accuracy/{task}"]["value"] > metrics[f"chance/{task}"]["value"] + 0.2
    low, high = results["random"]["accuracy"]["ci"]
    assert low <= results["random"]["chance"]["value"] <= high


def test_the_blemishes_of_the_folder_are_found(headless: dict[str, Any]) -> None:
    rows = run_json("outcomes", headless["workspace"])["outcomes"]
    said = {row["record"]: row["reason"] for row in rows if row["step"] == "ingest"}
    assert said["coffee (1).png"] == "same_bytes"
    assert said["rocket-download.jpg"] == "truncated"
    assert [row["reason"] for row in rows if row["step"] == "exact_duplicates.groups" and row["verdict"] == "drop"] == [
        "exact_duplicate"
    ]


def test_no_item_in_it_can_be_answered_without_doing_its_task(headless: dict[str, Any]) -> None:
    rows = run_json("outcomes", headless["workspace"])["outcomes"]
    tried = [row for row in rows if row["step"] == "shortcuts.solvers"]
    assert len(tried) == headless["items"]["made"]
    assert {row["reason"] for row in tried} == {None}


def test_each_reason_in_it_is_described(headless: dict[str, Any]) -> None:
    rows = [row for row in run_json("outcomes", headless["workspace"])["outcomes"] if row["reason"] is not None]
    assert len({row["step"] for row in rows}) >= 8
    assert [row for row in rows if (row["reason"], row["verdict"]) not in described_reasons(row["step"])] == []


def test_an_items_trace_goes_from_its_source_file_to_its_scores(headless: dict[str, Any]) -> None:
    rows = run_json("outcomes", headless["workspace"], "--step", "splits")["outcomes"]
    chain = run_json("trace", rows[0]["record"], "--workspace", headless["workspace"])["chain"]
    kinds = [link["what"] for link in chain]
    ours = [kind for kind in dict.fromkeys(kinds) if kind not in {"verdict", "made image"}]
    assert ours == ["file", "source image", "item made", "released", "scored"]


def test_it_has_a_human_baseline_that_says_everywhere_that_it_is_simulated(headless: dict[str, Any]) -> None:
    told = headless["human"]["answer"]
    assert told["simulated"] is True
    assert told["metrics"]["accuracy"]["n"] == headless["items"]["released"]
    assert told["metrics"]["accuracy"]["value"] > headless["results"]["random"]["accuracy"]["ci"][1]
    ours = {name for name in headless["results"]["random"] if name.partition("/")[0] in {"accuracy", "accuracy_macro"}}
    assert told["metrics"].keys() == ours
    card = (Path(headless["release"]) / "README.md").read_text(encoding="utf-8")
    assert "Human baseline `answer`: " in card
    assert "by **simulated** annotators, not people (`human_baseline.json`)" in card
    said = headless["printed"]
    assert "human baseline: simulated (no person has answered these items)" in said
    assert "human (simulated)" in said


def printed_everywhere(lines: list[str]) -> list[list[str]]:
    """Return lines in columns, without what hangs on pixels to the last bit, which processors round differently.

    The draws of `random` go by the items' content, so its column is one of them.
    """
    rows, place = [], None
    for line in lines:
        row = re.split(r"\s{2,}", re.sub(r"0\+[0-9a-f]{12}", "0+...", line.strip()))
        if row[0] == "task":
            place = row.index("random") if "random" in row else None
        rows.append([cell for k, cell in enumerate(row) if k != place or len(row) == 1])
    return rows


def test_the_readme_shows_lines_that_it_prints(headless: dict[str, Any]) -> None:
    """After a change that shows, put lines of what `make demo` prints into the README; `...` stands for more."""
    printed = headless["printed"].replace(str(Path(headless["workspace"]).parent), "demo-out")
    [sample] = re.findall(r"^```text\n(photographs in.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.M | re.S)
    shown = [line for line in sample.splitlines() if line.strip() != "..."]
    lines = iter(printed_everywhere(printed.splitlines()))
    assert [row for row in printed_everywhere(shown) if row not in lines] == []


def test_without_headless_it_waits_for_people_whose_decisions_then_make_the_release(
    headless: dict[str, Any], tmp_path: Path
) -> None:
    """It goes on from what the headless demo has made, up to where people come in."""
    out = tmp_path / "out"
    shutil.copytree(Path(headless["workspace"]).parent, out)
    said = in_process("demo", "--out", out).stdout
    assert said.rstrip().endswith(f"benchwright review serve --workspace {out / 'workspace'}")
    waiting = run_json("demo", "--out", out)
    assert waiting["state"] == "waiting"
    assert waiting["release"] is None
    assert waiting["human"] is None
    workspace = Path(waiting["workspace"])
    tasks = tmp_path / "tasks.csv"
    run_json("review", "export", "--workspace", workspace, "--campaign", "verify", "--out", tasks)
    with tasks.open(encoding="utf-8-sig", newline="") as handle:
        ids = [row["item_id"] for row in csv.DictReader(handle)]
    assert len(ids) == waiting["items"]["made"]
    decisions = tmp_path / "decisions.csv"
    with decisions.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["annotator", "item_id", "decision", "reason"])
        for number, item_id in enumerate(ids):
            writer.writerow(["ada", item_id, "accept", ""])
            writer.writerow(["bo", item_id, *(("reject", "unclear") if number % 7 == 3 else ("accept", ""))])
    run_json("review", "import", decisions, "--workspace", workspace, "--campaign", "verify")
    done = run_json("demo", "--out", out)
    assert done["state"] == "done"
    assert done["items"]["released"] == sum(number % 7 != 3 for number in range(len(ids)))
    agreement = json.loads((Path(done["release"]) / "agreement.json").read_text(encoding="utf-8"))
    assert {name: told["simulated"] for name, told in agreement["campaigns"].items()} == {
        "verify": False, "answer": True,
    }  # fmt: skip
    assert done["human"]["answer"]["simulated"] is True  # whoever verified has seen the keys
    said = in_process("demo", "--out", out).stdout
    assert "annotators: people" in said
    assert "human baseline: simulated" in said


def test_it_copies_the_photographs_alone_for_other_recipes(tmp_path: Path) -> None:
    out = tmp_path / "try"
    document = run_json("demo", "--out", out, "--photographs-only")
    assert document["photographs"] == str(out / "photographs")
    assert {"coffee.png", "coffee (1).png", "china-small.jpg"} <= set(document["files"])
    assert [path.name for path in out.iterdir()] == ["photographs"]
    assert sorted(path.name for path in (out / "photographs").iterdir()) == document["files"]
    printed = in_process("demo", "--out", out, "--photographs-only").stdout
    assert printed == f"{len(document['files'])} photographs in {out / 'photographs'}\n"
