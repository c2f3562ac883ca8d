"""A user's first try with their own images.

- A bundled recipe whose facts are about other images stops before any work and says what to do.
- Bundled recipes freeze drafts, since no person has looked at anything yet.
- `outcomes` and `trace` describe files, and never print packed features.
- A progress bar without a known total shows none.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT
from walks import command, in_process, make_photographs, run_json

from benchwright.recipe import load_recipe
from benchwright.recipes import bundled_recipes, companions

WITH_FACTS = sorted(name for name, path in bundled_recipes().items() if companions(path))


@pytest.fixture(scope="module")
def own_images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    make_photographs(folder, count=6, height_px=255)  # of smaller ones hardened jigsaws are not made
    (folder / "piece-03.png").rename(folder / "coffee.png")  # the name of a picture that the examples' facts speak of
    return folder


@pytest.fixture(scope="module")
def workspace(own_images: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("w") / "workspace"
    run_json("run", "perception", "--images", own_images, "--workspace", place, "--workers", 1)
    return place


def test_there_are_bundled_recipes_with_facts() -> None:
    assert WITH_FACTS == ["demo", "mm-sap", "mvp-bench"]


@pytest.mark.parametrize("name", WITH_FACTS)
def test_facts_about_other_images_stop_a_bundled_recipe_before_any_work(
    name: str, own_images: Path, tmp_path: Path
) -> None:
    refused = in_process("run", name, "--images", own_images, "--workspace", tmp_path / "workspace")
    assert refused.returncode == 2
    [line] = refused.stderr.splitlines()
    assert "cover 1 of the 7 files" in line
    assert f"benchwright recipes {name} --to FOLDER" in line
    assert f"FOLDER/{name}.facts.yaml" in line
    assert not (tmp_path / "workspace").exists()


def test_a_copy_with_facts_about_few_images_runs_and_says_of_how_many(
    own_images: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run_json("recipes", "mm-sap", "--to", tmp_path / "mine")
    in_process("run", tmp_path / "mine" / "mm-sap.yaml", "--images", own_images, "--workspace", tmp_path / "w")
    assert re.search(r"facts describe 1 of \d images", caplog.text)


@pytest.mark.parametrize("path", [*bundled_recipes().values(), *sorted((ROOT / "examples").glob("*.yaml"))], ids=str)
def test_recipes_that_come_along_freeze_drafts(path: Path) -> None:
    settings = [step.parameters() for _, step in load_recipe(path).steps if step.name == "freeze"]
    assert [one["release_version"] for one in settings] == [None]


def test_the_listed_first_lines_are_whole_sentences() -> None:
    assert [row["name"] for row in run_json("recipes")["recipes"] if not row["help"].endswith(".")] == []


@pytest.mark.parametrize("name", ["perception", "perception-with-people"])
def test_settings_that_a_bundled_recipe_spells_out_are_the_defaults_that_it_explains(name: str) -> None:
    """The comments beside them explain what a step does as it comes; a changed default is to be explained anew."""
    document = yaml.safe_load(bundled_recipes()[name].read_text(encoding="utf-8"))
    loaded = dict(load_recipe(bundled_recipes()[name]).steps)
    for entry in document["steps"]:
        if isinstance(entry, dict) and entry["step"] in {"near_duplicates", "jigsaw", "visual_correspondence"}:
            assert loaded[entry["step"]] == type(loaded[entry["step"]])()


def test_outcomes_name_files_and_never_an_id_of_64_digits(workspace: Path) -> None:
    text = in_process("outcomes", workspace).stdout
    assert re.findall(r"[0-9a-f]{32,}", text) == []
    assert re.search(r"^near_duplicates\.kept +keep +piece-01\.jpg$", text, re.M)
    assert re.search(r"^verify +keep +jigsaw [0-9a-f]{12} of \S+\.(png|jpg|webp) ", text, re.M)


def test_outcomes_as_json_have_ids_and_the_file_that_each_goes_back_to(workspace: Path) -> None:
    rows: list[dict[str, Any]] = run_json("outcomes", workspace)["outcomes"]
    assert {row["file"] for row in rows if row["step"] == "verify"} <= {
        row["file"] for row in rows if row["step"] == "ingest"
    }
    assert all(re.fullmatch(r"[0-9a-f]{32}", row["record"]) for row in rows if row["step"] == "verify")
    assert all(row["record"] == row["file"] for row in rows if row["step"] == "ingest")


def test_a_trace_is_lines_that_people_can_read(workspace: Path) -> None:
    item = next(row["record"] for row in run_json("outcomes", workspace)["outcomes"] if row["step"] == "verify")
    lines = in_process("trace", item, "--workspace", workspace).stdout.splitlines()
    assert [line for line in lines if re.search(r"[0-9a-zA-Z+/=]{100,}", line)] == []
    assert any(re.search(r"near_duplicates\.features: keep \(.*words=\([0-9,]+ characters\)", line) for line in lines)


def test_a_progress_bar_never_counts_beyond_its_total(own_images: Path) -> None:
    terminal, stderr = pty.openpty()
    with subprocess.Popen(
        command("filter", "duplicates", own_images), stderr=stderr, stdout=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": "120", "TERM": "xterm"},
    ):  # fmt: skip
        os.close(stderr)
        drawn = b""
        while chunk := _read(terminal):
            drawn += chunk
    os.close(terminal)
    counts = re.findall(r"(\d+)/(\d+)(?!/)\b(?!s)", drawn.decode())
    assert ("6", "6") in counts
    assert [(done, total) for done, total in counts if int(done) > int(total)] == []
    assert re.search(r"ingest.{0,80}\b7\b", drawn.decode())


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # Linux says so once the last writer is gone
        return b""
