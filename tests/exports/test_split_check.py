"""`release splits`: planted leaks across splits are found, and tasks are compared with their targets."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from audited_benches import picture
from PIL import Image
from small_bench import Bench
from walks import in_process

from benchwright.exports.split_check import check_splits
from benchwright.records import Choice, ImageRecord, ItemImage

pytestmark = pytest.mark.slow


def _scene(seed: int) -> Image.Image:
    pixels = np.random.default_rng(seed).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    return Image.fromarray(pixels).resize((240, 180), Image.Resampling.BICUBIC)


def _detailed(seed: int) -> Image.Image:
    return picture(seed).resize((312, 240), Image.Resampling.BICUBIC)


def _file(bench: Bench, image: Image.Image, *, cut_bytes: int = 0) -> ImageRecord:
    """Add a picture as a file that may lack its last bytes, and return its record."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    data = buffer.getvalue()[: len(buffer.getvalue()) - cut_bytes]
    image_id = hashlib.sha256(data).hexdigest()
    record = ImageRecord(
        image_id=image_id, width=image.width, height=image.height, media_type="image/png", size_bytes=len(data),
        root_image_id=image_id,
    )  # fmt: skip
    bench.files[image_id], bench.records[image_id] = data, record
    return record


def _add(bench: Bench, image: Image.Image, split: str, number: int, **fields: Any) -> str:
    record = _file(bench, image)
    settings: dict[str, Any] = {
        "task": "counting",
        "question": f"How many boats are in view {number}?",
        "images": (ItemImage(image_id=record.image_id, role="view"),),
        "choices": (Choice(key="A", text="one"), Choice(key="B", text="two")),
        "answer": "A",
    }
    item = bench.add(record, split, number, **{**settings, **fields})
    return str(item.item_id)


def test_splits_that_share_nothing_are_apart(tmp_path: Path) -> None:
    bench = Bench()
    for number in range(6):
        _add(bench, _scene(number), "test" if number % 2 else "val", number)
    check = check_splits(bench.write(tmp_path / "r"), workers=1)
    assert check.is_apart is True
    assert (check.pictures, dict(check.equal_texts), check.unreadable) == (6, {}, ())


def test_a_copy_in_another_split_is_found_and_one_in_the_same_is_not(tmp_path: Path) -> None:
    bench = Bench()
    first = _add(bench, _scene(1), "test", 1)
    second = _add(bench, _scene(1).point(lambda level: level * 0.9 + 5), "val", 2)
    _add(bench, _scene(2), "val", 3)
    _add(bench, _scene(2).resize((200, 150)), "val", 4)
    check = check_splits(bench.write(tmp_path / "r"), workers=1)
    assert [(pair.first_item, pair.second_item) for pair in check.near_pictures] == [(first, second)]
    assert check.is_apart is False


def test_where_a_picture_cannot_be_compared_nobody_knows_whether_splits_are_apart(tmp_path: Path) -> None:
    bench = Bench()
    _add(bench, _scene(1), "test", 1)
    torn = _file(bench, _scene(2), cut_bytes=900)
    bench.add(
        torn, "val", 2, task="counting", question="How many?", answer="A",
        images=(ItemImage(image_id=torn.image_id, role="view"),),
        choices=(Choice(key="A", text="one"), Choice(key="B", text="two")),
    )  # fmt: skip
    done = in_process("release", "splits", bench.write(tmp_path / "r").path, "--workers", 1, "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["apart"], document["unreadable"]) == (1, None, [torn.image_id])


def test_a_picture_and_a_group_key_in_two_splits_are_found(tmp_path: Path) -> None:
    bench = Bench()
    _add(bench, _scene(1), "test", 1)
    _add(bench, _scene(1), "val", 2)
    _add(bench, _scene(2), "test", 3, group_keys=("scene:quay",))
    _add(bench, _scene(3), "val", 4, group_keys=("scene:quay",))
    check = check_splits(bench.write(tmp_path / "r"), workers=1)
    [(_, splits)] = check.shared_pictures.items()
    assert splits == ("test", "val")
    assert check.shared_groups["scene:quay"] == ("test", "val")
    assert not check.near_pictures


def test_texts_are_equal_but_for_case_and_punctuation(tmp_path: Path) -> None:
    bench = Bench()
    _add(bench, _scene(1), "test", 1, question="Which boat is red?")
    _add(bench, _scene(2), "val", 2, question="which boat is red")
    _add(bench, _scene(3), "val", 3, question="Which boat is blue?")
    assert check_splits(bench.write(tmp_path / "r"), workers=1).equal_texts == {"counting": 2}


def test_residuals_are_those_from_the_recipe_s_fractions(tmp_path: Path) -> None:
    bench = Bench()
    for number in range(5):
        _add(bench, _scene(number), "test" if number else "val", number)
    recipe = {"name": "tiny", "seed": 17, "steps": [{"step": "splits", "fractions": {"test": 0.5, "val": 0.5}}]}
    shares = check_splits(bench.write(tmp_path / "r", recipe=recipe), workers=1).shares
    # 5 items of one task, half of them 2.5: test has 4, val has 1.
    assert [(share.split, share.items, share.target, share.residual) for share in shares] == [
        ("test", 4, 2.5, 1.5),
        ("val", 1, 2.5, -1.5),
    ]


def test_the_command_says_it_with_its_exit_code(tmp_path: Path) -> None:
    bench = Bench()
    _add(bench, _detailed(1), "test", 1)
    _add(bench, _detailed(1).crop((20, 15, 300, 225)), "val", 2)
    release = bench.write(tmp_path / "r")
    done = in_process("release", "splits", release.path, "--workers", 1)
    assert (done.returncode, "1 pair of copies" in done.stdout) == (1, True)
    assert in_process("release", "splits", release.path, "--distance", 40).returncode == 2


def test_a_pair_to_look_at_is_named_and_nothing_shared(tmp_path: Path) -> None:
    bench = Bench()
    first = _add(bench, _detailed(1), "test", 1)
    second = _add(bench, _detailed(1).crop((0, 0, 150, 130)), "val", 2)  # a detail of it
    check = check_splits(bench.write(tmp_path / "r"), workers=1)
    assert [(pair.verdict, pair.first_item, pair.second_item) for pair in check.possible_pictures] == [
        ("unsure", first, second)
    ]
    assert (check.near_pictures, check.is_apart) == ((), True)


def test_a_single_split_is_apart(tmp_path: Path) -> None:
    bench = Bench()
    _add(bench, _scene(1), "test", 1)
    assert in_process("release", "splits", bench.write(tmp_path / "r").path).returncode == 0
