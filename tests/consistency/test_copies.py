"""Copies of pictures: every command that reports them names the same pictures.

One small release has copies across its splits and within one, and two cards of a series that are different pictures.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from audited_benches import picture
from PIL import Image, ImageDraw, ImageFont
from small_bench import Bench
from walks import in_process

from benchwright.records import Choice, ImageRecord, ItemImage

pytestmark = pytest.mark.slow

Pairs = set[frozenset[str]]


class Planted(NamedTuple):
    """The release, the folder with its pictures, each named by its id, and what is planted, as pairs of items."""

    release: Path
    pictures: Path
    shared: Pairs
    across: Pairs
    within: Pairs
    picture_of: dict[str, str]

    def as_items(self, *pictures: str) -> frozenset[str]:
        """Return the items that show some pictures."""
        return frozenset(item for item, shown in self.picture_of.items() if shown in pictures)


def _card(words: str) -> Image.Image:
    card = Image.new("RGB", (300, 220), "#f4e9c8")
    draw = ImageDraw.Draw(card)
    draw.rectangle((8, 8, 291, 211), outline="#884422", width=5)
    for line, word in enumerate(words.split()):
        draw.text((150, 60 + 60 * line), word, fill="black", font=ImageFont.load_default(size=44), anchor="mm")
    return card


def _as(image: Image.Image, form: str, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    bench = Bench()
    picture_of: dict[str, str] = {}

    def shown(data: bytes, split: str) -> str:
        image_id = hashlib.sha256(data).hexdigest()
        with Image.open(io.BytesIO(data)) as image:
            record = ImageRecord(
                image_id=image_id, width=image.width, height=image.height, media_type=Image.MIME[image.format],
                size_bytes=len(data), root_image_id=image_id,
            )  # fmt: skip
        bench.files[image_id], bench.records[image_id] = data, record
        number = len(bench.items)
        item = bench.add(
            record, split, number, task="view", question=f"Is it number {number}?", answer="A", group_keys=(),
            images=(ItemImage(image_id=image_id, role="view"),),
            choices=(Choice(key="A", text="yes"), Choice(key="B", text="no")),
        )  # fmt: skip
        picture_of[item.item_id] = image_id
        return item.item_id

    def pair(first: bytes, second: bytes, *, splits: tuple[str, str] = ("test", "val")) -> frozenset[str]:
        return frozenset((shown(first, splits[0]), shown(second, splits[1])))

    one, two, three, four, five, six = (picture(seed) for seed in range(6))
    shared = {pair(_as(one, "PNG"), _as(one, "PNG"))}
    across = {
        pair(_as(two, "PNG"), _as(two, "WEBP", lossless=True)),
        pair(_as(three, "PNG"), _as(three.resize((130, 100)), "PNG")),
        pair(_as(four, "PNG"), _as(four.crop((25, 20, 200, 150)), "PNG")),
        pair(_as(five.transpose(Image.Transpose.FLIP_LEFT_RIGHT), "PNG"), _as(five, "JPEG", quality=80)),
    }
    within = {pair(_as(six, "PNG"), _as(six.resize((150, 115)), "PNG"), splits=("val", "val"))}
    pair(_as(_card("WINTER SALE"), "PNG"), _as(_card("SUMMER FEAST"), "PNG"))
    folder = tmp_path_factory.mktemp("copies")
    bench.write(folder / "release")
    (folder / "pictures").mkdir()
    for image_id, data in bench.files.items():
        (folder / "pictures" / image_id).write_bytes(data)
    return Planted(folder / "release", folder / "pictures", shared, across, within, picture_of)


def _answer(*arguments: object, code: int) -> Any:
    done = in_process(*arguments, "--json")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def _distinct(pairs: Iterable[frozenset[str]]) -> Pairs:
    found = list(pairs)
    assert len(found) == len(set(found))  # each is named once
    return set(found)


def test_release_splits_names_the_copies_across_splits(planted: Planted) -> None:
    document = _answer("release", "splits", planted.release, "--workers", 1, code=1)
    assert document["apart"] is False
    assert {planted.as_items(image_id) for image_id in document["shared_pictures"]} == planted.shared
    near = document["near_pictures"]
    assert _distinct(frozenset((pair["first_item"], pair["second_item"])) for pair in near) == planted.across
    assert document["near_pictures_count"] == len(planted.across)
    assert document["possible_pictures_count"] == 0


def test_filter_leakage_names_the_copies_across_splits(planted: Planted) -> None:
    leaks = _answer("filter", "leakage", planted.release, "--workers", 1, code=1)["leaks"]
    named = _distinct(planted.as_items(leak["path"].partition(":")[2], leak["name"]) for leak in leaks)
    assert named == planted.shared | planted.across
    assert {leak["kind"] for leak in leaks} == {"leak"}


def test_the_audit_names_the_copies_across_splits_and_within(planted: Planted, tmp_path: Path) -> None:
    findings = _answer("audit", planted.release, "--workers", 1, "--out", tmp_path / "audit", code=0)["findings"]
    named = {
        kind: _distinct(frozenset(finding["items"]) for finding in findings if finding["kind"] == kind)
        for kind in ("duplicate_picture_across_splits", "duplicate_picture", "similar_pictures", "scene_across_splits")
    }
    assert named == {
        "duplicate_picture_across_splits": planted.shared | planted.across,
        "duplicate_picture": planted.within,
        "similar_pictures": set(),
        "scene_across_splits": set(),
    }


def test_filter_duplicates_names_the_copies_among_the_pictures(planted: Planted) -> None:
    document = _answer("filter", "duplicates", planted.pictures, "--workers", 1, code=0)
    members = [(group["keep"], member) for group in document["groups"] for member in group["members"]]
    named = _distinct(planted.as_items(keep, member["path"]) for keep, member in members)
    assert named == planted.across | planted.within
    assert {member["kind"] for _, member in members} == {"exact", "near"}
    assert document["scenes"] == []
