"""Leakage: pictures that another folder, release or hash list contains are found by id, hash and pixels; look-alikes
are not.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from picture_copies import COPIES, parallax, photograph

from benchwright.canonical import file_digest
from benchwright.diagnostics.copies.hash_lists import read_hash_list, write_hash_list
from benchwright.diagnostics.copies.picture_hashes import KnownPicture
from benchwright.diagnostics.copies.search import SureLeak, sure_leaks
from benchwright.errors import BenchwrightError, DataError, PrerequisiteError, RecipeError
from benchwright.filters.cli.contamination import hashes, leakage
from benchwright.filters.cli.duplicates import duplicates
from benchwright.filters.contamination.leakage import Leakage
from benchwright.pipeline import run_steps
from benchwright.recipe import parse_recipe

pytestmark = pytest.mark.slow


def run(command: Any, *args: str | Path) -> Result:
    return CliRunner().invoke(command, [*map(str, args), "--workers", "2", "--json"], catch_exceptions=False)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder `mine` with five pictures, and `train` with four of them in other files."""
    root = tmp_path_factory.mktemp("leaks")
    for name in ("mine", "train"):
        (root / name).mkdir()
    for name in ("astronaut", "chelsea", "coffee", "rocket", "moon"):
        photograph(name).save(root / "mine" / f"{name}.png")
    (root / "train" / "same bytes.png").write_bytes((root / "mine" / "astronaut.png").read_bytes())
    photograph("chelsea").save(root / "train" / "same pixels.bmp")
    COPIES["cropped"](photograph("coffee")).save(root / "train" / "crop.jpg", quality=85)
    COPIES["captioned"](photograph("rocket")).save(root / "train" / "caption.jpg", quality=85)
    return root


def leaks(result: Result) -> dict[str, tuple[str, str, str]]:
    document = json.loads(result.stdout)
    return {one["path"]: (one["kind"], one["name"], one["by"]) for one in document["leaks"]}


ALL = {
    "astronaut.png": ("leak", "same bytes.png", "file"),
    "chelsea.png": ("leak", "same pixels.bmp", "pixels"),
    "coffee.png": ("leak", "crop.jpg", "look"),
    "rocket.png": ("leak", "caption.jpg", "look"),
}


def test_a_folders_leaks_are_found_by_bytes_pixels_and_look(places: Path) -> None:
    result = run(leakage, places / "mine", "--against", places / "train")
    assert leaks(result) == ALL
    assert result.exit_code == 1


def test_another_view_of_a_scene_is_asked_about(tmp_path: Path) -> None:
    for folder in ("mine", "train"):
        (tmp_path / folder).mkdir()
    photo = photograph("astronaut")
    photo.crop((0, 0, 440, 512)).save(tmp_path / "mine" / "here.png")
    parallax(photo).crop((0, 0, 440, 510)).save(tmp_path / "train" / "there.png")
    result = run(leakage, tmp_path / "mine", "--against", tmp_path / "train")
    assert leaks(result) == {"here.png": ("ask", "there.png", "look")}


def test_duplicates_are_checked_against_other_folders_too(places: Path) -> None:
    result = run(duplicates, places / "mine", "--against", places / "train")
    assert leaks(result) == ALL
    assert result.exit_code == 1
    assert json.loads(result.stdout)["groups"] == []


def test_no_leak_exits_with_0(places: Path, tmp_path: Path) -> None:
    photograph("coffee").save(tmp_path / "coffee.png")
    (tmp_path / "mine").mkdir()
    photograph("moon").save(tmp_path / "mine" / "moon.png")
    result = run(leakage, tmp_path / "mine", "--against", places / "train")
    assert (leaks(result), result.exit_code) == ({}, 0)


def test_a_hash_list_finds_what_is_equal_and_asks_about_the_rest(places: Path, tmp_path: Path) -> None:
    listed = run(hashes, places / "train", "--out", tmp_path / "train.hashes")
    assert json.loads(listed.stdout) == {"out": str(tmp_path / "train.hashes"), "pictures": 4}
    result = run(leakage, places / "mine", "--against", tmp_path / "train.hashes")
    found = leaks(result)
    assert {name: found[name] for name in ("astronaut.png", "chelsea.png")} == {
        name: ALL[name] for name in ("astronaut.png", "chelsea.png")
    }
    assert found["coffee.png"] == ("ask", "crop.jpg", "hash")
    assert result.exit_code == 1


def test_a_list_is_not_overwritten(places: Path, tmp_path: Path) -> None:
    (tmp_path / "list").write_text("mine")
    with pytest.raises(BenchwrightError, match="already exists"):
        run(hashes, places / "train", "--out", tmp_path / "list")


def test_somebody_elses_list_of_hashes_and_ids_is_read(places: Path, tmp_path: Path) -> None:
    digest = file_digest(places / "mine" / "moon.png")
    (tmp_path / "list.txt").write_text(f"# training set\n\n{digest.upper()}\nf00df00df00df00d\ncoco:000000123\n")
    assert read_hash_list(tmp_path / "list.txt") == [
        KnownPicture(digest.upper(), image_id=digest, pixel_hash=digest),
        KnownPicture("f00df00df00df00d", phash=0xF00D_F00D_F00D_F00D),
        KnownPicture("coco:000000123", canonical_id="coco:000000123"),
    ]
    assert leaks(run(leakage, places / "mine", "--against", tmp_path / "list.txt"))["moon.png"][2] == "file"


def test_a_canonical_id_comes_before_hashes() -> None:
    mine = [KnownPicture("a", image_id="1", canonical_id="coco:1"), KnownPicture("b", image_id="2")]
    others = [
        KnownPicture("x", image_id="1"),
        KnownPicture("y", canonical_id="coco:1"),
        KnownPicture("z", image_id="2"),
    ]
    assert sure_leaks(mine, others) == {0: SureLeak(1, "canonical_id"), 1: SureLeak(2, "file")}


def test_a_list_survives_being_written_and_read(tmp_path: Path) -> None:
    pictures = [KnownPicture("é\n", "0" * 64, "vg:1", "1" * 64, 0, 2**64 - 1, 5, ""), KnownPicture("b")]
    write_hash_list(tmp_path / "list", pictures)
    assert read_hash_list(tmp_path / "list") == pictures


HEAD = '{"format":"benchwright/hashes","version":1}\n'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"\xff\xd8\xff\xe0", "is not UTF-8 text", id="a picture"),
        pytest.param(b"hello\n", "line 1: 'hello' is neither 64 nor 16 hexadecimal digits", id="prose"),
        pytest.param(b'{"format":"other","version":1}\n', "the format is 'other'", id="other format"),
        pytest.param(b'{"format":"benchwright/hashes","version":2}\n', "has version 2", id="newer"),
        pytest.param(HEAD.encode() + b"{\n", "line 2 is not JSON", id="torn"),
        pytest.param(HEAD.encode() + b"[]\n", "line 2 is not a JSON object", id="list"),
        pytest.param(HEAD.encode() + b'{"name":"a","phash":"xyz"}\n', "line 2 is not a picture entry", id="no hash"),
        pytest.param(
            HEAD.encode() + b'{"name":"a","words":"AAAA"}\n', "line 2 is not a picture entry", id="torn words"
        ),
        pytest.param(HEAD.encode() + b'{"phash":"0000000000000000"}\n', "line 2 is not a picture entry", id="nameless"),
    ],
)
def test_a_list_that_is_wrong_is_refused_with_its_line(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "list").write_bytes(content)
    with pytest.raises(DataError, match=words):
        read_hash_list(tmp_path / "list")


def test_a_recipe_drops_what_leaked_and_again_does_nothing(places: Path, tmp_path: Path) -> None:
    text = "name: x\nsteps:\n  - step: leakage\n    against: [train]\n"
    [(_, step)] = parse_recipe(text, "r.yaml", places).steps
    for executed in (True, False):
        done = run_steps([step], images=places / "mine", workspace=tmp_path / "w", workers=1)
        assert bool(done.executed) == executed
        assert done.steps[-1].dropped == {"leaked": 4}


def test_the_content_of_what_is_checked_against_is_what_counts(places: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    for path in (places / "train").iterdir():
        (tmp_path / "copy" / path.name).write_bytes(path.read_bytes())
    one, other = (Leakage.model_validate({"against": [str(place)]}) for place in (places / "train", tmp_path / "copy"))
    assert one.parameters() == other.parameters()
    (tmp_path / "copy" / "crop.jpg").unlink()
    assert Leakage.model_validate({"against": [str(tmp_path / "copy")]}).parameters() != one.parameters()


def test_a_place_that_is_not_there_is_refused_with_its_name() -> None:
    text = "name: x\nsteps:\n  - step: leakage\n    against: [nowhere]\n"
    with pytest.raises(RecipeError, match="nowhere does not exist; give a folder of pictures"):
        parse_recipe(text, "r.yaml", Path())


def test_what_is_known_by_digest_only_cannot_be_checked_against(places: Path, tmp_path: Path) -> None:
    step = Leakage.model_validate({"against": ["sha256:" + "0" * 64]})
    with pytest.raises(PrerequisiteError, match="known by digest only"):
        run_steps([step], images=places / "mine", workspace=tmp_path / "w", workers=1)
