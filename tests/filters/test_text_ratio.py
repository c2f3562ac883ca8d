"""The step `text_ratio`, with real OCR: what counts as text, what is recorded, and when nothing is measured again."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from odd_text import ModelsGone, OtherModels
from PIL import Image, ImageDraw, ImageFont
from skimage.data import coffee
from step_context import StepContext

from benchwright.diagnostics.picture_text import rapid
from benchwright.diagnostics.picture_text.rapid import RapidText
from benchwright.diagnostics.picture_text.regions import RegionRules, TextFinder, is_legible_text
from benchwright.errors import PrerequisiteError
from benchwright.filters.text.text_ratio import TextRatio
from benchwright.pipeline import run_steps
from benchwright.workspace.run_results import FinishedRun

pytestmark = pytest.mark.slow

RULES = RegionRules(**{name: TextRatio.model_fields[name].default for name in RegionRules._fields})


def finds(rules: RegionRules = RULES) -> TextFinder:
    return TextFinder(rules, RapidText(confidence=0.3))


def written(lines: dict[str, tuple[int, int]], *, size: tuple[int, int], px: int) -> np.ndarray:
    """White pixels with black lines of text at (left, top)."""
    image = Image.new("RGB", size, "white")
    for text, place in lines.items():
        ImageDraw.Draw(image).text(place, text, fill="black", font=ImageFont.load_default(size=px))
    return np.array(image)


@pytest.fixture(scope="module")
def finder() -> TextFinder:
    return finds()


def bounds(polygon: Any) -> tuple[float, float, float, float]:
    xs, ys = zip(*polygon, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def test_lines_of_text_are_found_where_they_stand(finder: TextFinder) -> None:
    pixels = written({"Nothing here": (40, 30), "is as it seems": (210, 260)}, size=(560, 390), px=40)
    first, second = (bounds(region.polygon) for region in finder.find(pixels) if region.is_text)
    for (x0, y0, x1, y1), (left, top, right) in ((first, (40, 30, 270)), (second, (210, 260, 470))):
        assert abs(x0 - left) < 20
        assert abs(y0 - top) < 25
        assert abs(x1 - right) < 40
        assert 25 < y1 - y0 < 75


def test_a_picture_without_text_has_no_regions_and_says_nothing(
    finder: TextFinder, capfd: pytest.CaptureFixture[str]
) -> None:
    assert finder.find(np.full((97, 131, 3), 200, np.uint8)) == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("shape", [(1, 1, 3), (1, 700, 3), (513, 2, 3), (31, 33, 3)])
def test_pictures_of_any_size_are_looked_at(finder: TextFinder, shape: tuple[int, ...]) -> None:
    assert isinstance(finder.find(np.random.default_rng(4).integers(0, 256, shape, dtype=np.uint8)), list)


def test_every_line_of_a_long_strip_is_found_once() -> None:
    places = {f"panel number {number}": (30, 60 + 190 * number) for number in range(14)}
    pixels = written(places, size=(320, 2700), px=22)
    found = finds(RULES._replace(side_px=480)).find(pixels)
    tops = [bounds(region.polygon)[1] for region in found if region.is_text]
    assert len(tops) == 14
    assert [round((top - 60) / 190) for top in tops] == list(range(14))


def test_a_giant_line_counts_because_it_can_be_read() -> None:
    pixels = written({"GIANT": (15, 20)}, size=(420, 180), px=125)
    [region] = [one for one in finds().find(pixels) if one.is_text]
    assert region.text == "GIANT"
    assert region.legibility is not None
    assert region.legibility > RULES.legible


@pytest.mark.parametrize("words", ["ПРИВЕТ, МИР", "مرحبا بالعالم"], ids=["Cyrillic", "Arabic"])
def test_a_giant_line_in_letters_that_the_reader_does_not_know_counts_unread(finder: TextFinder, words: str) -> None:
    image = Image.new("RGB", (600, 400), "white")
    font = ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"), 64)
    ImageDraw.Draw(image).text((300, 200), words, "black", font, anchor="mm")
    [region] = finder.find(np.array(image))
    assert (region.is_text, region.is_unread) == (True, True)
    left, top, right, bottom = bounds(region.polygon)
    assert right - left > 3 * (bottom - top)


def test_a_giant_box_around_a_drawing_does_not_count(ii_bench: Path, finder: TextFinder) -> None:
    from benchwright.images import decode_rgb

    [region] = finder.find(decode_rgb(ii_bench / "images" / "dev" / "dev-27.webp"))
    assert region.confidence > 0.8
    assert not region.is_text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("8", False),
        ("0.0", False),
        ("", False),
        ("?!", False),
        ("oO", False),
        ("NO", True),
        ("MMMM", True),
        ("猫だ", True),
    ],
)
def test_circles_and_strokes_are_no_words(text: str, says: bool) -> None:
    assert is_legible_text(text) is says


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **more: Any) -> None:
        raise AssertionError("the network was touched")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    pixels = written({"GIANT": (15, 20)}, size=(420, 180), px=125)
    assert finds().find(pixels)


@pytest.fixture
def fresh_look() -> Iterator[None]:
    rapid.model_files.cache_clear()
    yield
    rapid.model_files.cache_clear()


@pytest.mark.usefixtures("fresh_look")
@pytest.mark.parametrize("package", ["rapidocr", "onnxruntime"])
def test_a_missing_package_is_named_with_the_extra_that_brings_it(
    package: str, monkeypatch: pytest.MonkeyPatch, context: StepContext
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(PrerequisiteError, match=rf"{package}.* pip install 'benchwright\[filters\]'"):
        TextRatio().open(context)


@pytest.mark.usefixtures("fresh_look")
def test_a_wheel_without_its_models_is_told_instead_of_fetched(
    monkeypatch: pytest.MonkeyPatch, context: StepContext
) -> None:
    monkeypatch.setattr(rapid, "_READER", "PP-OCRv9_rec_small.onnx")
    with pytest.raises(PrerequisiteError, match=r"without its model PP-OCRv9_rec_small\.onnx"):
        TextRatio().open(context)


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of text, a photograph with a caption, a photograph, and a file that is none."""
    folder = tmp_path_factory.mktemp("images")
    lines = {f"a page of words, line {number}": (12, 8 + 33 * number) for number in range(8)}
    Image.fromarray(written(lines, size=(330, 280), px=28)).save(folder / "page.png")
    photo = Image.fromarray(np.ascontiguousarray(coffee()))
    photo.resize((451, 300)).save(folder / "cup.jpg")
    ImageDraw.Draw(photo).text((20, 330), "MY MONDAY", fill="white", font=ImageFont.load_default(size=50))
    photo.save(folder / "meme.png")
    (folder / "notes.png").write_text("no image at all")
    return folder


@pytest.fixture(scope="module")
def workspace(images: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    space = tmp_path_factory.mktemp("w") / "w"
    run_steps([TextRatio(max_ratio=0.3)], images=images, workspace=space, workers=1)
    return space


def rows(done: FinishedRun, half: str) -> dict[str, Any]:
    names = {record.image_id: record.source.uri for record in done.images() if record.source}
    return {names[row["record_id"]]: row for row in done.outcomes(f"text_ratio.{half}")}


@pytest.fixture(scope="module")
def again(images: Path, workspace: Path) -> FinishedRun:
    """The run once more with a lower threshold, by a step that cannot do any OCR."""
    return run_steps([ModelsGone(max_ratio=0.01)], images=images, workspace=workspace, workers=1)


def test_pages_of_text_are_dropped_and_a_new_threshold_runs_no_ocr(again: FinishedRun) -> None:
    assert again.decoded == 0
    assert {name: row["verdict"] for name, row in rows(again, "judge").items()} == {
        "cup.jpg": "keep", "meme.png": "drop", "page.png": "drop",
    }  # fmt: skip
    page = rows(again, "judge")["page.png"]
    assert page["reason"] == "too_much_text"
    assert page["evidence"]["ratio"] > 0.3


def test_what_was_measured_is_kept_with_its_polygons(again: FinishedRun) -> None:
    measured = rows(again, "measure")
    page, cup = measured["page.png"], measured["cup.jpg"]
    assert page["boxes"] == len(page["evidence"]["regions"]) == 8
    assert 0.02 < page["largest"] < page["ratio"] < 0.95
    assert page["engine"] == "rapidocr, PP-OCRv6 small"
    assert (cup["ratio"], cup["boxes"], cup["largest"]) == (0, 0, 0)
    for region in page["evidence"]["regions"]:
        x0, y0, x1, y1 = bounds(region["polygon"])
        assert 0 <= x0 < x1 <= 330
        assert 0 <= y0 < y1 <= 280


def test_other_models_and_measuring_settings_measure_again() -> None:
    from benchwright.workspace import stages_of

    def configs(step: TextRatio) -> list[str]:
        return [stage.config for stage in stages_of("text_ratio", step)]

    measure, judge = configs(TextRatio())
    assert configs(TextRatio(max_ratio=0.2))[0] == measure
    assert configs(TextRatio(max_ratio=0.2))[1] != judge
    assert configs(OtherModels())[0] != measure
    for name, value in (("confidence", 0.4), ("sure", 0.7), ("giant_box", 0.1), ("legible", 0.5), ("side_px", 960)):
        assert configs(TextRatio(**{name: value}))[0] != measure


def test_equal_pictures_measure_equal_to_the_byte(finder: TextFinder) -> None:
    pixels = np.ascontiguousarray(coffee())
    pixels[300:380, :400] = written({"twice the same": (9, 9)}, size=(400, 80), px=50)
    assert json.dumps(finder.find(pixels)) == json.dumps(finds().find(pixels))


def test_neither_names_nor_workers_change_what_is_measured_and_a_second_run_measures_nothing(
    images: Path, workspace: Path, tmp_path: Path
) -> None:
    once = run_steps([TextRatio(max_ratio=0.3)], images=images, workspace=workspace, workers=1)
    assert once.decoded == 0
    shuffled = tmp_path / "shuffled"
    (shuffled / "deeper").mkdir(parents=True)
    for number, path in enumerate(sorted(images.iterdir(), reverse=True)):
        (shuffled / ("deeper" if number % 2 else ".") / f"{number}{path.suffix}").write_bytes(path.read_bytes())
    again = run_steps([TextRatio(max_ratio=0.3)], images=shuffled, workspace=tmp_path / "w", workers=2)
    for half in ("measure", "judge"):
        before, after = (
            {
                row["record_id"]: row | {"record_hash": ""} for row in done.outcomes(f"text_ratio.{half}")
            }  # that names files
            for done in (once, again)
        )
        assert before == after
        assert len(before) == 3
