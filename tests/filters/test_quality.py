"""The step `quality`: each value grows with the damage that it measures, and sound pictures have no faults."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image
from pydantic import ValidationError
from skimage.data import astronaut, chelsea, coffee, rocket

from benchwright.diagnostics.pictures.compression import blockiness, chroma_coding, jpeg_quality
from benchwright.diagnostics.pictures.faults import FAULTS
from benchwright.diagnostics.pictures.measures import frame
from benchwright.diagnostics.pictures.quality import quality_of
from benchwright.filters.cli.quality import quality
from benchwright.filters.quality.step import Quality
from benchwright.pipeline import run_steps
from benchwright.rooms import catalogue
from benchwright.settings.help import reasons_of, settings_of
from benchwright.workspace.run_results import FinishedRun

pytestmark = pytest.mark.slow

Pixels = NDArray[np.uint8]
PHOTOS: dict[str, Pixels] = {
    name: np.ascontiguousarray(load())
    for name, load in {"astronaut": astronaut, "chelsea": chelsea, "coffee": coffee, "rocket": rocket}.items()
}


def grey(pixels: Pixels) -> Pixels:
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)


def jpeg(pixels: Pixels, level: int) -> bytes:
    handle = io.BytesIO()
    Image.fromarray(pixels).save(handle, "JPEG", quality=level)
    return handle.getvalue()


def through_jpeg(pixels: Pixels, level: int) -> Pixels:
    return np.asarray(Image.open(io.BytesIO(jpeg(pixels, level))).convert("RGB"))


def faults(pixels: Pixels, **bounds: Any) -> list[str]:
    found = Quality(**bounds).judge({**quality_of(pixels), "jpeg_quality": None})
    return list(found.evidence["faults"]) if found.evidence else []


def blurred(pixels: Pixels, sigma: float) -> Pixels:
    return np.asarray(cv2.GaussianBlur(pixels, (0, 0), sigma), np.uint8)


def dimmed(pixels: Pixels, gain: float) -> Pixels:
    return np.asarray(pixels * gain, np.uint8)


def paled(pixels: Pixels, share: float) -> Pixels:
    return np.asarray(255 - (255 - pixels.astype(float)) * share, np.uint8)


def framed(pixels: Pixels, share: float) -> Pixels:
    """Put black bars above and below, which together take a share of the whole."""
    bar = round(len(pixels) * share / (1 - share) / 2)
    return np.pad(pixels, ((bar, bar), (0, 0), (0, 0)))


def faded(pixels: Pixels, share: float) -> Pixels:
    light = grey(pixels)[..., None].astype(float)
    return np.asarray(np.clip(light + (pixels - light) * share, 0, 255), np.uint8)


DAMAGES: list[tuple[str, Callable[[Pixels, Any], Pixels], list[Any], int]] = [
    ("blur", blurred, [0.7, 1.2, 2, 3, 5], 1),
    ("lightest", dimmed, [1, 0.6, 0.3, 0.1, 0.02], -1),
    ("darkest", paled, [1, 0.7, 0.4, 0.2, 0.05], 1),
    ("colorfulness", faded, [1, 0.7, 0.4, 0.1, 0], -1),
    ("blockiness", through_jpeg, [90, 40, 15, 8, 4], 1),
    ("frame", framed, [0.0, 0.2, 0.5, 0.8, 0.97], 1),
]


@pytest.mark.parametrize("photo", PHOTOS)
@pytest.mark.parametrize(("value", "damage", "amounts", "way"), DAMAGES, ids=[one[0] for one in DAMAGES])
def test_a_value_follows_the_damage_that_it_quality_of(
    photo: str, value: str, damage: Callable[[Pixels, Any], Pixels], amounts: list[Any], way: int
) -> None:
    found = [way * float(quality_of(damage(PHOTOS[photo], amount))[value] or 0) for amount in amounts]
    assert found == sorted(found)
    assert found[-1] > found[0]


@pytest.mark.parametrize("photo", PHOTOS)
def test_a_sound_photograph_has_no_faults(photo: str) -> None:
    assert faults(PHOTOS[photo]) == []


@pytest.mark.parametrize("photo", PHOTOS)
@pytest.mark.parametrize(
    ("damage", "amount", "reason"),
    [
        (blurred, 4, "blurred"), (dimmed, 0.1, "too_dark"), (paled, 0.2, "too_bright"), (framed, 0.97, "mostly_frame"),
    ],
)  # fmt: skip
def test_what_is_badly_damaged_is_dropped_for_what_it_lacks(
    photo: str, damage: Callable[[Pixels, Any], Pixels], amount: Any, reason: str
) -> None:
    assert reason in faults(damage(PHOTOS[photo], amount))


def test_a_sharp_subject_before_a_soft_ground_is_sharp() -> None:
    photo = PHOTOS["astronaut"]
    soft = blurred(photo, 8)
    soft[128:384, 128:384] = photo[128:384, 128:384]
    assert "blurred" not in faults(soft)
    assert "blurred" in faults(blurred(photo, 8))


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_contrast_and_size_say_little_about_blur(scale: float) -> None:
    photo = PHOTOS["astronaut"]
    pale = np.asarray(110 + photo * 0.3, np.uint8)
    assert abs(float(quality_of(pale)["blur"] or 0) - float(quality_of(photo)["blur"] or 0)) < 0.1
    larger = np.asarray(cv2.resize(photo, None, fx=4 * scale, fy=4 * scale, interpolation=cv2.INTER_CUBIC), np.uint8)
    assert float(quality_of(larger)["blur"] or 0) < 0.5


def test_one_color_is_blank_and_has_no_blur_to_measure() -> None:
    blank = np.full((300, 400, 3), 240, np.uint8)
    found = quality_of(blank)
    assert (found["filled"], found["blur"], found["frame"], found["colorfulness"]) == (0.0, None, 1.0, 0.0)
    assert faults(blank)[0] == "blank"
    speck = blank.copy()
    speck[100:110, 200:210] = 0
    assert "blank" in faults(speck)


def test_small_and_long_pictures_have_a_fault_by_their_sides() -> None:
    photo = PHOTOS["coffee"]
    assert faults(photo[:120]) == ["too_small", "too_long"]
    assert faults(photo[:120], min_side_px=100, max_aspect=6) == []


def test_bounds_that_are_off_by_default_work_when_set() -> None:
    assert faults(faded(PHOTOS["coffee"], 0), min_colorfulness=5) == ["monochrome"]
    lines = np.full((400, 400, 3), 255, np.uint8)
    lines[::16] = 0
    assert faults(lines, max_clipped=0.9, max_blockiness=None) == ["clipped"]
    assert "clipped" not in faults(lines)


@pytest.mark.parametrize(
    ("shown", "bound", "reason"),
    [
        (dimmed(PHOTOS["coffee"], 0.1), {"min_lightest": 0.0}, "too_dark"),
        (paled(PHOTOS["coffee"], 0.2), {"max_darkest": 1.0}, "too_bright"),
        (np.full((400, 400, 3), 90, np.uint8), {"min_filled": 0.0}, "blank"),
    ],
    ids=["dark", "bright", "blank"],
)
def test_a_curator_may_move_a_bound_so_that_a_picture_passes(
    shown: Pixels, bound: dict[str, float], reason: str
) -> None:
    assert reason in faults(shown)
    assert reason not in faults(shown, **bound)


@pytest.mark.parametrize("level", [1, 5, 10, 20, 50, 75, 90, 100])
def test_the_quality_of_a_jpeg_file_is_read_off_its_tables(level: int) -> None:
    assert jpeg_quality(jpeg(PHOTOS["chelsea"], level)) == level


@pytest.mark.parametrize("is_progressive", [False, True])
@pytest.mark.parametrize(("subsampling", "samples"), [(0, 1.0), (1, 0.5), (2, 0.25)])
def test_a_jpeg_file_says_how_it_holds_color(subsampling: int, samples: float, is_progressive: bool) -> None:
    saving = {"subsampling": subsampling, "progressive": is_progressive}
    color, greys = io.BytesIO(), io.BytesIO()
    Image.fromarray(PHOTOS["chelsea"]).save(color, "JPEG", **saving)
    Image.fromarray(grey(PHOTOS["chelsea"])).save(greys, "JPEG", **saving)
    assert chroma_coding(color.getvalue()) == (samples, is_progressive)
    assert chroma_coding(greys.getvalue()) == (0, is_progressive)


@given(st.binary(max_size=200))
@settings(deadline=None)
def test_no_bytes_break_the_readers_of_headers(data: bytes) -> None:
    for start in (b"", b"\xff\xd8", b"\xff\xd8\xff\xdb", b"\xff\xd8\xff\xc0", b"\xff\xd8\xff\xc2\x00\x11\x08"):
        found = jpeg_quality(start + data)
        assert found is None or 1 <= found <= 100
        chroma = chroma_coding(start + data)
        assert chroma is None or chroma.samples >= 0


def test_the_grid_of_a_jpeg_is_seen_in_another_format_and_after_a_crop() -> None:
    hard = through_jpeg(PHOTOS["chelsea"], 5)
    assert blockiness(grey(hard[3:, 5:])) > 3 > blockiness(grey(PHOTOS["chelsea"]))


def test_a_frame_may_be_on_one_side_or_on_all_and_noise_does_not_hide_it() -> None:
    photo = PHOTOS["chelsea"][:300, :400]
    noise = np.random.default_rng(1).integers(0, 6, (600, 400, 3), dtype=np.uint8)
    noise[300:] = photo
    assert frame(noise) == pytest.approx(0.5, abs=0.02)
    assert frame(np.pad(photo, ((0, 0), (50, 50), (0, 0)), constant_values=255)) == pytest.approx(0.2, abs=0.02)


@pytest.mark.parametrize("shape", [(1, 1), (1, 500), (500, 1), (3, 7), (17, 16)])
def test_tiny_pictures_are_measured_too(shape: tuple[int, int]) -> None:
    pixels = np.random.default_rng(2).integers(0, 256, (*shape, 3), dtype=np.uint8)
    found = quality_of(pixels)
    assert all(value is None or np.isfinite(value) for value in found.values())
    assert "too_small" in faults(pixels)


def test_a_fault_may_be_asked_about_instead() -> None:
    step = Quality(ask=("too_small",))
    small = {**quality_of(PHOTOS["coffee"][:150, :200]), "jpeg_quality": None}
    assert (step.judge(small).verdict, step.judge(small).reason) == ("ask", "too_small")
    both = step.judge(small | {"blur": 0.9})
    assert (both.verdict, both.reason) == ("drop", "blurred")
    assert list(both.evidence["faults"]) == ["too_small", "blurred"]


def test_every_bound_can_be_lifted() -> None:
    lifted = Quality(**{fault.setting: None for fault in FAULTS})
    assert lifted.judge({**quality_of(np.zeros((4, 90, 3), np.uint8)), "jpeg_quality": 1}).verdict == "keep"


@pytest.mark.parametrize(
    "setting", [{"min_side_px": 0}, {"max_aspect": 0.5}, {"max_blur": 2}, {"ask": ["ugly"]}, {"min_jpeg_quality": 101}]
)
def test_wrong_settings_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Quality(**setting)


def run(folder: Path, workspace: Path, step: Quality) -> FinishedRun:
    return run_steps([step], images=folder, workspace=workspace, workers=1)


LENIENT = Quality(max_blur=None, ask=("heavy_compression", "blocky"))


def verdicts(done: FinishedRun) -> dict[str, Any]:
    return {row["record_id"]: row["reason"] for row in done.outcomes("quality.judge")}


def test_new_bounds_measure_nothing_again_and_the_order_of_files_does_not_matter(tmp_path: Path) -> None:
    photos = {"good": PHOTOS["coffee"], "soft": blurred(PHOTOS["coffee"], 5)}
    for folder, names in (("one", ("a", "b")), ("two", ("b", "a"))):
        (tmp_path / folder).mkdir()
        for name, pixels in zip(names, photos.values(), strict=True):
            Image.fromarray(pixels).save(tmp_path / folder / f"{name}.png")
    (tmp_path / "one" / "hard.jpg").write_bytes(jpeg(PHOTOS["chelsea"], 8))
    (tmp_path / "two" / "0.jpg").write_bytes(jpeg(PHOTOS["chelsea"], 8))
    (tmp_path / "one" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    first = run(tmp_path / "one", tmp_path / "w", Quality())
    assert sorted(filter(None, verdicts(first).values())) == ["blurred", "heavy_compression"]
    assert first.decoded == 3
    assert verdicts(run(tmp_path / "two", tmp_path / "v", Quality())) == verdicts(first)
    again = run(tmp_path / "one", tmp_path / "w", LENIENT)
    assert again.decoded == 0
    assert {row["verdict"] for row in again.outcomes("quality.judge")} == {"keep", "ask"}
    assert run(tmp_path / "one", tmp_path / "w", LENIENT).executed == 0


def test_the_command_tells_values_faults_and_counts(tmp_path: Path) -> None:
    Image.fromarray(PHOTOS["coffee"]).save(tmp_path / "good.png")
    Image.fromarray(blurred(PHOTOS["coffee"], 5)).save(tmp_path / "soft.png")
    (tmp_path / "copy.png").write_bytes((tmp_path / "soft.png").read_bytes())
    (tmp_path / "notes.png").write_text("no image at all")
    told = CliRunner().invoke(quality, [str(tmp_path), "--workers", "1", "--json"], catch_exceptions=False)
    document = json.loads(told.stdout)
    assert [(one["path"], one["faults"]) for one in document["images"]] == [
        ("copy.png", ["blurred"]), ("good.png", []), ("soft.png", ["blurred"]),
    ]  # fmt: skip
    assert document["images"][1].keys() == {"path", "faults", *Quality.values}
    assert document["unreadable"] == [{"path": "notes.png", "reason": "not_an_image"}]
    assert document["reasons"]["blurred"] == 2
    lines = CliRunner().invoke(quality, [str(tmp_path), "--workers", "1"], catch_exceptions=False).stdout.splitlines()
    assert lines[0].split()[0] == "blurred"
    assert lines[0].endswith("copy.png")
    assert lines[-1].startswith("images 3, with faults 2, unreadable files 1, ")


def test_an_image_that_cannot_be_read_here_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "scan.psd").write_bytes(b"8BPS\0\1" + bytes(40))
    told = CliRunner().invoke(quality, [str(tmp_path), "--workers", "1"], catch_exceptions=False).stdout.splitlines()
    advice = "an image (PSD) that this installation cannot read; save it as PNG or JPEG"
    assert told[0] == f"unreadable        unsupported_format  scan.psd  {advice}"
    told = CliRunner().invoke(quality, [str(tmp_path), "--workers", "1", "--json"], catch_exceptions=False).stdout
    assert json.loads(told)["unreadable"] == [{"path": "scan.psd", "reason": "unsupported_format", "advice": advice}]


def test_an_empty_folder_gives_an_empty_document(tmp_path: Path) -> None:
    told = CliRunner().invoke(quality, [str(tmp_path), "--workers", "1", "--json"], catch_exceptions=False)
    document = json.loads(told.stdout)
    assert document["images"] == document["unreadable"] == []
    assert set(document["reasons"].values()) == {0}


def test_the_published_pictures_have_no_faults(ii_bench: Path) -> None:
    told = CliRunner().invoke(quality, [str(ii_bench / "images" / "dev"), "--json"], catch_exceptions=False)
    document = json.loads(told.stdout)
    assert len(document["images"]) == 35
    assert set(document["reasons"].values()) == {0}


def test_the_step_and_its_reasons_are_described() -> None:
    step = catalogue("steps")["quality"].load()
    assert {fault.reason for fault in FAULTS} <= {reason.code for reason in reasons_of(step)}
    assert {fault.setting for fault in FAULTS} <= {setting.name for setting in settings_of(step)}
    page = (ROOT / "docs" / "quality.md").read_text(encoding="utf-8")
    assert [fault.value for fault in FAULTS if f"`{fault.value}`" not in page] == []
