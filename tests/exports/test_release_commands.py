"""`release verify` and `release show`: one JSON document on standard output, and an exit code that states the
result.
"""

from __future__ import annotations

import json

import pytest
from small_bench import small_bench
from walks import in_process, make_photographs, run_json

from benchwright.release import Release
from benchwright.rooms import catalogue

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return small_bench().write(tmp_path_factory.mktemp("release") / "r")


def test_verify_says_that_a_whole_release_holds(release):
    done = in_process("release", "verify", release.path, "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["ok"], document["problems"], document["signer"]) == (True, [], None)
    assert (document["release_id"], document["content_id"]) == (release.release_id, release.content_id)
    text = in_process("release", "verify", release.path).stdout
    assert "as it was frozen" not in text
    assert all(f"  {line}\n" in text for line in (*document["proven"], *document["not_proven"]))


def test_verify_names_what_is_wrong_and_exits_1(tmp_path):
    folder = small_bench().write(tmp_path / "r").path
    (folder / "errata.json").unlink()
    (folder / "notes.txt").write_text("x")
    done = in_process("release", "verify", folder, "--json")
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert (document["ok"], document["problems"]) == (
        False,
        ["errata.json: missing", "notes.txt: not in the manifest; it was added or renamed"],
    )
    assert "Traceback" not in done.stderr
    assert "2 problems" in done.stderr
    for_people = in_process("release", "verify", folder)
    assert for_people.returncode == 1
    assert for_people.stdout.splitlines() == document["problems"]


def test_verify_of_a_folder_that_is_no_release_exits_1_and_of_none_2(tmp_path):
    done = in_process("release", "verify", tmp_path, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout) == {
        "ok": False,
        "release_id": None,
        "content_id": None,
        "problems": ["manifest.json: missing"],
        "proven": [],
        "not_proven": [],
        "signer": None,
    }
    assert in_process("release", "verify", tmp_path / "nowhere").returncode == 2
    assert in_process("release", "verify").returncode == 2


def test_show_tells_name_version_ids_and_counts(release):
    done = in_process("release", "show", release.path, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "name": "tiny",
        "version": "1.0",
        "release_id": release.release_id,
        "content_id": release.content_id,
        "canary": release.canary,
        "licence": "cc-by-4.0",
        "items": 8,
        "splits": {
            "test": {"items": 5, "tasks": {"jigsaw": 3, "ring_colour": 2}},
            "val": {"items": 3, "tasks": {"jigsaw": 2, "ring_colour": 1}},
        },
        "marked": {"items": 3, "tasks": {"ring_colour": 3}},
        "estimated": {"items": 0, "tasks": {}, "decided_by": None},
        "sealed": [],
    }
    text = in_process("release", "show", release.path).stdout
    assert "tiny 1.0: 8 items" in text
    assert "val: 3 items (jigsaw 2, ring_colour 1)" in text


def test_show_refuses_what_is_no_release_in_one_line(tmp_path):
    done = in_process("release", "show", tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "is not a readable release: manifest.json: missing" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_finished_run_is_frozen_by_hand_without_parting_groups(tmp_path):
    make_photographs(tmp_path / "photographs", count=6)
    recipe = "name: walk\nseed: 3\nshards: 2\nsteps: [{step: jigsaw, min_tile_px: 16, likeness: keep, per_image: 2}, splits]\n"
    (tmp_path / "walk.yaml").write_text(recipe)
    run_json("run", tmp_path / "walk.yaml", "--images", tmp_path / "photographs", "--workspace", tmp_path / "w")
    freeze = ("release", "freeze", "--workspace", tmp_path / "w", "--name", "hand", "--version", "1.0")
    document = run_json(*freeze)
    assert document["release"] == str(tmp_path / "w" / "releases" / "hand-1.0")
    assert run_json(*freeze) == document
    release = Release.open(document["release"])
    assert document["items"] == len(release) > 2
    assert run_json("release", "verify", release.path)["content_id"] == document["content_id"]
    assert [step["step"] for step in release.manifest.recipe["steps"]] == ["jigsaw", "splits"]
    splits: dict[str, set[str]] = {}
    for one in release.items():
        for key in one.item.group_keys:
            splits.setdefault(key, set()).add(one.split)
    assert {split for found in splits.values() for split in found} == {"test", "val"}
    assert all(len(found) == 1 for found in splits.values())
    refused = in_process(*freeze, "--description", "Other words.")
    assert refused.returncode == 2
    assert "raise the version" in refused.stderr


def test_freeze_refuses_a_folder_that_is_no_workspace(tmp_path):
    done = in_process("release", "freeze", "--workspace", tmp_path, "--name", "tiny", "--version", "1.0")
    assert done.returncode == 2
    assert "is not a workspace" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["--name", "Tiny"], "name 'Tiny'", id="name"),
        pytest.param(["--name", "tiny", "--version", "0+1"], "version '0+1'", id="draft"),
        pytest.param([], "--name", id="no-name"),
    ],
)
def test_freeze_refuses_malformed_names(tmp_path, arguments, message):
    done = in_process("release", "freeze", "--workspace", tmp_path, *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_the_help_of_exports_lists_every_format() -> None:
    text = " ".join(in_process("release", "export", "--help").stdout.split())
    formats = text.partition("Format of the export: ")[2].partition(";")[0]
    named = formats.replace(" or ", ", ").replace("- ", "-").split(", ")  # lines may break after a hyphen
    assert set(named) == set(catalogue("formats"))
