"""Pictures are sent unchanged if all decoders read them alike, otherwise as PNG; each is prepared once."""

from __future__ import annotations

import base64
import io
import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from endpoint_runs import ask
from PIL import Image

from benchwright.canonical import bytes_digest
from benchwright.drawing import draw_prompts
from benchwright.errors import BenchwrightError, CheckFailed
from benchwright.evaluation.backends import sent_pictures
from benchwright.evaluation.backends.base import parse_model
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.backends.picture_limits import PictureLimits
from benchwright.evaluation.backends.sent_pictures import SentPictures
from benchwright.evaluation.prompting.question import Question, QuestionImage
from benchwright.evaluation.run import evaluate
from benchwright.images import decode_rgb, encode_png
from benchwright.images.made_files import encode_lossless
from benchwright.records import VisualPrompt
from benchwright.workspace.item_cache import ItemCache

RNG = np.random.default_rng(5)
PIXELS = RNG.integers(0, 256, (30, 44, 3), dtype=np.uint8)


def encoded(pixels: np.ndarray = PIXELS, form: str = "PNG", mode: str = "RGB", **more: Any) -> bytes:
    handle = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(handle, form, **more)
    return handle.getvalue()


def picture(data: bytes, *prompts: VisualPrompt) -> QuestionImage:
    return QuestionImage(bytes_digest(data), prompts, data)


def turned() -> bytes:
    exif = Image.Exif()
    exif[274] = 6
    return encoded(form="JPEG", exif=exif)


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        pytest.param(encoded(), "image/png", id="png"),
        pytest.param(encoded(mode="P"), "image/png", id="palette"),
        pytest.param(encoded(mode="L"), "image/png", id="grey"),
        pytest.param(encoded(form="JPEG"), "image/jpeg", id="jpeg"),
    ],
)
def test_plain_files_are_sent_byte_for_byte(data: bytes, media_type: str) -> None:
    sent = SentPictures().of(picture(data))
    assert np.array_equal(decode_rgb(sent.data), decode_rgb(data))
    assert (sent.how, sent.media_type, sent.width, sent.height) == ("stored", media_type, 44, 30)
    assert sent.sha256 == bytes_digest(sent.data)
    assert len(data) - len(sent.data) in {0, 20}  # a JPEG's JFIF header is no pixel


@pytest.mark.parametrize("more", [{"lossless": True}, {"quality": 80}], ids=["lossless", "lossy"])
def test_webp_goes_only_to_the_vendors_that_read_it_and_as_png_of_the_same_pixels_to_all_others(
    more: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = encoded(form="WEBP", **more)
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(variable, "k")
    question = Question("i", "t", "What?", (picture(data),), ())

    def sent(model: str, **options: Any) -> Any:
        backend: Any = parse_model(model, BackendOptions(**options))
        [shown] = backend.request(question).pictures
        return shown

    hosted = {model: sent(model).media_type for model in ("openai:m", "responses:m", "anthropic:m", "gemini:m")}
    assert set(hosted.values()) == {"image/webp"}
    own = sent("openai:m", base_url="http://127.0.0.1:8080/v1")
    assert (own.media_type, own.how, own.sha256) == ("image/png", "encoded", bytes_digest(own.data))
    assert np.array_equal(decode_rgb(own.data), decode_rgb(data))
    small = sent("openai:m", base_url="http://127.0.0.1:8080/v1", max_picture_side=16)
    assert (small.media_type, small.how) == ("image/png", "shrunk")
    with ItemCache(tmp_path / "items.sqlite") as cache:  # what was sent before is known without decoding it again
        for made in (1, 0):
            pictures = SentPictures(reads_webp=False)
            pictures.item_cache = cache
            with monkeypatch.context() as patched:
                if not made:
                    patched.setattr(sent_pictures, "decode_rgb", None)
                assert pictures.of(picture(data)).sha256 == own.sha256


def test_texts_in_a_file_are_not_sent() -> None:
    data = encoded()
    text = b"tEXtanswer\0B"
    chunk = struct.pack(">I", len(text) - 4) + text + struct.pack(">I", zlib.crc32(text))
    sent = SentPictures().of(picture(data[:33] + chunk + data[33:]))
    assert sent.data == data


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(turned(), id="turned by EXIF"),
        pytest.param(encoded(mode="RGBA"), id="alpha"),
        pytest.param(encoded(form="TIFF"), id="tiff"),
        pytest.param(encoded(form="GIF", mode="P"), id="gif"),
    ],
)
def test_what_is_read_in_different_ways_is_sent_as_upright_png(data: bytes) -> None:
    sent = SentPictures().of(picture(data))
    upright = decode_rgb(data)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(sent.data))), upright)
    assert (sent.how, sent.media_type) == ("encoded", "image/png")
    assert (sent.height, sent.width) == upright.shape[:2]


def test_marks_are_drawn_and_pictures_with_other_marks_are_others() -> None:
    data = encoded()
    ring, dot = (VisualPrompt(kind=k, image_id=bytes_digest(data), points=((20.5, 15.5),)) for k in ("ring", "dot"))
    pictures = SentPictures()
    with_ring, with_dot, bare = (pictures.of(picture(data, *marks)) for marks in ((ring,), (dot,), ()))
    assert np.array_equal(decode_rgb(with_ring.data), draw_prompts(PIXELS, (ring,)))
    assert len({with_ring.sha256, with_dot.sha256, bare.sha256}) == 3
    assert with_ring.how == "drawn"


def test_a_picture_is_made_ready_once_however_many_questions_show_it() -> None:
    pictures = SentPictures()
    ring = VisualPrompt(kind="ring", image_id=bytes_digest(encoded()), points=((20.5, 15.5),))
    first = pictures.of(picture(encoded(), ring))
    assert all(pictures.of(picture(encoded(), ring)) is first for _ in range(5))
    assert pictures.made == 1
    assert first.data is first.data


def test_what_is_kept_is_bounded_and_the_longest_unused_goes() -> None:
    files = [encode_png(RNG.integers(0, 256, (40, 40, 3), dtype=np.uint8)) for _ in range(4)]
    pictures = SentPictures(cache_bytes=3 * len(files[0]) + 200)
    for data in (*files[:3], files[0], files[3], files[0], files[1]):
        pictures.of(picture(data))
    assert pictures.made == 5  # the second was let go for the fourth, and made ready again


def test_the_log_says_what_was_sent(bench: Any, server: Any, tmp_path: Path) -> None:
    bench.add("Where?", pictures=[PIXELS], marks={0: [("A", (20.5, 15.5))]})
    bench.add("What?", pictures=[PIXELS])
    evaluate(
        bench.release(tmp_path / "r"), "openai:m", out=tmp_path / "out", options=BackendOptions(base_url=server.url)
    )
    (path,) = (tmp_path / "out").glob("*/replies.jsonl")
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    logged = {entry["sha256"]: entry for entry in entries if entry.get("kind") == "picture"}
    assert sorted(entry["how"] for entry in logged.values()) == ["drawn", "stored"]
    import base64

    for body in server.bodies:
        (url,) = (p["image_url"]["url"] for p in body["messages"][0]["content"] if p["type"] == "image_url")
        assert bytes_digest(base64.b64decode(url.partition(",")[2])) in logged
    assert "base64" not in path.read_text()


def test_pictures_by_url_lie_in_the_folder_under_their_hash(bench: Any, server: Any, tmp_path: Path) -> None:
    bench.add("What?", pictures=[PIXELS])
    options = BackendOptions(
        base_url=server.url, image_urls="https://pictures.example/x/", image_folder=tmp_path / "www"
    )
    score = evaluate(bench.release(tmp_path / "r"), "openai:m", out=tmp_path / "out", options=options)
    (body,) = server.bodies
    (url,) = (p["image_url"]["url"] for p in body["messages"][0]["content"] if p["type"] == "image_url")
    (file,) = (tmp_path / "www").iterdir()
    assert url == f"https://pictures.example/x/{file.name}"
    assert file.name == f"{bytes_digest(file.read_bytes())}.png"
    assert np.array_equal(decode_rgb(file.read_bytes()), PIXELS)
    assert score.settings["backend"]["pictures"] == "by URL"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"image_urls": "https://pictures.example"}, "together"),
        ({"image_folder": Path("www")}, "together"),
        ({"image_urls": "pictures", "image_folder": Path("www")}, "--image-urls needs an address"),
    ],
)
def test_an_address_without_a_folder_or_one_that_is_none_is_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(BenchwrightError, match=words):
        parse_model("openai:m", BackendOptions(base_url="http://127.0.0.1:1/v1", **settings))


def test_what_was_drawn_in_an_earlier_run_is_known_without_drawing(tmp_path: Path) -> None:
    data = encoded()
    marks = (
        VisualPrompt(kind="ring", image_id=bytes_digest(data), points=((20.0, 10.0),), label="A"),
        VisualPrompt(kind="ring", image_id=bytes_digest(data), points=((21.0, 10.0),), label="A"),
    )
    sent = []
    for _ in range(2):
        with ItemCache(tmp_path / "items.sqlite") as cache:
            pictures = SentPictures()
            pictures.item_cache = cache
            sent.append([pictures.of(picture(data, mark)) for mark in marks])
    first, again = sent
    assert [picture.record() for picture in again] == [picture.record() for picture in first]
    assert first[0].sha256 != first[1].sha256
    assert [picture.data for picture in again] == [picture.data for picture in first]


def test_what_a_release_holds_drawn_is_sent_pixel_for_pixel_and_nothing_is_drawn(
    server: Any, bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import base64

    def refuse(picture: QuestionImage) -> tuple[bytes, int, int]:
        raise AssertionError(f"{picture.image_id} is drawn anew")

    monkeypatch.setattr(sent_pictures, "_drawn", refuse)
    bench.add("one", pictures=[PIXELS], marks={0: [("A", (20.0, 10.0))]})
    bench.add("two", pictures=[PIXELS[::-1]], marks={0: [("A", (20.0, 10.0))]})
    release = bench.release(tmp_path / "r")
    evaluate(release, "openai:m", out=tmp_path / "out", options=BackendOptions(base_url=server.url))
    urls = [
        part["image_url"]["url"]
        for body in server.bodies
        for part in body["messages"][0]["content"]
        if part["type"] == "image_url"
    ]
    sent = {decode_rgb(base64.b64decode(url.partition(",")[2])).tobytes() for url in urls}
    cells = [cell for row in release.rows(("item_id", "images")) for cell in row["images"]]
    assert sent == {decode_rgb(cell["bytes"]).tobytes() for cell in cells}
    assert len(sent) == 2


@pytest.mark.parametrize(
    ("limits", "encode", "media_type"),
    [
        pytest.param(PictureLimits(64, None), encode_png, "image/png", id="side"),
        pytest.param(
            PictureLimits(64, None), lambda pixels: encode_lossless(pixels)[0], "image/png", id="side of WebP"
        ),
        pytest.param(PictureLimits(None, 4000), encode_png, "image/jpeg", id="bytes"),
        pytest.param(PictureLimits(64, 4000), encode_png, "image/jpeg", id="both"),
    ],
)
def test_a_picture_beyond_the_limits_is_shrunk_and_one_within_is_sent_as_it_is(
    limits: PictureLimits, encode: Callable[[np.ndarray], bytes], media_type: str
) -> None:
    pixels = np.random.default_rng(5).integers(0, 256, (90, 160, 3), dtype=np.uint8)
    data, small = encode(pixels), encode(pixels[:20, :30])
    sent = SentPictures(limits).of(QuestionImage(bytes_digest(data), (), data))
    assert (sent.how, sent.media_type, sent.sha256) == ("shrunk", media_type, bytes_digest(sent.data))
    assert sent.width / sent.height == pytest.approx(160 / 90, rel=0.05)
    assert not limits.exceeded_by(sent.width, sent.height, len(sent.data))
    assert decode_rgb(sent.data).shape == (sent.height, sent.width, 3)
    assert SentPictures(limits).of(QuestionImage(bytes_digest(small), (), small)).data == small


@pytest.mark.parametrize(
    ("words", "limit"),
    [
        ("image exceeds the maximum size", {"max_picture_side": 75}),
        ("image dimensions exceed max allowed size: 100 pixels", {"max_picture_side": 100}),
        ("image exceeds 9 kB maximum: 54,320 bytes > 12,000 bytes", {"max_picture_bytes": 9_000}),
    ],
)
def test_an_endpoint_that_finds_a_picture_too_large_gets_it_again_shrunk(
    bench: Any, server: Any, tmp_path: Path, words: str, limit: dict[str, int]
) -> None:
    rng = np.random.default_rng(6)
    for number in range(2):
        bench.add(f"Where {number}?", pictures=[rng.integers(0, 256, (60, 300, 3), dtype=np.uint8)])
    sizes: list[tuple[int, int]] = []

    def behave(question: str, attempt: int, handler: Any) -> str | None:
        content = handler.body["messages"][0]["content"]
        (url,) = (part["image_url"]["url"] for part in content if part["type"] == "image_url")
        data = base64.b64decode(url.partition(",")[2])
        sizes.append((max(decode_rgb(data).shape), len(data) * 4 // 3))
        if sizes[-1][1] <= 12_000 if "bytes" in words else sizes[-1][0] <= 100:
            return "(B)"
        return server.say(handler, 400, {"error": {"message": words}})

    server.behave = behave
    score = ask(bench, server, tmp_path, concurrency=1)
    assert (score.error, score.settings["backend"]["picture_limits_learned"]) == (0, limit)
    refused = len(sizes) - 2
    assert refused <= 4
    again = ask(bench, server, tmp_path, concurrency=1)
    assert (again.error, len(sizes)) == (0, refused + 2), "a run that goes on knows the limit"


@pytest.mark.parametrize(
    ("side", "status", "words"),
    [(90, 413, "body too large"), (300, 400, "the request's input exceeds the maximum context length of 8192 tokens")],
)
def test_where_smaller_pictures_do_not_help_the_options_are_named(
    side: int, status: int, words: str, bench: Any, server: Any, tmp_path: Path
) -> None:
    bench.add("Where?", pictures=[np.random.default_rng(6).integers(0, 256, (20, side, 3), dtype=np.uint8)])
    server.behave = lambda question, attempt, handler: server.say(handler, status, {"error": {"message": words}})
    with pytest.raises(CheckFailed, match=rf"{side} x 20 pixels.*--max-picture-side and --max-picture-bytes"):
        ask(bench, server, tmp_path)
    assert len(server.bodies) == 1
