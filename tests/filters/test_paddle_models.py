"""The models that PaddleOCR receives; only their content matters."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from benchwright.diagnostics.picture_text.paddle_models import paddle_models, paddle_models_hash
from benchwright.errors import PrerequisiteError
from benchwright.filters.text.text_ratio import TextRatio
from benchwright.steps import FOLDER


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder with two models that only look like some."""
    for part in ("det", "rec"):
        folder = tmp_path / "own" / part
        folder.mkdir(parents=True)
        (folder / "inference.yml").write_text(f"Global: {{model_name: tiny_{part}}}\n", encoding="utf-8")
        (folder / "inference.onnx").write_bytes(part.encode())
    return tmp_path / "own"


@pytest.mark.slow
def test_the_bundled_models_become_folders_that_paddleocr_takes_once(tmp_path: Path) -> None:
    models = paddle_models("bundled", beside=tmp_path, cache=tmp_path / "cache")
    assert models.detector.folder is not None
    assert models.reader.folder is not None
    assert (models.detector.name, models.reader.name) == ("PP-OCRv6_small_det", "PP-OCRv6_small_rec")
    description = yaml.safe_load((models.reader.folder / "inference.yml").read_text(encoding="utf-8"))
    assert len(description["PostProcess"]["character_dict"]) > 5000
    written = models.detector.folder.stat().st_mtime_ns
    assert paddle_models("bundled", beside=tmp_path, cache=tmp_path / "cache") == models
    assert models.detector.folder.stat().st_mtime_ns == written
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [models.detector.folder.parent.name]


def test_what_the_package_fetches_has_no_folder(tmp_path: Path) -> None:
    models = paddle_models("package", beside=tmp_path, cache=tmp_path)
    assert (models.detector.folder, models.reader.folder) == (None, None)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_starts_from_the_recipe_and_has_its_own_names(own: Path, tmp_path: Path) -> None:
    models = paddle_models("own", beside=tmp_path, cache=tmp_path / "cache")
    assert models.detector == ("tiny_det", own / "det")
    assert models.reader.settings() == {"name": "tiny_rec", "folder": str(own / "rec")}


def test_only_the_content_of_models_decides(own: Path, tmp_path: Path) -> None:
    before = paddle_models_hash("own", beside=tmp_path)
    (own / "README").write_text("not a model")
    own.rename(tmp_path / "moved")
    assert paddle_models_hash("moved", beside=tmp_path) == before
    (tmp_path / "moved" / "rec" / "inference.onnx").write_bytes(b"other")
    assert paddle_models_hash("moved", beside=tmp_path) != before
    hashes = {paddle_models_hash(choice, beside=tmp_path) for choice in ("bundled", "package", "moved")}
    assert len(hashes | {TextRatio().weights_hash()}) == 4


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("det/inference.yml", None, "inference.yml does not exist"),
        ("det/inference.yml", b"[", "not a description of a PaddleOCR model"),
        ("rec/inference.yml", b"\xff\xfe", "not a description of a PaddleOCR model"),
        ("rec/inference.yml", b"Global: 7", "not a description of a PaddleOCR model"),
        ("rec/inference.yml", b"Global: {model_name: [a]}", "not a name"),
        ("det/inference.yml", b"!!python/object/apply:os.system [exit]", "not a description of a PaddleOCR model"),
        ("rec/inference.onnx", None, "contains none of inference.onnx"),
    ],
)
def test_a_folder_that_is_no_model_is_told_before_anything_runs(
    file: str, content: bytes | None, words: str, own: Path
) -> None:
    (own / file).unlink() if content is None else (own / file).write_bytes(content)
    with pytest.raises(PrerequisiteError, match=words):
        TextRatio(backend="paddleocr", models=str(own)).weights_hash()


def test_records_name_models_by_content_and_no_place_of_an_interpreter(own: Path, tmp_path: Path) -> None:
    step = TextRatio.model_validate(
        {"backend": "paddleocr", "models": "own", "python": "env/bin/python"}, context={FOLDER: tmp_path}
    )
    parameters = step.parameters()
    assert "python" not in parameters
    assert parameters["models"] == f"sha256:{step.weights_hash()}"
    again = TextRatio.model_validate(parameters)
    assert again.parameters() == parameters
    with pytest.raises(PrerequisiteError, match="by digest only"):
        again.weights_hash()


@pytest.mark.parametrize("settings", [{"python": "p"}, {"models": "package"}], ids=str)
def test_settings_of_paddleocr_mean_nothing_for_rapidocr_and_are_refused(settings: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="settings of `backend: paddleocr`"):
        TextRatio(**settings)
    assert TextRatio(backend="paddleocr", **settings)
