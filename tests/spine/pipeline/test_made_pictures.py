"""A picture made by a step is encoded once, in the format that the step and the workspace's rule determine."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from PIL import Image

from benchwright.images import decode_rgb, encode_png
from benchwright.images.formats.walking import Limits
from benchwright.images.made_files import encode_lossless
from benchwright.images.made_pictures import MadeRule, encode_jpeg, is_lossless_webp
from benchwright.pipeline.planning.plan import plan
from benchwright.pipeline.stages.worker_context import StageContext, WorkerContext
from benchwright.records import ImageRecord
from benchwright.steps import MapStep, PictureFidelity, Stream
from benchwright.workspace.stage_input import StageInput
from benchwright.workspace.workspace import Workspace

SOURCE = ImageRecord(
    image_id="a" * 64, root_image_id="a" * 64, width=9, height=9, media_type="image/png", size_bytes=1,
    source={"uri": "a.png"},
)  # fmt: skip


class Exact(MapStep):
    """Makes pictures of which each pixel counts."""

    name: ClassVar[str] = "exact"
    consumes: ClassVar[Stream] = "images"


class Visual(Exact):
    """Makes pictures of which counts what people see."""

    name: ClassVar[str] = "visual"
    picture_fidelity: ClassVar[PictureFidelity] = "visual"


class Compared(Visual):
    """Makes pictures whose pixels a later step compares."""

    name: ClassVar[str] = "compared"
    pixels_compared: ClassVar[bool] = True


def pixels_of(seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (48, 64, 3), dtype=np.uint8)


@pytest.mark.parametrize(
    ("step", "rule", "media_type"),
    [
        (Visual, "by_content", "image/jpeg"),
        (Compared, "by_content", "image/webp"),
        (Exact, "by_content", "image/webp"),
        (Visual, "lossless", "image/webp"),
        (Visual, "png", "image/png"),
        (Exact, "png", "image/png"),
    ],
)
def test_a_picture_is_encoded_once_in_the_format_of_its_step_and_never_decoded(
    step: type[Exact], rule: MadeRule, media_type: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved: list[str] = []
    save = Image.Image.save
    monkeypatch.setattr(
        Image.Image, "save", lambda image, to, form, **more: (saved.append(form), save(image, to, form, **more))
    )
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", None)
    worker = WorkerContext(Workspace.create(tmp_path / "w"), tmp_path, plan([("made", step())]), 0, 1, Limits(), rule)
    record = StageContext(worker, worker.stages[0], StageInput()).store_image(pixels_of(), parents=[SOURCE])
    monkeypatch.undo()
    assert [f"image/{form.lower()}" for form in saved] == [record.media_type] == [media_type]
    data = worker.workspace.objects.path(record.image_id).read_bytes()
    assert len(data) == record.size_bytes
    same = (decode_rgb(data) == pixels_of()).all()
    assert same == (media_type != "image/jpeg") == (record.pixel_hash is not None)


def test_files_without_loss_are_told_from_others_and_need_fewer_bytes_than_png() -> None:
    y, x = np.mgrid[:120, :160]
    photograph = np.stack([x + y, 2 * x, 255 - y], axis=2).astype(np.uint8) + pixels_of()[:1, :1] % 3
    data, media_type = encode_lossless(photograph)
    assert media_type == "image/webp"
    assert is_lossless_webp(data)
    assert not is_lossless_webp(encode_jpeg(photograph))
    assert len(data) < len(encode_png(photograph))
    assert encode_lossless(photograph)[0] == data


def test_what_is_too_long_for_webp_is_png() -> None:
    long = np.zeros((2, 16_384, 3), np.uint8)
    assert encode_lossless(long) == (encode_png(long), "image/png")
    assert encode_lossless(long[:, 1:])[1] == "image/webp"
