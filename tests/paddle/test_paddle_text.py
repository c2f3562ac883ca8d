"""`backend: paddleocr` finds the same text as rapidocr, in the same records, from a separate environment."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import ROOT
from PIL import Image, ImageDraw, ImageFont
from step_context import StepContext

from benchwright.diagnostics.picture_text.paddle_models import paddle_models
from benchwright.diagnostics.picture_text.paddle_process import PaddleProcess
from benchwright.diagnostics.picture_text.regions import TextFinder
from benchwright.errors import PrerequisiteError
from benchwright.filters.cli.text import text_ratio
from benchwright.filters.text.text_ratio import TextRatio
from benchwright.pipeline import run_steps


def page(*lines: str, px: int = 34, size: tuple[int, int] = (520, 310)) -> np.ndarray:
    image = Image.new("RGB", size, "white")
    for number, line in enumerate(lines):
        ImageDraw.Draw(image).text((25, 20 + 2 * px * number), line, fill="black", font=ImageFont.load_default(size=px))
    return np.array(image)


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.fixture(scope="module")
def step(paddle_python: Path) -> TextRatio:
    return TextRatio(backend="paddleocr", python=str(paddle_python))


@pytest.fixture(scope="module")
def finder(step: TextRatio, tmp_path_factory: pytest.TempPathFactory) -> TextFinder:
    return step.open(StepContext(tmp_path_factory.mktemp("finder")))


@pytest.fixture(scope="module")
def process(paddle_python: Path, model_cache: Path) -> Iterator[PaddleProcess]:
    models = paddle_models("bundled", beside=Path(), cache=model_cache)
    settings = {"confidence": 0.3, "detector": models.detector.settings(), "reader": models.reader.settings()}
    running = PaddleProcess(paddle_python, settings)
    yield running
    running.close()


def test_both_backends_find_the_same_lines_and_write_the_same_records(
    context: StepContext, step: TextRatio, finder: TextFinder
) -> None:
    record = context.add(page("Nothing here", "is as it seems", "to be"))
    found = {}
    for name, opened in {"rapidocr": TextRatio().open(context), "paddleocr": finder}.items():
        context.opened = opened
        found[name] = step.measure(record, context)
    ours, theirs = found["rapidocr"], found["paddleocr"]
    assert ours.values.keys() == theirs.values.keys()
    assert ours.values["boxes"] == theirs.values["boxes"] == 3
    assert theirs.values["ratio"] == pytest.approx(ours.values["ratio"], rel=0.15)
    assert str(theirs.values["engine"]).startswith("paddleocr 3.7.0, PP-OCRv6_small_det, ")
    for one, other in zip(ours.evidence["regions"], theirs.evidence["regions"], strict=True):
        assert one.keys() == other.keys()
        assert np.allclose(np.mean(one["polygon"], axis=0), np.mean(other["polygon"], axis=0), atol=6)


def test_giant_words_are_read_and_count_and_giant_drawings_do_not(finder: TextFinder, ii_bench: Path) -> None:
    from benchwright.images import decode_rgb

    [word] = [one for one in finder.find(page("GIANT", px=125, size=(420, 180))) if one.is_text]
    assert word.text == "GIANT"
    drawing = finder.find(decode_rgb(ii_bench / "images" / "dev" / "dev-27.webp"))
    assert drawing
    assert not any(region.is_text for region in drawing)


@pytest.mark.parametrize("shape", [(1, 1, 3), (1, 300, 3), (213, 2, 3), (31, 33, 3)])
def test_pictures_of_any_size_are_looked_at(finder: TextFinder, shape: tuple[int, ...]) -> None:
    noise = np.random.default_rng(4).integers(0, 256, shape, dtype=np.uint8)
    assert isinstance(finder.find(noise), list)


def test_a_run_on_two_workers_keeps_drops_and_refuses_and_a_new_threshold_starts_no_paddle(
    tmp_path: Path, paddle_python: Path, step: TextRatio
) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    Image.fromarray(page(*["full of words and words"] * 4)).save(folder / "page.png")
    Image.fromarray(np.full((90, 120, 3), 77, np.uint8)).save(folder / "grey.png")
    (folder / "notes.png").write_text("no image at all")
    settings: dict[str, Any] = {"images": folder, "workspace": tmp_path / "w", "workers": 2}
    strict = step.model_copy(update={"max_ratio": 0.1})
    done = run_steps([strict], **settings)
    names = {record.image_id: record.source.uri for record in done.images() if record.source}
    judged = {row["record_id"]: row["verdict"] for row in done.outcomes("text_ratio.judge")}
    assert {names.get(key, "dropped"): verdict for key, verdict in judged.items()} == {
        "grey.png": "keep", "page.png": "drop",
    }  # fmt: skip
    gone = step.model_copy(update={"python": str(tmp_path / "nothing"), "max_ratio": 0.9})
    again = run_steps([gone], **settings)
    assert again.decoded == 0
    assert {row["verdict"] for row in again.outcomes("text_ratio.judge")} == {"keep"}


def test_the_command_takes_the_backend_and_the_interpreter_from_the_environment(
    tmp_path: Path, paddle_python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHWRIGHT_PADDLE_PYTHON", str(paddle_python))
    (tmp_path / "images").mkdir()
    Image.fromarray(page("one line")).save(tmp_path / "images" / "line.png")
    arguments = [str(tmp_path / "images"), "--backend", "paddleocr", "--workers", "1", "--json"]
    result = CliRunner().invoke(text_ratio, arguments, catch_exceptions=False)
    [found] = json.loads(result.stdout)["images"]
    assert found["boxes"] == 1


def test_equal_pictures_give_equal_answers(process: PaddleProcess) -> None:
    picture = page("twice the same", size=(480, 128))
    assert process.detect(picture) == process.detect(picture.copy())


def test_a_killed_process_is_replaced_and_the_answer_is_the_same(process: PaddleProcess) -> None:
    picture = page("killed", size=(320, 96))
    before = process.detect(picture)
    child = process.pid
    assert child in children(os.getpid())
    os.kill(child, signal.SIGKILL)
    assert process.detect(picture) == before
    assert process.pid != child


def test_a_failure_over_one_picture_leaves_the_process_alive(process: PaddleProcess) -> None:
    before = process.pid
    with pytest.raises(RuntimeError, match="paddleocr failed"):
        process.read([np.zeros((0, 5, 3), np.uint8)])
    assert process.read([page("alive", size=(160, 64))])[0]["text"].strip().casefold() == "alive"
    assert process.pid == before


def test_the_process_ends_with_a_killed_worker(paddle_python: Path, model_cache: Path) -> None:
    models = paddle_models("bundled", beside=Path(), cache=model_cache)
    settings = {"confidence": 0.3, "detector": models.detector.settings(), "reader": models.reader.settings()}
    script = (
        "import sys, json, time; from pathlib import Path\n"
        "from benchwright.diagnostics.picture_text.paddle_process import PaddleProcess\n"
        "kept = PaddleProcess(Path(sys.argv[1]), json.loads(sys.argv[2])); print('up', flush=True); time.sleep(600)\n"
    )
    command = [sys.executable, "-c", script, str(paddle_python), json.dumps(settings)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "up\n"
        [child] = children(owner.pid)
        owner.kill()
    for _ in range(300):
        if not Path(f"/proc/{child}").exists():
            return
        time.sleep(0.1)
    raise AssertionError("it lives on")


def test_models_of_ones_own_folder_are_used_and_named_by_content(
    tmp_path: Path, paddle_python: Path, context: StepContext, finder: TextFinder
) -> None:
    made = paddle_models("bundled", beside=Path(), cache=context.cache_dir)
    assert made.detector.folder is not None
    own = tmp_path / "own"
    shutil.copytree(made.detector.folder.parent, own)
    ours = TextRatio(backend="paddleocr", python=str(paddle_python), models=str(own))
    assert str(ours.parameters()["models"]).startswith("sha256:")
    assert str(own) not in json.dumps(ours.parameters())
    record = context.add(page("of my own"))
    measured = []
    for opened in (finder, ours.open(context)):
        context.opened = opened
        measured.append(ours.measure(record, context))
    assert measured[0] == measured[1]
    description = own / "rec" / "inference.yml"
    before = ours.weights_hash()
    description.write_text(description.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    assert ours.weights_hash() != before


def test_a_network_that_is_none_is_told_before_any_picture(
    tmp_path: Path, paddle_python: Path, context: StepContext
) -> None:
    made = paddle_models("bundled", beside=Path(), cache=context.cache_dir)
    assert made.detector.folder is not None
    shutil.copytree(made.detector.folder.parent, tmp_path / "own")
    (tmp_path / "own" / "det" / "inference.onnx").write_bytes(b"no network")
    with pytest.raises(PrerequisiteError, match="does not run PaddleOCR"):
        TextRatio(backend="paddleocr", python=str(paddle_python), models=str(tmp_path / "own")).open(context)


def test_an_environment_without_paddleocr_is_told(context: StepContext) -> None:
    with pytest.raises(PrerequisiteError, match=r"does not run PaddleOCR \(ModuleNotFoundError.*make paddle"):
        TextRatio(backend="paddleocr", python=sys.executable).open(context)
