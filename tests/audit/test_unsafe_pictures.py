"""Pictures that a classifier calls unsafe, with a real and tiny vision transformer that calls pictures by their color."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from audited_benches import clean_rows, write_pictures, write_rows
from color_classifier import color_classifier
from PIL import Image

from benchwright.audit import AuditSettings, audit
from benchwright.audit.checks.safety import UnsafePictures
from benchwright.audit.setting_right.annotator_questions import questions_of
from benchwright.cli.main import invoke
from benchwright.diagnostics.models.unsafe_labels import UnsafeLabels
from benchwright.errors import PrerequisiteError


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return color_classifier(tmp_path_factory.mktemp("models") / "colors")


@pytest.fixture
def quiz(tmp_path: Path) -> Path:
    rows = clean_rows(3)
    (tmp_path / "images").mkdir()
    for number, color in enumerate(((220, 20, 20), (20, 20, 220), (127, 127, 127))):
        Image.new("RGB", (60, 40), color).save(tmp_path / rows[number]["image"])
    write_pictures(tmp_path, rows)
    return write_rows(tmp_path / "quiz.csv", rows)


@pytest.mark.slow
def test_a_picture_beyond_the_bound_is_found_and_goes_to_people(quiz: Path, model: Path) -> None:
    settings = AuditSettings(unsafe=UnsafeLabels(model=model, refuse={"red": 0.5}), workers=1)
    report = audit(quiz, quiz.parent / "out", settings, checks=[UnsafePictures()])
    (finding,) = report.findings
    assert (finding.kind, finding.severity, finding.items) == ("unsafe_picture", "high", ("q0",))
    assert finding.evidence["label"] == "red"
    assert finding.evidence["score"] >= finding.evidence["bound"] == 0.5
    assert questions_of(report).items.keys() == {"q0"}
    assert report.page is not None
    assert "A classifier calls the picture red" in report.page.read_text(encoding="utf-8")


def test_other_labels_and_bounds_ask_the_model_nothing(
    quiz: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchwright.diagnostics.models.image_classifier import Classifier

    def items(**refuse: float) -> set[str]:
        settings = AuditSettings(unsafe=UnsafeLabels(model=model, refuse=refuse), workers=1)
        found = audit(quiz, quiz.parent / "out", settings, checks=[UnsafePictures()]).findings
        return {item for finding in found for item in finding.items}

    assert items(red=0.5) == {"q0"}
    monkeypatch.setattr(Classifier, "probabilities", lambda *_: pytest.fail("a picture is classified again"))
    assert items(red=0.5, blue=0.5) == {"q0", "q1"}
    assert items(red=1.0) == set()


def test_by_the_command(quiz: Path, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["audit", str(quiz), "--out", str(quiz.parent / "out"), "--workers", "1", "--json"]

    def check(*options: str) -> tuple[dict[str, str], list[Any]]:
        assert invoke([*command, *options]) == 0
        document = json.loads(capsys.readouterr().out)
        (run,) = [each for each in document["checks"] if each["name"] == "unsafe_pictures"]
        return run, [each for each in document["findings"] if each["kind"] == "unsafe_picture"]

    assert "--unsafe-weights" in check()[0]["why"]
    run, findings = check("--unsafe-weights", str(model), "--unsafe-label", "red", "--unsafe-label", "blue=0.6")
    assert run["state"] == "done"
    assert [(each["items"], each["evidence"]["bound"]) for each in findings] == [(["q0"], 0.5), (["q1"], 0.6)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--unsafe-label", "red"], "name its folder with --unsafe-weights"),
        (["--unsafe-weights", "MODEL"], "it has: safe, red, blue"),
        (["--unsafe-weights", "MODEL", "--unsafe-label", "red=2"], "--unsafe-label red: Input should be less than"),
        (["--unsafe-weights", "MODEL", "--unsafe-label", "nudity"], "no label 'nudity'; it has: safe, red, blue"),
    ],
)
def test_wrong_options_end_the_command_before_anything_is_read(
    quiz: Path, model: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = quiz.parent / "out"
    stated = [option.replace("MODEL", str(model)) for option in options]
    assert invoke(["audit", str(quiz), "--out", str(out), *stated]) != 0
    assert said in " ".join(capsys.readouterr().err.split())
    assert not out.exists()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("missing", r"\*.safetensors is missing"),
        ("truncated", "damaged cannot be loaded as an image-classification model"),
        ("other sizes", "do not fit its config.json"),
        ("more layers", "lack 16 that its config.json requires, such as vit"),
    ],
)
def test_damaged_weights_are_an_error_before_anything_is_read(
    quiz: Path, model: Path, tmp_path: Path, damage: str, said: str
) -> None:
    folder = tmp_path / "damaged"
    folder.mkdir()
    for path in model.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    weights = folder / "model.safetensors"
    if damage == "missing":
        weights.unlink()
    elif damage == "truncated":
        weights.write_bytes(weights.read_bytes()[:-100])
    else:
        config = json.loads((folder / "config.json").read_text())
        other = {"intermediate_size": 12} if damage == "other sizes" else {"num_hidden_layers": 2}
        (folder / "config.json").write_text(json.dumps(config | other))
    settings = AuditSettings(unsafe=UnsafeLabels(model=folder, refuse={"red": 0.5}))
    with pytest.raises(PrerequisiteError, match=said):
        audit(quiz, tmp_path / "out", settings)
    assert not (tmp_path / "out").exists()
