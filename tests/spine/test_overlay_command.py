"""`benchwright overlay`: a picture, a list of prompts, a PNG with them drawn, and every mistake named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from benchwright.cli.main import invoke
from benchwright.drawing import draw_prompts
from benchwright.images import decode_rgb
from benchwright.records import VisualPrompt

RING = {"kind": "ring", "points": [[70.5, 30.25]], "label": "A"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    exif = Image.Exif()
    exif[274] = 6
    stored = Image.new("RGB", (90, 130), (120, 120, 120))
    stored.save(tmp_path / "picture.jpg", exif=exif)
    return tmp_path


def overlay(place: Path, spec: Any, *options: str, image: str = "picture.jpg", out: str = "out.png") -> int:
    (place / "marks.json").write_text(spec if isinstance(spec, str) else json.dumps(spec), encoding="utf-8")
    return invoke(["overlay", str(place / image), str(place / "marks.json"), str(place / out), *options])


def test_the_picture_is_upright_with_its_marks(place: Path) -> None:
    assert overlay(place, [RING]) == 0
    upright = decode_rgb(place / "picture.jpg")
    assert upright.shape == (90, 130, 3)
    ring = VisualPrompt.model_validate({**RING, "image_id": "0" * 64})
    np.testing.assert_array_equal(decode_rgb(place / "out.png"), draw_prompts(upright, [ring]))


def test_the_document_says_what_was_drawn(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert overlay(place, [RING], "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["width"], document["height"]) == (130, 90)
    [drawn] = document["drawn"]
    assert drawn["points"] == [[70.5, 30.25]]
    assert drawn["radius_px"] == 4
    assert drawn["requested"]["style"]["radius_px"] == 10
    assert drawn["label_box_xyxy"][0] > 74


def test_every_mistake_is_named_with_file_index_key_and_value(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = [
        RING,
        {"kind": "rin", "points": [[1, 2]]},
        {"kind": "dot", "points": [[1, 2]], "style": {"colour": "red"}},
        {"kind": "dot"},
        {"kind": "dot", "points": [[1, 2], [3, 400]]},
        {"kind": "dot", "points": [[100, 91]]},
        {**RING, "image_id": "1" * 64},
        7,
    ]
    assert overlay(place, spec) == 2
    message = capsys.readouterr().err
    for part in (
        "marks.json: [1].kind: 'rin' is not valid",
        "[2].style.colour: unknown key (value 'red'); did you mean 'color'?",
        "[3].points: this key is missing",
        "[4].points: a visual prompt of kind 'dot' takes 1 point(s), not 2",
        "[5].points: the dot at (100, 91) lies outside the image of 130 x 90 pixels",
        f"[6].image_id: '{'1' * 64}' is another image",
        "[7]: expected an object with the keys kind and points, not 7",
    ):
        assert part in message
    assert "[0]" not in message
    assert not (place / "out.png").exists()


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        pytest.param("[", "not valid JSON", id="cut"),
        pytest.param('[{"kind": "dot", "points": [[NaN, 1]]}]', "NaN is not a number in JSON", id="nan"),
        pytest.param('[{"kind": "dot", "kind": "ring"}]', "key 'kind' occurs twice", id="repeated-key"),
        pytest.param('{"kind": "dot"}', "expected a list of visual prompts", id="no-list"),
        pytest.param("[" * 100_000, "not valid JSON", id="deep"),
        pytest.param(json.dumps([RING] * 1001), "1,001 visual prompts", id="many"),
        pytest.param('[{"kind": "box", "points": [[0, 0], [130, 90]], "label": "all"}]', "[0].label: there is no room", id="no-room"),
    ],
)  # fmt: skip
def test_a_list_that_is_none_is_refused_in_words(
    spec: str, words: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert overlay(place, spec) == 2
    assert words in capsys.readouterr().err


def test_nothing_is_overwritten_unasked(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "out.png").write_bytes(b"mine")
    assert overlay(place, [RING]) == 2
    assert "out.png already exists" in capsys.readouterr().err
    assert (place / "out.png").read_bytes() == b"mine"
    assert overlay(place, [RING], "--force") == 0
    assert decode_rgb(place / "out.png").shape == (90, 130, 3)


def test_the_picture_itself_is_never_overwritten(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Image.new("RGB", (90, 70)).save(place / "picture.png")
    before = (place / "picture.png").read_bytes()
    assert overlay(place, [RING], "--force", image="picture.png", out="picture.png") == 2
    assert "is an input file" in capsys.readouterr().err
    assert (place / "picture.png").read_bytes() == before


def test_only_png_is_written(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert overlay(place, [RING], out="out.jpg") == 2
    assert "does not end in .png" in capsys.readouterr().err


def test_a_broken_picture_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert overlay(place, [RING], image="broken.png") == 2
    assert "broken.png" in capsys.readouterr().err
