"""Pictures for the browser: made once for many requests, dropped when too many, errors reported to all."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from walks import run_json

from benchwright.annotation.app.base import shown_pictures as module
from benchwright.annotation.app.base.shown_pictures import ShownPictures
from benchwright.canonical import file_digest
from benchwright.errors import DataError
from benchwright.images import decode_rgb, encode_png
from benchwright.records import ItemImage, VisualPrompt

RECIPE = "name: few\nshards: 2\nsteps:\n  - step: jigsaw\n    min_tile_px: 16\n    likeness: keep\n"
RING = ((60.0, 60.0),)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shown")
    (folder / "images").mkdir()
    rng = np.random.default_rng(2)
    for number in range(4):
        pixels = rng.integers(0, 256, (200 + number, 300, 3), dtype=np.uint8)
        (folder / "images" / f"{number}.png").write_bytes(encode_png(pixels))
    (folder / "few.yaml").write_text(RECIPE, encoding="utf-8")
    run_json("run", folder / "few.yaml", "--images", folder / "images", "--workspace", folder / "workspace")
    return folder


@pytest.fixture
def picture_of(folder: Path) -> Callable[[int], ItemImage]:
    def found(number: int) -> ItemImage:
        image_id = file_digest(folder / "images" / f"{number}.png")
        ring = VisualPrompt(kind="ring", image_id=image_id, points=RING)
        return ItemImage(image_id=image_id, role="view", prompts=(ring,))

    return found


def test_a_small_picture_keeps_every_pixel(folder: Path, picture_of: Callable[[int], ItemImage]) -> None:
    shown = ShownPictures(folder / "workspace")
    found = shown.picture(picture_of(1))
    assert found.full_wh == shown.size(picture_of(1)) == (300, 201)
    assert (decode_rgb(found.data) == decode_rgb(folder / "images" / "1.png")).all()
    assert shown.marks(picture_of(1)).full_wh == (300, 201)


def test_a_made_picture_is_sent_as_it_was_made_and_a_photograph_without_what_is_no_pixel(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    photograph = Image.fromarray(np.random.default_rng(3).integers(0, 256, (8, 12, 3), dtype=np.uint8)).resize(
        (300, 200)
    )
    words = PngInfo()
    words.add_text("Comment", "where it was taken")
    photograph.save(tmp_path / "images" / "a.png", pnginfo=words)
    (tmp_path / "few.yaml").write_text(RECIPE, encoding="utf-8")
    workspace = tmp_path / "workspace"
    run_json("run", tmp_path / "few.yaml", "--images", tmp_path / "images", "--workspace", workspace, "--copy")
    shown = ShownPictures(workspace)
    objects = {file_digest(path): path for path in (workspace / "objects").rglob("*") if path.is_file()}
    own = file_digest(tmp_path / "images" / "a.png")
    made = [image_id for image_id in objects if image_id != own]
    assert len(made) == 3
    for image_id in made:
        sent = shown.picture(ItemImage(image_id=image_id, role="view"))
        assert (sent.media_type, sent.data) == ("image/jpeg", objects[image_id].read_bytes())
    assert b"where it was taken" not in shown.picture(ItemImage(image_id=own, role="view")).data


def test_a_coarse_picture_is_small_and_made_of_the_one_that_is_kept(
    folder: Path, picture_of: Callable[[int], ItemImage], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "COARSE_PX", 150)
    shown = ShownPictures(folder / "workspace")
    whole = shown.picture(picture_of(1))
    monkeypatch.setattr(module.ImageFiles, "data", None)
    coarse = shown.coarse(picture_of(1))
    assert (coarse.width, coarse.height, coarse.full_wh) == (150, 100, whole.full_wh)
    assert len(coarse.data) < len(whole.data) / 4
    assert shown.coarse(picture_of(1)) is coarse


def test_tiles_are_the_pictures_own_pixels_and_those_of_one_picture_are_decoded_once(
    folder: Path, picture_of: Callable[[int], ItemImage], monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded = []
    monkeypatch.setattr(module, "DETAIL_PX", 128)
    monkeypatch.setattr(module, "decode_rgb", lambda data: decoded.append(1) or decode_rgb(data))
    shown, pixels = ShownPictures(folder / "workspace"), decode_rgb(folder / "images" / "3.png").astype(int)
    for column, row, shape in ((0, 0, (128, 128)), (2, 0, (128, 44)), (1, 1, (75, 128))):
        tile = shown.detail(picture_of(3), column=column, row=row)
        here = pixels[row * 128 : (row + 1) * 128, column * 128 : (column + 1) * 128]
        assert here.shape[:2] == shape == (tile.height, tile.width)
        assert np.abs(decode_rgb(tile.data).astype(int) - here).mean() < 8, "noise, and JPEG of it"
    assert len(decoded) == 1
    for beyond in ((3, 0), (0, 2), (-1, 0)):
        with pytest.raises(IndexError):
            shown.detail(picture_of(3), column=beyond[0], row=beyond[1])


def test_many_who_ask_at_once_wait_for_one_that_makes_it(
    folder: Path, picture_of: Callable[[int], ItemImage], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, made, go = ShownPictures(folder / "workspace"), [], threading.Event()
    genuine = module.preview

    def slow(data: bytes, **settings: int) -> object:
        made.append(len(data))
        go.wait(10)
        return genuine(data, **settings)

    monkeypatch.setattr(module, "preview", slow)
    found: list[object] = []
    askers = [threading.Thread(target=lambda: found.append(shown.picture(picture_of(0)))) for _ in range(6)]
    for asker in askers:
        asker.start()
    go.set()
    for asker in askers:
        asker.join()
    assert len(made) == 1
    assert len({id(one) for one in found}) == 1


def test_what_is_kept_is_bounded(
    folder: Path, picture_of: Callable[[int], ItemImage], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEPT_BYTES", 250_000)
    shown = ShownPictures(folder / "workspace")
    sizes = [len(shown.picture(picture_of(number)).data) for number in range(4)]
    assert sum(sizes) > 250_000
    assert sum(len(one.data) for one in shown._kept.values()) == shown._bytes <= 250_000


def test_a_file_that_changed_is_an_error_for_all_and_found_again_when_it_is_back(
    folder: Path, picture_of: Callable[[int], ItemImage]
) -> None:
    shown, image = ShownPictures(folder / "workspace"), picture_of(3)
    path = folder / "images" / "3.png"
    before = path.read_bytes()
    path.write_bytes(before + b"x")
    for _ in range(2):
        with pytest.raises(DataError, match="has changed"):
            shown.picture(image)
    shown.warm([image])
    assert shown.size(image) == (4, 3)
    path.write_bytes(before)
    assert shown.picture(image).full_wh == shown.size(image) == (300, 203)


def test_whoever_asks_once_a_file_is_back_gets_it_though_somebody_still_tries_with_what_it_was(
    folder: Path, picture_of: Callable[[int], ItemImage], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, image = ShownPictures(folder / "workspace"), picture_of(3)
    begun, go, genuine = threading.Event(), threading.Event(), module.ShownPictures._picture

    def first_fails(self: ShownPictures, image_id: str) -> object:
        if not begun.is_set():
            begun.set()
            go.wait(10)
            raise DataError("it has changed")
        return genuine(self, image_id)

    monkeypatch.setattr(module.ShownPictures, "_picture", first_fails)
    shown.warm([image])
    begun.wait(10)
    threading.Timer(0.05, go.set).start()
    assert shown.picture(image).full_wh == (300, 203)
