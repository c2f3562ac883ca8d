"""`release splits`: planted leaks across splits are found, and tasks are held against their targets."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from small_bench import Bench, small_bench
from walks import in_process

from benchwright.exports.split_check import check_splits
from benchwright.records import Choice, ImageRecord, ItemImage

pytestmark = pytest.mark.slow


def _scene(seed: int) -> Image.Image:
    pixels = np.random.default_rng(seed).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    return Image.fromarray(pixels).resize((240, 180), Image.Resampling.BICUBIC)


def _add(bench: Bench, picture: Image.Image, split: str, number: int, **fields: Any) -> str:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    data = buffer.getvalue()
    image_id = hashlib.sha256(data).hexdigest()
    record = ImageRecord(
        image_id=image_id, width=picture.width, height=picture.height, media_type="image/png", size_bytes=len(data),
        root_image_id=image_id,
    )  # fmt: skip
    bench.files[image_id], bench.records[image_id] = data, record
    settings: dict[str, Any] = {
        "task": "counting",
        "question": f"How many boats are in view {number}?",
        "images": (ItemImage(image_id=image_id, role="view"),),
        "choices": (Choice(key="A", text="one"), Choice(key="B", text="two")),
        "answer": "A",
    }
    item = bench.add(record, split, number, **{**settings, **fields})
    return str(item.item_id)


def test_of_splits_in_which_nothing_is_found_nobody_knows_whether_they_are_apart(tmp_path: Path) -> None:
    bench = Bench()
    for number in range(6):
        _add(bench, _scene(number), "test" if number % 2 else "val", number)
    check = check_splits(bench.write(tmp_path / "r"))
    assert check.is_apart is None
    assert (check.pictures, dict(check.equal_texts), check.unreadable) == (6, {}, ())


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda picture: picture.resize((200, 150)), id="smaller"),
        pytest.param(lambda picture: picture.point(lambda level: level * 0.9 + 5), id="darker"),
        pytest.param(lambda picture: picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT), id="mirrored"),
    ],
)
def test_a_near_copy_in_another_split_is_found_and_one_in_the_same_is_not(
    change: Callable[[Image.Image], Image.Image], tmp_path: Path
) -> None:
    bench = Bench()
    first = _add(bench, _scene(1), "test", 1)
    second = _add(bench, change(_scene(1)), "val", 2)
    _add(bench, _scene(2), "val", 3)
    _add(bench, change(_scene(2)), "val", 4)
    check = check_splits(bench.write(tmp_path / "r"))
    assert [(pair.first_item, pair.second_item) for pair in check.near_pictures] == [(first, second)]
    assert check.is_apart is False


def test_a_picture_and_a_group_key_in_two_splits_are_found(tmp_path: Path) -> None:
    bench = Bench()
    _add(bench, _scene(1), "test", 1)
    _add(bench, _scene(1), "val", 2)
    _add(bench, _scene(2), "test", 3, group_keys=("scene:quay",))
    _add(bench, _scene(3), "val", 4, group_keys=("scene:quay",))
    check = check_splits(bench.write(tmp_path / "r"))
    [(_, splits)] = check.shared_pictures.items()
    assert splits == ("test", "val")
    assert check.shared_groups["scene:quay"] == ("test", "val")
    assert not check.near_pictures


def test_texts_are_equal_but_for_case_and_punctuation(tmp_path: Path) -> None:
    bench = Bench()
    _add(bench, _scene(1), "test", 1, question="Which boat is red?")
    _add(bench, _scene(2), "val", 2, question="which boat is red")
    _add(bench, _scene(3), "val", 3, question="Which boat is blue?")
    assert check_splits(bench.write(tmp_path / "r")).equal_texts == {"counting": 2}


def test_residuals_are_those_from_the_recipe_s_fractions(tmp_path: Path) -> None:
    bench = Bench()
    for number in range(5):
        _add(bench, _scene(number), "test" if number else "val", number)
    recipe = {"name": "tiny", "seed": 17, "steps": [{"step": "splits", "fractions": {"test": 0.5, "val": 0.5}}]}
    shares = check_splits(bench.write(tmp_path / "r", recipe=recipe)).shares
    # 5 items of one task, half of them 2.5: test has 4, val has 1.
    assert [(share.split, share.items, share.target, share.residual) for share in shares] == [
        ("test", 4, 2.5, 1.5),
        ("val", 1, 2.5, -1.5),
    ]


def test_the_command_says_it_with_its_exit_code(tmp_path: Path) -> None:
    bench = Bench()
    _add(bench, _scene(1), "test", 1)
    _add(bench, _scene(1).resize((200, 150)), "val", 2)
    release = bench.write(tmp_path / "r")
    done = in_process("release", "splits", release.path, "--json")
    assert (done.returncode, json.loads(done.stdout)["near_pictures_count"]) == (1, 1)
    assert "1 pair of nearly equal hashes" in in_process("release", "splits", release.path).stdout
    assert in_process("release", "splits", small_bench().write(tmp_path / "s").path, "--max-bits", 40).returncode == 2


def test_a_crop_across_splits_is_not_known_and_is_said_not_to_be_looked_for(tmp_path: Path) -> None:
    bench = Bench()
    _add(bench, _scene(1), "val", 1)
    _add(bench, _scene(1).crop((90, 60, 230, 165)), "test", 2)
    release = bench.write(tmp_path / "r")
    done = in_process("release", "splits", release.path, "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["apart"], document["near_pictures_count"]) == (1, None, 0)
    assert "crops" in document["not_looked_for"]
    text = in_process("release", "splits", release.path).stdout
    assert "not looked for, so not known: crops, recolourings" in text


def test_a_single_split_is_apart(tmp_path: Path) -> None:
    bench = Bench()
    _add(bench, _scene(1), "test", 1)
    assert in_process("release", "splits", bench.write(tmp_path / "r").path).returncode == 0
