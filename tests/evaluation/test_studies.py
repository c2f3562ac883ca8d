"""The papers' studies: each command plans its cost, asks a real endpoint under every condition, and draws the answer.

- The plan counts the requests that the run then sends; a dry run sends none; an interrupted run continues.
- Markers: an effect of red circles alone is found, with paired intervals, and no other is.
- Captions, no picture, contradicting captions: the basis of the model's answers is identified.
- Marks of every shape lie where the points are.
"""

from __future__ import annotations

import base64
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_server import words_of
from PIL import Image

from benchwright.cli.main import invoke
from benchwright.drawing import draw_prompts
from benchwright.errors import BenchwrightError
from benchwright.evaluation.backends import sent_pictures
from benchwright.evaluation.cli.study import study as study_command
from benchwright.evaluation.prompting.question import Question, QuestionImage
from benchwright.evaluation.prompting.scaled_pictures import ScaledPictures
from benchwright.evaluation.protocols import marks
from benchwright.evaluation.protocols.names import parse_protocol
from benchwright.evaluation.studies.catalogue import STUDIES, study_of
from benchwright.images import encode_png
from benchwright.records import VisualPrompt

pytestmark = pytest.mark.slow

ITEMS = 11
POINT = (7.0, 33.0)


def study(name: str, release: Any, server: Any, out: Path, *more: str) -> int:
    arguments = [str(release.path), "--model", "openai:tiny", "--base-url", server.url, "--out", str(out), *more]
    return invoke(["evaluate", "study", name, *arguments])


def said(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def marked(bench: Any, tmp_path: Path, count: int = ITEMS) -> Any:
    """Return a release of items with two marked points each, and the right letter in the words."""
    rng = np.random.default_rng(1)
    for number in range(count):
        pixels = np.full((96, 26, 3), 60 + number, dtype=np.uint8)
        pixels[:, :3] = rng.integers(0, 200, (96, 3, 1))
        key = "AB"[number % 2]
        bench.add(
            f"Which is nearer? Item {number}, hint {key}.", task="relative_depth", pictures=[pixels],
            options=("A is closer", "B is closer"), answer=key, marks={0: [("A", POINT), ("B", (18.0, 60.0))]},
        )  # fmt: skip
    bench.add("no marks here")
    return bench.release(tmp_path / "release")


def pictures_in(body: dict[str, Any]) -> list[np.ndarray]:
    """Return the pictures of a request."""
    parts = [
        part for message in body["messages"] if isinstance(message["content"], list) for part in message["content"]
    ]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return [np.asarray(Image.open(BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB")) for url in urls]


def hint_of(words: str) -> str:
    return words.partition("hint ")[2][0]


def sees_red_only(words: str, attempt: int, handler: Any) -> str:
    """Answer right where something red is drawn, and wrong otherwise."""
    [picture] = pictures_in(handler.body)
    is_red = (picture[..., 0] > 200) & (picture[..., 1] < 60) & (picture[..., 2] < 60)
    right = hint_of(words)
    return f"({right})" if is_red.any() else f"({'BA'['AB'.index(right)]})"


def test_markers_finds_that_a_model_sees_red_marks_only(
    bench: Any, server: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = marked(bench, tmp_path)
    server.behave = sees_red_only
    assert study("markers", release, server, tmp_path / "out", "--json") == 0
    document = said(capsys)
    changes = {(change["condition"], change["task"]): change for change in document["changes"]}
    assert len(document["changes"]) == 2 * len(study_of("markers").conditions)
    for (condition, _), change in changes.items():
        is_gray = condition.endswith("gray")
        assert change["accuracy"]["value"] == (0 if is_gray else 1)
        assert change["accuracy"]["n"] == ITEMS
        if change["difference"] is None:
            assert condition == "circle, 10 px, red"
            continue
        assert change["difference"]["value"] == (-1 if is_gray else 0)
        assert change["difference"]["significant"] is is_gray
        low, high = change["difference"]["ci"]
        assert low <= change["difference"]["value"] <= high
    page = Path(document["page"]).read_text(encoding="utf-8")
    assert page.count("<svg") >= 2
    assert "circle, 15 px, gray" in page
    stored = json.loads(Path(document["data"]).read_text(encoding="utf-8"))
    assert stored["changes"] == document["changes"]
    assert stored["planned"]["requests"] == len(server.bodies)
    assert {picture.shape for body in server.bodies for picture in pictures_in(body)} == {(1024, 277, 3)}
    assert [Path(plot).name for plot in document["plots"]] == ["accuracy.svg", "difference.svg"]


def test_a_dry_run_asks_nobody_and_counts_what_the_run_sends(
    bench: Any, server: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = marked(bench, tmp_path, 3)
    prices = ["--price-in", "2", "--price-out", "10", "--max-tokens", "100", "--tokens-per-picture", "50"]
    assert study("markers", release, server, tmp_path / "out", "--dry-run", "--json", *prices) == 0
    document = said(capsys)
    assert server.bodies == []
    assert not (tmp_path / "out").exists()
    planned = document["planned"]
    assert planned["requests"] == 3 * len(study_of("markers").conditions)
    assert planned["most_completion_tokens"] == 100 * planned["requests"]
    assert planned["most_cost"] == pytest.approx((2 * planned["prompt_tokens"] + 10 * 100 * planned["requests"]) / 1e6)
    assert planned["prompt_tokens"] > 50 * planned["requests"]
    assert document["changes"] is None
    assert study("markers", release, server, tmp_path / "out", *prices) == 0
    assert len(server.bodies) == planned["requests"]
    assert "planned: 27 requests" in capsys.readouterr().err


def test_a_study_that_was_cut_off_goes_on_and_ends_in_the_same_bytes(
    bench: Any, server: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = marked(bench, tmp_path, 2)
    server.behave = sees_red_only
    out = tmp_path / "out"
    assert study("markers", release, server, out, "--budget-requests", "1", "--concurrency", "1") == 1
    assert "the budget is spent" in capsys.readouterr().err
    before = len(server.bodies)
    assert study("markers", release, server, out) == 0
    assert len(server.bodies) == 2 * len(study_of("markers").conditions)
    assert before < len(server.bodies)
    files = {path.name: path.read_bytes() for path in (out / "study-markers").iterdir()}
    assert study("markers", release, server, out) == 0
    assert len(server.bodies) == 2 * len(study_of("markers").conditions)
    assert {path.name: path.read_bytes() for path in (out / "study-markers").iterdir()} == files


def test_without_its_pictures_a_model_that_looks_loses_and_one_that_reads_does_not(
    bench: Any, server: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(30):
        bright = number % 2
        pixels = np.full((20, 27, 3), 200 + number if bright else 20 + number, dtype=np.uint8)
        bench.add(f"Is it bright? {number}", pictures=[pixels], options=("yes", "no"), answer="BA"[bright])
    release = bench.release(tmp_path / "release")

    def looks(words: str, attempt: int, handler: Any) -> str:
        pictures = pictures_in(handler.body)
        return "(A)" if not pictures or pictures[0].mean() > 128 else "(B)"

    server.behave = looks
    assert study("no_picture", release, server, tmp_path / "out", "--json") == 0
    changes = {change["condition"]: change for change in said(capsys)["changes"] if change["task"] == "all"}
    assert changes["with pictures"]["accuracy"]["value"] == 1
    assert changes["without pictures"]["accuracy"]["value"] == 0.5
    assert changes["without pictures"]["difference"]["significant"]


def test_captions_are_written_by_the_captioner_and_read_by_the_model(
    bench: Any, server: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(12):
        pixels = np.full((20, 27, 3), 210 + number if number % 2 else 20 + number, dtype=np.uint8)
        bench.add(f"Is it bright? {number}", pictures=[pixels], options=("yes", "no"), answer="BA"[number % 2])
    release = bench.release(tmp_path / "release")

    def behave(words: str, attempt: int, handler: Any) -> str:
        pictures = pictures_in(handler.body)
        is_bright = pictures[0].mean() > 128 if pictures else "A bright picture" in words
        if handler.body["model"] == "eyes":
            return "A bright picture." if is_bright else "A dark picture."
        return "(A)" if is_bright else "(B)"

    server.behave = behave
    captioner = ("--captioner", "openai:eyes")
    assert study("captions", release, server, tmp_path / "out", "--json", *captioner) == 0
    document = said(capsys)
    changes = {change["condition"]: change["accuracy"]["value"] for change in document["changes"]}
    assert changes == {"with pictures": 1, "with descriptions by openai:eyes": 1, "words alone": 0.5}
    assert document["planned"]["requests"] == len(server.bodies) == 12 * 4


def test_a_model_that_believes_captions_is_led_astray_by_contradicting_ones(
    bench: Any, server: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    captions = {"natural_caption": "A child holds a kite.", "manipulated_caption": "A child holds a knife."}
    for number in range(14):
        pixels = [np.full((20, 27, 3), 2 * number + side, dtype=np.uint8) for side in (40, 41)]
        sides = dict(zip(("natural", "manipulated"), (bench.picture(p) for p in pixels), strict=True))
        for place, side in enumerate(sides):
            bench.add(
                f"Is the child dangerous? {number} {side}", task="pair_yes_no", pictures=[pixels[place]],
                options=("yes", "no"), answer="BA"[place], kind="yes_no", group_keys=(f"pair:{number}",),
                evidence={**sides, **captions},
            )  # fmt: skip
    bench.add("of no pair")
    release = bench.release(tmp_path / "release")

    def believes(words: str, attempt: int, handler: Any) -> str:
        if "caption" not in words:
            return "(A)" if pictures_in(handler.body)[0].mean() % 2 == 1 else "(B)"
        return "(A)" if "knife" in words else "(B)"

    server.behave = believes
    assert study("contradicting_captions", release, server, tmp_path / "out", "--json") == 0
    changes = {change["condition"]: change for change in said(capsys)["changes"] if change["task"] == "all"}
    accuracy = {name: (change["accuracy"]["value"], change["accuracy"]["n"]) for name, change in changes.items()}
    own, other = "the picture's own caption", "the other picture's caption"
    assert accuracy == {"no caption": (1, 28), own: (1, 28), other: (0, 28)}
    assert changes[other]["difference"]["clusters"] == 14
    assert changes[other]["difference"]["significant"]
    assert any(
        "The image comes with this caption: A child holds a knife.\nIs the" in words_of(b) for b in server.bodies
    )


def test_several_models_stand_side_by_side_and_programs_cost_nothing(
    bench: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = marked(bench, tmp_path, 4)
    models = ["--model", "random", "--model", "constant:A"]
    out = tmp_path / "out"
    assert invoke(["evaluate", "study", "markers", str(release.path), *models, "--out", str(out), "--json"]) == 0
    document = said(capsys)
    assert {change["model"] for change in document["changes"]} == {"random", "constant:A"}
    assert (document["planned"]["requests"], document["planned"]["most_cost"]) == (0, None)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["markers", "--model", "random"], "no item of the release marks a point"),
        (["contradicting_captions", "--model", "random"], "with known captions"),
        (["captions", "--model", "random"], "needs a model that describes"),
        (["no_picture", "--model", "random", "--captioner", "openai:x"], "leave --captioner out"),
        (["no_picture", "--model", "random", "--model", "random"], "each only once"),
    ],
)
def test_what_a_study_lacks_is_said_in_one_line(
    bench: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    for number in range(3):
        bench.add(f"q{number}")
    release = bench.release(tmp_path / "release")
    name, *more = arguments
    assert invoke(["evaluate", "study", name, str(release.path), *more, "--out", str(tmp_path / "out")]) == 2
    assert words in capsys.readouterr().err


def test_a_folder_with_anything_else_is_left_alone(
    bench: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.add("one")
    release = bench.release(tmp_path / "release")
    mine = tmp_path / "out" / "study-no_picture" / "index.html"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    run = ["evaluate", "study", "no_picture", str(release.path), "--model", "random", "--out", str(tmp_path / "out")]
    assert invoke(run) == 2
    assert "contains no study of this release" in capsys.readouterr().err
    assert mine.read_text() == "mine"


def test_every_condition_of_every_study_is_a_protocol() -> None:
    [name] = [parameter for parameter in study_command.params if parameter.name == "name"]
    assert list(name.type.choices) == list(STUDIES)  # type: ignore[attr-defined]
    for name in STUDIES:
        conditions = study_of(name, captioner="openai:eyes" if name == "captions" else None).conditions
        texts = [parse_protocol(condition.protocol).text for condition in conditions]
        assert len(set(texts)) == len(texts) >= 3
    with pytest.raises(BenchwrightError, match="unknown study 'colours'"):
        study_of("colours")


@pytest.mark.parametrize("shape", ["ring", "dot", "box", "arrow"])
@pytest.mark.parametrize(
    "point", [(64.0, 48.0), (1.5, 94.0), (126.0, 2.0)], ids=["middle", "left below", "right above"]
)
def test_a_point_is_marked_in_every_shape_where_it_lies(shape: str, point: tuple[float, float]) -> None:
    data = encode_png(np.full((96, 128, 3), 128, dtype=np.uint8))
    prompt = VisualPrompt(kind="ring", image_id="0" * 64, points=(point,))
    box = VisualPrompt(kind="box", image_id="0" * 64, points=((10.0, 10.0), (30.0, 25.0)))
    question = Question("i", "naming", "?", (QuestionImage("0" * 64, (prompt, box), data),), ())
    protocol: Any = parse_protocol(f"marks:shape={shape},radius_px=100,color=blue")
    [picture] = protocol.as_shown(question).pictures
    mark, same = picture.prompts
    assert same.points == box.points
    assert mark.kind == shape
    drawn = draw_prompts(np.full((96, 128, 3), 128, dtype=np.uint8), (mark,)).astype(int)
    ys, xs = np.nonzero((drawn[..., 2] > 200) & (drawn[..., 0] < 60))
    assert len(xs) > 10
    assert np.hypot(xs + 0.5 - point[0], ys + 0.5 - point[1]).min() < 12


def test_each_picture_is_scaled_once_for_all_conditions_and_drawn_once_for_each(
    bench: Any, server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = ScaledPictures()
    for place in (marks, sent_pictures):
        monkeypatch.setattr(place, "SCALED", kept)
    release, conditions = marked(bench, tmp_path, 3), len(study_of("markers").conditions)
    assert study("markers", release, server, tmp_path / "out") == 0
    assert (kept.made, kept.drawn) == (3, 3 * conditions)
    assert study("markers", release, server, tmp_path / "out") == 0  # all is answered, and nothing is drawn again
    assert (kept.made, kept.drawn) == (3, 3 * conditions)
