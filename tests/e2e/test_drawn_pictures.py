"""A reader of a release sees the marks that its questions speak of: the code on the card draws them.

- The column `images` holds the very bytes that evaluation sends wherever a picture is drawn.
- The card of a release with marks says how many questions need them; its code, run as it stands with Hugging Face
  `datasets`, shows the pixels that evaluation sends, and draws them anew from `unmarked`.
- A card without marks speaks of none.
- A row whose pictures may not be those of its marks is refused in words.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from small_bench import Bench, reseal
from walks import in_process, make_photographs, run_json

from benchwright.canonical import bytes_digest
from benchwright.engines.record_jobs import map_on_this_machine
from benchwright.errors import DataError
from benchwright.evaluation.backends.sent_pictures import SentPictures
from benchwright.evaluation.prompting.question import question_of
from benchwright.images import decode_rgb
from benchwright.images.decode import encode_png
from benchwright.progress import Silent
from benchwright.records import Choice, ItemImage, VisualPrompt
from benchwright.release import Release, drawn_pictures, verify_release

RECIPE = """\
name: marks
seed: 3
shards: 2
steps:
  - {step: jigsaw, min_tile_px: 16, likeness: keep}
  - {step: visual_correspondence, min_side_px: 96, min_view_px: 57}
  - splits
  - {step: freeze, name: marks, version: "1.0"}
"""
SEEN = """
import sys
from pathlib import Path

for rows in benchmark.values():
    for row in rows:
        for number, picture in enumerate(row["images"]):
            picture.convert("RGB").save(Path(sys.argv[1]) / f"{row['item_id']}-{number}.seen.png")
"""
THEN = """
import sys
from pathlib import Path

assert len(pictures) == len(row["images"]) == len(row["unmarked"])
for rows in benchmark.values():
    for row in rows:
        for number, picture in enumerate(drawn_pictures(row)):
            picture.save(Path(sys.argv[1]) / f"{row['item_id']}-{number}.png")
"""


def _turned_photograph(path: Path) -> None:
    """Save a photograph that lies on its side and says so."""
    from skimage import data

    exif = Image.Exif()
    exif[274] = 6
    Image.fromarray(data.cat()[:280, :400]).save(path, "JPEG", exif=exif)


def _see_through(path: Path) -> None:
    from skimage import data

    picture = Image.fromarray(data.coffee()[20:300, 30:420]).convert("RGBA")
    picture.putalpha(Image.linear_gradient("L").resize(picture.size))
    picture.save(path, "PNG")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """JPEG, PNG and WebP, one turned by its EXIF and one with transparency, as questions with and without marks."""
    place = tmp_path_factory.mktemp("marks")
    make_photographs(place / "p", count=5)
    _turned_photograph(place / "p" / "turned.jpg")
    _see_through(place / "p" / "see-through.png")
    (place / "marks.yaml").write_text(RECIPE)
    run_json("run", place / "marks.yaml", "--images", place / "p", "--workspace", place / "w", "--workers", 1)
    return Release.open(place / "w" / "releases" / "marks-1.0")


def change_drawn(folder: Path) -> None:
    """Change one pixel of the first drawn picture, with a name that fits."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    [path] = (folder / "data").glob("test-*.parquet")
    table = pq.read_table(path)
    rows = table.to_pylist()
    row = next(row for row in rows if any(row["unmarked"]))
    place = next(number for number, cell in enumerate(row["unmarked"]) if cell)
    pixels = decode_rgb(row["images"][place]["bytes"])
    pixels[3, 5] ^= 1
    data = encode_png(pixels)
    row["images"][place] = {"bytes": data, "path": f"{bytes_digest(data)}.png"}
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)


class Counted(Silent):
    """Progress that keeps its reports."""

    def __init__(self) -> None:
        self.phases: list[tuple[str, int, str]] = []
        self.advanced = 0

    def phase(self, name: str, total: int, unit: str = "images") -> None:
        self.phases.append((name, total, unit))

    def advance(self, records: int) -> None:
        self.advanced += records


def _card_code(release: Release) -> str:
    shows, draws = re.findall(r"```python\n(.*?)```", (release.path / "README.md").read_text(), re.DOTALL)
    assert "benchwright" not in shows
    return f"{shows.replace('.show()', '.load()')}\n{SEEN}\n{draws}"


def _sent(release: Release) -> dict[str, np.ndarray]:
    """Return the pixels that evaluation sends, by item and place."""
    sender = SentPictures()
    return {
        f"{released.item.item_id}-{number}": decode_rgb(sender.of(picture).data)
        for released in release.items()
        for number, picture in enumerate(question_of(released).pictures)
    }


def _row(release: Release, *, decoded: bool = False, task: str = "visual_correspondence") -> dict[str, Any]:
    import pyarrow.parquet as pq

    [name, *_] = [name for name in release.manifest.files if name.startswith("data/test")]
    row = next(row for row in pq.read_table(release.path / name).to_pylist() if row["task"] == task)
    if decoded:
        for column in ("images", "unmarked"):
            row[column] = [image and Image.open(io.BytesIO(image["bytes"])) for image in row[column]]
    return dict(row)


def test_the_code_on_the_card_draws_what_evaluation_sends(release: Release, tmp_path: Path) -> None:
    code = _card_code(release)
    assert "drawn_pictures" in code
    code = code.replace("path/to/this/folder", str(release.path))
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf")}
    (tmp_path / "out").mkdir()
    ran = subprocess.run(
        [sys.executable, "-c", code + THEN, str(tmp_path / "out")],
        env={**os.environ, **offline}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    expected = _sent(release)
    drawn = {path.stem: np.asarray(Image.open(path)) for path in (tmp_path / "out").iterdir()}
    assert drawn.keys() == {*expected, *(f"{name}.seen" for name in expected)}
    for name, pixels in expected.items():
        np.testing.assert_array_equal(drawn[f"{name}.seen"], pixels)
        np.testing.assert_array_equal(drawn[name], pixels)
    unmarked = {
        f"{one.item.item_id}-{n}": decode_rgb(one.images[image.image_id])
        for one in release.items()
        for n, image in enumerate(one.item.images)
        if image.prompts
    }
    assert unmarked
    assert all((drawn[name] != pixels).any() for name, pixels in unmarked.items())


def test_the_release_holds_byte_for_byte_what_evaluation_sends(release: Release) -> None:
    sender = SentPictures()
    how = set()
    for released in release.items():
        for picture, drawn in zip(question_of(released).pictures, released.drawn, strict=True):
            sent = sender.of(picture)
            how.add(sent.how)
            if drawn is None:
                assert sent.how == "stored"
            else:
                assert sent.data == drawn
    assert how == {"stored", "drawn"}


def test_verify_names_a_drawn_picture_that_its_marks_do_not_give(release: Release, tmp_path: Path) -> None:
    folder = shutil.copytree(release.path, tmp_path / "r")
    change_drawn(folder)
    reseal(folder)
    [problem] = verify_release(folder).problems
    assert "does not match its file and its marks" in problem


def test_verify_says_so_where_another_version_drew_the_marks(release: Release, tmp_path: Path) -> None:
    folder = shutil.copytree(release.path, tmp_path / "r")
    change_drawn(folder)
    reseal(folder, lambda document: document.update(drawing_version=7))
    verification = verify_release(folder)
    assert verification.ok
    assert any("version 7 of the drawing made them" in line for line in verification.not_proven)


@pytest.mark.workers
def test_marks_drawn_by_worker_processes_give_the_same_bytes_and_are_counted(tmp_path: Path) -> None:
    bench = Bench()
    for number in range(70):
        source = bench.source(number, "CC0", scale=20)
        ring = VisualPrompt(kind="ring", image_id=source.image_id, points=((30.0 + number % 7, 45.0),), label="REF")
        bench.add(
            source, "test", number, task="ring_colour", question="Is the ring red?", answer="A",
            images=(ItemImage(image_id=source.image_id, role="view", prompts=(ring,)),),
            choices=(Choice(key="A", text="yes"), Choice(key="B", text="no")),
        )  # fmt: skip
    counted = Counted()
    alone = bench.write(tmp_path / "a")
    with map_on_this_machine("freeze", workers=2) as record_map:
        several = bench.write(tmp_path / "b", record_map=record_map, progress=counted)
    assert several.release_id == alone.release_id
    assert counted.phases == [("drawing of marks", 70, "items")]
    assert counted.advanced == 70


def test_the_card_and_show_say_how_many_questions_need_marks(release: Release) -> None:
    needing = sum(any(image.prompts for image in one.item.images) for one in release.items())
    assert 0 < needing < len(release)
    card = (release.path / "README.md").read_text()
    assert f"**{needing} of {len(release)} questions need marks**" in card
    assert f"`visual_correspondence` {needing}" in card
    shown = run_json("release", "show", release.path)
    assert shown["marked"] == {"items": needing, "tasks": {"visual_correspondence": needing}}
    assert f"of {len(release)} items, {needing} need marks" in in_process("release", "show", release.path).stdout


def test_a_card_without_marks_speaks_of_none(tmp_path: Path) -> None:
    from small_bench import small_bench

    plain = small_bench()
    plain.items = [(item, split) for item, split in plain.items if item.task == "jigsaw"]
    release = plain.write(tmp_path / "r")
    assert "marks" not in (release.path / "README.md").read_text()
    assert "marks" not in in_process("release", "show", release.path).stdout


def test_items_of_our_own_reader_are_drawn_too(release: Release) -> None:
    expected = _sent(release)
    for released in release.items("test"):
        for number, picture in enumerate(drawn_pictures(released)):
            np.testing.assert_array_equal(np.asarray(picture), expected[f"{released.item.item_id}-{number}"])


def test_pictures_that_datasets_decoded_are_drawn_where_nothing_was_left_to_the_decoder(release: Release) -> None:
    row = _row(release, decoded=True)
    files = drawn_pictures(_row(release))
    assert [np.asarray(one).tobytes() for one in drawn_pictures(row)] == [np.asarray(one).tobytes() for one in files]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(lambda image: image.resize((31, 29)), "was turned or changed after it was decoded", id="resized"),
        pytest.param(lambda image: image.convert("RGBA"), "was turned or changed", id="converted"),
    ],
)
def test_a_changed_picture_is_refused_since_marks_would_lie_elsewhere(
    release: Release, change: Any, message: str
) -> None:
    row = _row(release, decoded=True)
    row["unmarked"] = [image and change(image) for image in row["unmarked"]]
    with pytest.raises(DataError, match=message) as refused:
        drawn_pictures(row)
    assert "cast_column" in str(refused.value)


def test_a_transparent_picture_that_was_decoded_is_refused(release: Release) -> None:
    row = _row(release, decoded=True)
    handle = io.BytesIO()
    Image.new("RGBA", (9, 7), (1, 2, 3, 4)).save(handle, "PNG")
    row["unmarked"] = [Image.open(io.BytesIO(handle.getvalue())) for _ in row["unmarked"]]
    with pytest.raises(DataError, match="has transparency"):
        drawn_pictures(row)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"visual_prompts": None}, "give one row", id="several-rows"),
        pytest.param({"visual_prompts": "[[]]"}, "and marks for 1", id="too-few-marks"),
        pytest.param({"visual_prompts": json.dumps([[{"kind": "halo"}]])}, "not a list of marks", id="no-marks"),
        pytest.param(
            {"unmarked": [{"bytes": None, "path": "x.png"}] * 2}, "which states only its address", id="no-bytes"
        ),
        pytest.param({"unmarked": [{"bytes": b"x", "path": "x.png"}] * 2}, "do not match image_id", id="other-bytes"),
    ],
)
def test_a_row_that_is_not_whole_is_refused_in_words(release: Release, change: dict[str, Any], message: str) -> None:
    row = _row(release)
    assert len(row["images"]) == 2
    with pytest.raises(DataError, match=message):
        drawn_pictures({**row, **change})


def test_a_row_without_its_marks_is_refused(release: Release) -> None:
    row = {name: value for name, value in _row(release).items() if name != "visual_prompts"}
    with pytest.raises(DataError, match="no column 'visual_prompts'"):
        drawn_pictures(row)
