"""Verifying a release.

- A complete release passes.
- Every changed, truncated, added, missing, renamed or linked file is named.
- A manifest or document crafted to mislead yields problems, never a traceback. (For wrong rows, see
  `test_release_contents.py`.)
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_bench import reseal

from benchwright.release import verify_release
from benchwright.release.format.manifest import seal

pytestmark = pytest.mark.slow

FILES = (
    "CITATION.cff", "README.md", "agreement.json", "data/test-00000.parquet", "data/val-00000.parquet", "errata.json",
    "example.png", "human_baseline.json", "image_sources.csv", "manifest.json", "manifest.sha256", "provenance.json",
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(bench, tmp_path_factory):
    items = {item.item_id: {"asked": 2, "right": 1} for item, _ in bench.items}
    baseline = {"answer": {"simulated": False, "annotators": 2, "answers_per_item": 2, "items": items}}
    return bench.write(tmp_path_factory.mktemp("whole") / "r", human_baseline=baseline)


@pytest.fixture
def folder(whole, tmp_path):
    return Path(shutil.copytree(whole.path, tmp_path / "r"))


def problems(folder: Path) -> list[str]:
    found = verify_release(folder)
    assert found.ok == (not found.problems)
    assert all("\n" not in line for line in found.problems)
    return found.problems


def test_a_whole_release_holds(whole):
    found = verify_release(whole.path)
    assert found.problems == []
    assert found.ok
    assert found.release_id == whole.release_id
    assert found.content_id == whole.content_id


def test_every_flipped_byte_is_found_and_its_file_named(folder):
    rng = random.Random(11)
    whole = {name: (folder / name).read_bytes() for name in FILES}
    assert sorted(whole) == sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    places = [(name, position) for name, data in whole.items() for position in (0, len(data) - 1)]
    everywhere = [(name, position) for name, data in whole.items() for position in range(len(data))]
    for name, position in places + rng.sample(everywhere, k=200):
        data = bytearray(whole[name])
        data[position] ^= 1 << rng.randrange(8)
        (folder / name).write_bytes(data)
        assert any(name in line for line in problems(folder)), (name, position)
        (folder / name).write_bytes(whole[name])
    assert problems(folder) == []


@pytest.mark.parametrize("name", FILES)
def test_every_missing_cut_or_longer_file_is_named(folder, name):
    path = folder / name
    data = path.read_bytes()
    path.unlink()
    assert any(name in line and "missing" in line for line in problems(folder))
    for other in (b"", data[:-1], data + b"\n"):
        path.write_bytes(other)
        assert any(name in line for line in problems(folder))


@pytest.mark.parametrize("name", FILES)
def test_every_renamed_file_is_named_old_and_new(folder, name):
    (folder / name).rename(folder / f"{name}.bak")
    found = problems(folder)
    assert any(line.startswith(f"{name}: missing") for line in found)
    # Without a manifest nobody can say which of the other files belong.
    assert any(line.startswith(f"{name}.bak: not in the manifest") for line in found) or name == "manifest.json"


@pytest.mark.parametrize("name", FILES)
def test_every_file_replaced_by_a_link_to_its_equal_is_named(folder, tmp_path, name):
    (folder / name).rename(tmp_path / "elsewhere")
    (folder / name).symlink_to(tmp_path / "elsewhere")
    assert f"{name}: a link, but a release contains only regular files" in problems(folder)


@pytest.mark.parametrize(
    "name", ["extra.txt", ".hidden", "data/extra.parquet", "data/val-00001.parquet", "new\nline", "\udcff"]
)
def test_every_added_file_is_named(folder, name):
    (folder / name).write_bytes(b"x")
    (found,) = problems(folder)
    assert found.endswith(": not in the manifest; it was added or renamed")
    assert found.startswith((name, ascii(name)))


def test_added_folders_links_and_pipes_are_named_and_not_opened(folder, tmp_path):
    (folder / "more" / "below").mkdir(parents=True)
    (folder / "more" / "below" / "x").write_text("x")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "data" / "pipe")
    assert problems(folder) == [
        "data/pipe: a special, but a release contains only regular files",
        "loop: a link, but a release contains only regular files",
        "more: a folder that does not belong to the release",
    ]


@pytest.mark.parametrize("name", FILES)
def test_a_pipe_in_the_place_of_a_file_does_not_hold_the_check_up(folder, name):
    (folder / name).unlink()
    os.mkfifo(folder / name)
    assert any(name in line and "not a regular file" in line for line in problems(folder))


def test_a_folder_in_the_place_of_a_file_and_a_link_in_that_of_the_data_folder_are_named(folder, tmp_path):
    (folder / "README.md").unlink()
    (folder / "README.md").mkdir()
    shutil.move(folder / "data", tmp_path / "data")
    (folder / "data").symlink_to(tmp_path / "data")
    found = problems(folder)
    assert "README.md: a folder that does not belong to the release" in found
    assert "data: a link, but a release contains only regular files" in found
    assert any(line.startswith("data/val-00000.parquet: not a regular file") for line in found)


def test_what_is_no_release_gives_problems(tmp_path):
    assert problems(tmp_path) == ["manifest.json: missing"]
    assert problems(tmp_path / "nowhere")[0].endswith("not a folder")
    (tmp_path / "file").write_text("x")
    assert problems(tmp_path / "file")[0].endswith("not a folder")


def _set(*keys: str, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        for key in keys[:-1]:
            document = document[key]
        document[keys[-1]] = to

    return change


def _other_tasks(document: dict[str, Any]) -> None:
    document["counts"]["splits"]["val"]["tasks"] = {"jigsaw": 1, "ring_colour": 2}


def _ghost_split(document: dict[str, Any]) -> None:
    document["counts"]["splits"]["train"] = {"items": 1, "tasks": {"jigsaw": 1}}
    document["counts"]["items"] += 1


def _splits(**fractions: float) -> dict[str, Any]:
    return {"name": "tiny", "steps": ["jigsaw", {"as": "splits", "step": "splits", "fractions": fractions}]}


@pytest.mark.parametrize("recipe", [_splits(val=0.5, test=0.5), _splits(train=0.2, val=0.4, test=0.4), {"steps": 1}])
def test_splits_that_the_recipe_assigns_are_no_problem(folder, recipe):
    reseal(folder, _set("recipe", to=recipe))
    assert problems(folder) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(
            _set("recipe", to=_splits(val=0.5, train=0.5)),
            "has items in split test, but its recipe assigns train, val only",
            id="split-of-no-recipe",
        ),
        pytest.param(_set("counts", "items", to=10**30), "does not equal the sum over the splits", id="huge-count"),
        pytest.param(_set("counts", "items", to=-1), "counts.items", id="negative-count"),
        pytest.param(
            _set("counts", "splits", "val", "items", to=4), "do not equal the sum over its tasks", id="split-count"
        ),
        pytest.param(_other_tasks, "states 1 item of task jigsaw in split val, but the data has 2", id="task-counts"),
        pytest.param(_ghost_split, "states 1 item of task jigsaw in split train, but the data has 0", id="ghost-split"),
        pytest.param(_set("content_id", to="0" * 64), "the items give", id="content-id"),
        pytest.param(_set("canary", to="x"), "canary", id="canary"),
        pytest.param(_set("name", to="other"), "canary", id="name"),
        pytest.param(_set("version", to=9), "upgrade benchwright", id="newer"),
        pytest.param(_set("files", "../up", to={"sha256": "0" * 64, "size_bytes": 1}), "'../up'", id="dots"),
        pytest.param(_set("files", "/etc/passwd", to={"sha256": "0" * 64, "size_bytes": 1}), "passwd", id="absolute"),
        pytest.param(_set("files", "ghost", to={"sha256": "0" * 64, "size_bytes": 1}), "ghost: missing", id="ghost"),
        pytest.param(_set("files", "ghost", to={"sha256": "0", "size_bytes": 1}), "files.ghost.sha256", id="sha"),
        pytest.param(_set("files", "README.md", "size_bytes", to=10**18), "size_bytes", id="huge-file"),
        pytest.param(_set("recipe", to=[]), "recipe", id="recipe-no-object"),
        pytest.param(lambda document: document["files"].pop("README.md"), "does not list README.md", id="no-card"),
        pytest.param(lambda document: document["files"].clear(), "does not list provenance.json", id="no-files"),
        pytest.param(lambda document: document.pop("seed"), "seed", id="no-seed"),
        pytest.param(_set("more", to=1), "more", id="unknown-key"),
    ],
)
def test_a_manifest_written_anew_to_mislead_is_found(folder, change, message):
    reseal(folder, change)
    assert any(message in line for line in problems(folder)), problems(folder)


def test_many_problems_are_counted_not_listed(folder):
    entry = {"sha256": "0" * 64, "size_bytes": 1}
    reseal(folder, lambda document: document["files"].update({f"ghost{n}": entry for n in range(5_000)}))
    found = problems(folder)
    assert len(found) == 200
    assert found[-1] == "and 4801 more problems"


@pytest.mark.parametrize("text", ["[" * 50_000, '{"a":' * 50_000, "1" * 5_000, '{"format": NaN}', "\x00", "{}"])
@pytest.mark.parametrize("name", ["agreement.json", "errata.json", "provenance.json", "manifest.json"])
def test_a_document_that_is_none_is_named(folder, name, text):
    (folder / name).write_text(text)
    if name == "manifest.json":
        (folder / "manifest.sha256").write_bytes(seal(text.encode()))
    else:
        reseal(folder)
    assert any(line.startswith(name) for line in problems(folder))
