"""`release takedown`: an image and all made from it leave the next version; releases that hold it are listed.

- The next run or freeze leaves its items out; the rest stays unchanged, decisions and earlier releases too.
- The command names releases that show the image, its file without metadata, or pictures made from it.
- Its copies leave as well: files of equal pixels, and images that a step dropped as a copy. Possible copies are named,
  and nothing is withdrawn before the user decides on them.
- The output counts the withdrawn records; none at all is exit code 1.
- A withdrawal is recorded with reason and name, and can be undone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from photograph_bench import write_quiz
from PIL import Image, ImageOps
from walks import in_process, run_json, tree_digest

from benchwright.errors import DataError
from benchwright.pipeline import open_view
from benchwright.release import Release, verify_release
from benchwright.workspace.takedowns import takedowns_of
from benchwright.workspace.workspace import Workspace

pytestmark = pytest.mark.slow

WITHDRAWN = ("release", "takedown", "items.asked:cup.jpg", "--why", "The person asked us to", "--by", "ada")


@pytest.fixture
def quiz(tmp_path: Path) -> Path:
    """A workspace whose release `quiz-1.0` has an item about each of three photographs."""
    recipe = write_quiz(tmp_path / "quiz", "cup.jpg", "plate.png", "spoon.jpg")
    done = in_process("run", recipe, "--workspace", tmp_path / "w", "--workers", "1")
    assert done.returncode == 0, done.stderr
    return tmp_path / "w"


def run_again(quiz: Path, version: str) -> Any:
    recipe = quiz.parent / "quiz" / "quiz.yaml"
    recipe.write_text(recipe.read_text().replace('version: "1.0"', f'version: "{version}"'), encoding="utf-8")
    return in_process("run", recipe, "--workspace", quiz, "--workers", "1")


def test_the_next_version_does_without_the_image_and_all_else_stays(quiz: Path) -> None:
    before = tree_digest(quiz)
    document = run_json(*WITHDRAWN, "--workspace", quiz, "--json")
    assert (document["file"], document["items"], document["holds"], document["is_new"]) == (
        "items.asked:cup.jpg",
        1,
        True,
        True,
    )
    [holding] = document["releases"]
    [item] = holding["items"]
    assert (holding["name"], Path(holding["path"]).name) == ("quiz 1.0", "quiz-1.0")
    assert tree_digest(quiz) == before
    assert run_again(quiz, "1.0").returncode != 0, "a version never changes"
    assert run_again(quiz, "1.1").returncode == 0
    old, new = (Release.open(quiz / "releases" / f"quiz-{version}") for version in ("1.0", "1.1"))
    assert {one.item.item_id for one in old.items()} - {one.item.item_id for one in new.items()} == {item}
    assert len(new) == 2
    assert verify_release(new.path).ok
    assert document["image_id"] not in (new.path / "provenance.json").read_text()


def test_it_is_found_by_the_id_of_a_released_file_and_taken_back(quiz: Path) -> None:
    release = Release.open(quiz / "releases" / "quiz-1.0")
    roots = {image_id: one.item.root_image_id for one in release.items() for image_id in one.images}
    cut, root = next((cut, root) for cut, root in sorted(roots.items()) if cut != root)
    done = in_process("release", "takedown", cut[:16], "--why", "rights", "--by", "ada", "--workspace", quiz)
    assert done.returncode == 0, done.stderr
    assert "withdrawn" in done.stdout
    assert "quiz-1.0 uses it in 1 of its items" in done.stdout
    [entry] = takedowns_of(Workspace(quiz))
    assert (entry.image_id, entry.why, entry.by, entry.holds) == (root, "rights", "ada", True)
    again = run_json("release", "takedown", root, "--why", "twice", "--by", "bo", "--workspace", quiz, "--json")
    assert (again["is_new"], again["why"]) == (False, "rights")
    assert len(list(open_view(quiz).items())) == 2
    back = run_json(
        "release", "takedown", root, "--why", "settled", "--by", "bo", "--undo", "--workspace", quiz, "--json"
    )
    assert (back["holds"], back["undone_by"], back["why"]) == (False, "bo", "rights")
    assert len(takedowns_of(Workspace(quiz))) == 1
    assert len(list(open_view(quiz).items())) == 3


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("release", "takedown", "fork.jpg", "--why", "x"), "no image, item or file 'fork.jpg'"),
        (("release", "takedown", "items.asked:cup.jpg", "--why", " "), "--why takes 1 to 2000"),
        (("release", "takedown", "items.asked:cup.jpg", "--why", "x", "--undo"), "nothing to take back"),
    ],
)
def test_what_cannot_be_withdrawn_is_said(quiz_of_module: Path, arguments: tuple[str, ...], problem: str) -> None:
    done = in_process(*arguments, "--workspace", quiz_of_module)
    assert done.returncode != 0
    assert problem in done.stderr


@pytest.fixture(scope="module")
def quiz_of_module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quiz")
    recipe = write_quiz(folder / "quiz", "cup.jpg")
    assert in_process("run", recipe, "--workspace", folder / "w", "--workers", "1").returncode == 0
    return folder / "w"


def test_a_damaged_list_of_withdrawals_stops_a_freeze(quiz_of_module: Path) -> None:
    path = quiz_of_module / "takedowns.json"
    path.write_text(json.dumps({"format": "benchwright/takedowns", "version": 1, "takedowns": [{"image_id": "x"}]}))
    with pytest.raises(DataError, match=r"takedowns\.json"):
        open_view(quiz_of_module)
    path.unlink()


def test_a_file_of_equal_pixels_is_withdrawn_too_and_comes_back_with_it(tmp_path: Path) -> None:
    recipe = write_quiz(tmp_path / "quiz", "cup.jpg", "plate.png", "again.png")
    with Image.open(tmp_path / "quiz" / "cup.jpg") as picture:
        ImageOps.exif_transpose(picture).convert("RGB").save(tmp_path / "quiz" / "again.png")
    assert in_process("run", recipe, "--workspace", tmp_path / "w", "--workers", "1").returncode == 0
    document = run_json(*WITHDRAWN, "--workspace", tmp_path / "w", "--json")
    assert (document["items"], document["made"], document["looked_for_near"]) == (2, 0, False)
    assert [(picture["files"], picture["how"]) for picture in document["pictures"]] == [
        (["items.asked:cup.jpg"], "named"),
        (["items.asked:again.png"], "equal pixels"),
    ]
    assert len(document["releases"][0]["items"]) == 2
    assert run_again(tmp_path / "w", "1.1").returncode == 0
    assert len(Release.open(tmp_path / "w" / "releases" / "quiz-1.1")) == 1
    run_json(*WITHDRAWN, "--undo", "--workspace", tmp_path / "w", "--json")
    assert not any(entry.holds for entry in takedowns_of(Workspace(tmp_path / "w")))


COPIES = """\
name: copies
seed: 3
shards: 2
steps:
  - step: near_duplicates
    protected: ["b*"]
  - step: jigsaw
    min_tile_px: 16
    likeness: keep
"""


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of three photographs: a smaller copy of one was dropped, that of another is protected."""
    from skimage import data

    folder = tmp_path_factory.mktemp("copied")
    (folder / "images").mkdir()
    for name, pixels in (("a", data.astronaut()), ("b", data.coffee()), ("c", data.chelsea())):
        picture = Image.fromarray(pixels).resize((40, 30) if name == "c" else (320, 240))  # too small to ask about
        picture.save(folder / "images" / f"{name}.png")
        if name != "c":
            picture.resize((240, 180)).save(folder / "images" / f"{name}-small.png")
    (folder / "copies.yaml").write_text(COPIES, encoding="utf-8")
    run = ("run", folder / "copies.yaml", "--images", folder / "images", "--workspace", folder / "w", "--workers", "1")
    done = in_process(*run)
    assert done.returncode == 0, done.stderr
    return folder / "w"


def test_the_picture_whose_copy_was_dropped_is_withdrawn_with_what_was_made_of_it(copied: Path) -> None:
    document = run_json(
        "release", "takedown", "a-small.png", "--why", "x", "--by", "ada", "--workspace", copied, "--json"
    )
    assert document["items"] > 0
    assert document["made"] > 0
    assert [picture["files"] for picture in document["pictures"]] == [["a-small.png"], ["a.png"]]
    [near] = [picture["how"] for picture in document["pictures"][1:]]
    assert near.startswith("near_duplicates")
    source = document["pictures"][1]["image_id"]
    assert source not in {item.root_image_id for item, _ in open_view(copied).items()}


def test_pictures_that_may_be_copies_are_named_before_anything_is_withdrawn(copied: Path) -> None:
    words = ("release", "takedown", "b-small.png", "--why", "x", "--by", "ada", "--workspace", copied)
    before = takedowns_of(Workspace(copied))
    done = in_process(*words)
    assert done.returncode == 2
    assert "b.png" in done.stderr
    assert takedowns_of(Workspace(copied)) == before
    left = run_json(*words, "--copies", "certain", "--json")
    assert [picture["files"] for picture in left["possible"]] == [["b.png"]]
    both = run_json(*words, "--copies", "all", "--json")
    assert [picture["files"] for picture in both["pictures"]] == [["b-small.png"], ["b.png"]]
    assert both["items"] > left["items"]


def test_what_only_an_earlier_release_has_names_that_release(quiz: Path) -> None:
    items = Release.open(quiz / "releases" / "quiz-1.0").items()
    [item] = [one for one in items if one.item.question == "What is number 0?"]
    table = quiz.parent / "quiz" / "quiz.csv"
    table.write_text(table.read_text().replace("What is number 0?,noise,silence,A,cup.jpg\n", ""), encoding="utf-8")
    (quiz.parent / "quiz" / "cup.jpg").unlink()
    assert run_again(quiz, "1.1").returncode == 0
    for image_id in {item.item.root_image_id, *item.images}:
        done = in_process("release", "takedown", image_id, "--why", "x", "--by", "ada", "--workspace", quiz)
        assert done.returncode == 2
        assert "quiz-1.0 in 1 of its items" in done.stderr
        assert "quiz-1.1" not in done.stderr


@pytest.fixture(scope="module")
def without_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of one photograph with the release `copies-1.1`; `copies-1.0` has items of its larger copy too."""
    from skimage import data

    folder = tmp_path_factory.mktemp("without-copy")
    (folder / "images").mkdir()
    picture = Image.fromarray(data.coffee()).resize((320, 240))
    picture.save(folder / "images" / "b.png")
    picture.resize((240, 180)).save(folder / "images" / "b-small.png")
    recipe = folder / "copies.yaml"
    run = ("run", recipe, "--images", folder / "images", "--workspace", folder / "w", "--workers", "1")
    for version in ("1.0", "1.1"):
        freeze = f"  - {{step: freeze, name: copies, version: '{version}'}}\n"
        recipe.write_text(COPIES + freeze, encoding="utf-8")
        done = in_process(*run)
        assert done.returncode == 0, done.stderr
        (folder / "images" / "b.png").unlink(missing_ok=True)
    return folder / "w"


def test_a_made_picture_names_the_source_to_withdraw_by_its_id_and_its_file(without_copy: Path, tmp_path: Path) -> None:
    released = next(Release.open(without_copy / "releases" / "copies-1.1").items())
    image_id, data = next(iter(released.images.items()))
    (tmp_path / "tile.png").write_bytes(data)
    for name in (image_id, image_id[:16], tmp_path / "tile.png"):
        done = in_process("release", "takedown", name, "--why", "x", "--by", "ada", "--workspace", without_copy)
        assert done.returncode == 2
        assert "is a picture that the recipe made from b-small.png: withdraw that" in done.stderr
    assert takedowns_of(Workspace(without_copy)) == []


def test_items_of_an_earlier_release_that_may_show_a_copy_which_is_gone_since_are_listed(without_copy: Path) -> None:
    words = ("release", "takedown", "b-small.png", "--why", "x", "--by", "ada", "--workspace", without_copy)
    old, new = run_json(*words, "--json")["releases"]
    assert (len(old["items"]), len(old["possible"]), new["possible"]) == (len(new["items"]), len(new["items"]), [])
    assert "may show a copy" in in_process(*words).stdout


def test_a_withdrawal_that_concerns_no_item_says_so(copied: Path) -> None:
    done = in_process("release", "takedown", "c.png", "--why", "x", "--by", "ada", "--workspace", copied)
    assert done.returncode == 1
    assert "leaves out 0 items" in done.stdout
    assert any(entry.uri == "c.png" and entry.holds for entry in takedowns_of(Workspace(copied)))
