"""Requirements of every format, on a release with all difficult cases.

- The export is read back and equals the release; content that it cannot hold is listed, also in the README.
- The same release gives the same bytes under another locale, time zone and hash seed.
- The canary is in every text file, the license and the authors in the README and `sources.jsonl`.
- Marked pictures are drawn, and also included without marks, byte for byte, with their vectors.
- An export that was changed before the comparison is refused, and a non-empty folder is left alone.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nasty_release import NastyBench, nasty_bench, nasty_release
from PIL import Image
from small_bench import OPERATION, small_bench
from walks import benchwright, in_process, run_json

from benchwright.engines.record_jobs import map_on_this_machine
from benchwright.errors import BenchwrightError, DataError, StepError
from benchwright.evaluation.backends.sent_pictures import SentPictures
from benchwright.evaluation.prompting.question import question_of
from benchwright.exports import ExportFormat, export_release
from benchwright.images.formats import MEDIA_TYPES
from benchwright.record_map import LostRecord
from benchwright.records import Choice, ItemImage, Operation, VisualPrompt
from benchwright.release import Release
from benchwright.rooms import catalogue

FORMATS = sorted(catalogue("formats"))
WITHOUT_DRAWN_MARKS = {"coco"}
ENCODED = "picture files that not every program reads alike (BMP, GIF, TIFF, AVIF; turned, see-through, 16 bits)"
BINARY = {".png", ".jpg", ".parquet", ".tar", ".webp"}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return nasty_release(tmp_path_factory.mktemp("nasty") / "r")


@pytest.fixture(scope="module", params=FORMATS)
def exported(request: pytest.FixtureRequest, release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exports") / request.param
    export_release(release, request.param, folder)
    return folder


def _digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("name", FORMATS)
def test_every_item_is_read_back_equal(name: str, release: Release, tmp_path: Path) -> None:
    document = run_json("release", "export", release.path, "--format", name, "--out", tmp_path / "out")
    assert (document["format"], document["out"], document["items"]) == (name, str(tmp_path / "out"), len(release))
    assert document["files"] == len(_digests(tmp_path / "out"))
    assert document["checked"]["items"] == len(release)
    assert document["checked"]["pictures"] == sum(len(one.item.images) for one in release.items())
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    for loss in document["not_carried"]:
        assert loss["items"] > 0
        assert loss["what"] in text
        assert loss["why"] in text


def test_export_json_holds_the_hash_of_every_other_file(exported: Path, release: Release) -> None:
    description = json.loads((exported / "export.json").read_text(encoding="utf-8"))
    digests = _digests(exported)
    del digests["export.json"]
    assert {name: entry["sha256"] for name, entry in description["files"].items()} == digests
    assert description["exported_to"] == exported.name
    assert description["release"]["release_id"] == release.release_id


def test_every_text_file_has_the_canary_and_the_readme_the_licences(exported: Path, release: Release) -> None:
    texts = [path for path in exported.rglob("*") if path.is_file() and path.suffix not in BINARY]
    assert [path.name for path in texts if release.canary not in path.read_text(encoding="utf-8")] == []
    readme = (exported / "README.md").read_text(encoding="utf-8")
    assert "cc-by-4.0" in readme
    assert "CC BY 4.0: 3 pictures" in readme
    lines = [json.loads(line) for line in (exported / "sources.jsonl").read_text(encoding="utf-8").split("\n")[:-1]]
    authors = {source.get("author") for line in lines for source in line["sources"]}
    assert authors == {None, 'Ann "Å" Lee, and others\nof =1+1'}


def test_marked_pictures_lie_beside_without_marks(exported: Path, release: Release) -> None:
    if exported.name in WITHOUT_DRAWN_MARKS:
        assert not (exported / "unmarked").exists()
        return
    marked = [(one, image) for one in release.items() for image in one.item.images if image.prompts]
    lines = [json.loads(line) for line in (exported / "marks.jsonl").read_text(encoding="utf-8").split("\n")[:-1]]
    assert [line["item_id"] for line in lines] == [one.item.item_id for one, _ in marked]
    for line, (one, image) in zip(lines, marked, strict=True):
        assert (exported / line["unmarked"]).read_bytes() == one.images[image.image_id]
        assert line["marks"] == [prompt.model_dump(mode="json") for prompt in image.prompts]


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_the_same_bytes_elsewhere(name: str, release: Release, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export_release(release, name, out)
    first = _digests(out)
    out.rename(tmp_path / "first")
    env = {"LC_ALL": "C", "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "4711", "PYTHONUTF8": "0"}
    done = benchwright("release", "export", release.path, "--format", name, "--out", out, env=env)
    assert done.returncode == 0, done.stderr
    assert _digests(out) == first


@pytest.mark.parametrize("name", FORMATS)
def test_one_split_alone(name: str, release: Release, tmp_path: Path) -> None:
    document = run_json(
        "release", "export", release.path, "--format", name, "--out", tmp_path / "out", "--splits", "val"
    )
    assert document["items"] == release.manifest.counts.splits["val"].items


@pytest.mark.parametrize("name", FORMATS)
def test_an_item_that_cannot_be_drawn_is_left_out_and_listed(name: str, tmp_path: Path) -> None:
    release = small_bench(ring_scale=1).write(tmp_path / "r")  # its rings are larger than its pictures
    done = export_release(release, name, tmp_path / "out")
    if name in WITHOUT_DRAWN_MARKS:
        assert done.items == len(release)
        return
    assert done.items == len(release) - 3
    [(loss, items)] = [(loss, items) for loss, items in done.not_carried if loss.what == "the item"]
    assert items == 3
    assert "is larger than the image" in loss.why


@pytest.mark.parametrize("name", FORMATS)
def test_a_split_without_an_item_that_can_be_drawn_is_left_out(name: str, tmp_path: Path) -> None:
    bench = small_bench(ring_scale=1)  # its rings are larger than its pictures
    bench.items = [(item, split if item.task == "jigsaw" else "rings") for item, split in bench.items]
    done = export_release(bench.write(tmp_path / "r"), name, tmp_path / "out")
    assert done.items == (8 if name in WITHOUT_DRAWN_MARKS else 5)


def test_every_field_that_a_format_leaves_out_is_listed(exported: Path, release: Release) -> None:
    listed = json.loads((exported / "export.json").read_text(encoding="utf-8"))["not_carried"]
    leaves_out = catalogue("formats")[exported.name].load().leaves_out
    for field in leaves_out:
        number = sum(bool(getattr(one.item, field)) for one in release.items())
        assert [loss["items"] for loss in listed if f"(`{field}`)" in loss["what"]] == [number] * (number > 0)
    if not leaves_out:
        assert {loss["what"] for loss in listed} <= {
            "places of pictures among the words of the question", "options without words, outside of `task.py`",
            ENCODED,
        }  # fmt: skip


def test_a_folder_that_holds_something_is_left_alone(release: Release, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("x")
    done = in_process("release", "export", release.path, "--format", "jsonl", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "is not an empty folder" in done.stderr
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "mine.txt"]


@pytest.mark.parametrize("name", ["jsonl", "lmms-eval"])
def test_an_export_that_is_there_and_equal_is_done_and_another_is_refused(
    name: str, release: Release, tmp_path: Path
) -> None:
    words = ("release", "export", release.path, "--format", name, "--out", tmp_path / "out")
    first = run_json(*words)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")}
    assert run_json(*words) == first
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")} == before
    (tmp_path / "out" / "README.md").write_text("mine", encoding="utf-8")
    done = in_process(*words)
    assert done.returncode == 2
    assert "README.md" in done.stderr
    assert (tmp_path / "out" / "README.md").read_text(encoding="utf-8") == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_unknown_format_and_split_are_named(release: Release, tmp_path: Path) -> None:
    with pytest.raises(BenchwrightError, match="no format named 'jsonlines'; did you mean 'jsonl'"):
        export_release(release, "jsonlines", tmp_path / "out")
    with pytest.raises(BenchwrightError, match="has no split 'train'; it has test, val"):
        export_release(release, "jsonl", tmp_path / "out", splits=["train"])
    assert list(tmp_path.iterdir()) == []


def _export_changed(
    monkeypatch: pytest.MonkeyPatch, release: Release, name: str, out: Path, change: tuple[str, str]
) -> None:
    """Export, with a text of the files changed after they were written."""
    kind: type[ExportFormat] = catalogue("formats")[name].load()
    finish = kind.finish

    def changed(self: ExportFormat) -> None:
        finish(self)
        path = self.folder / "test.jsonl"
        text = path.read_text(encoding="utf-8")
        assert change[0] in text
        path.write_text(text.replace(*change, 1), encoding="utf-8")

    monkeypatch.setattr(kind, "finish", changed)
    export_release(release, name, out)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(('"007"', '"7"'), "other options", id="option"),
        pytest.param(("no more", "more"), "other question", id="question"),
        pytest.param(('"target": "A"', '"target": "B"'), "other answer", id="key"),
        pytest.param(('"split": "test"', '"split": "val"'), "other split", id="split"),
        pytest.param(('"item_id": "', '"item_id": "0'), "other item_id", id="order"),
        pytest.param(('"images": [{', '"images": [], "x": [{'), "has 0 pictures", id="picture"),
    ],
)
def test_what_differs_from_the_release_never_appears(
    change: tuple[str, str], message: str, release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataError, match=message):
        _export_changed(monkeypatch, release, "jsonl", tmp_path / "out", change)
    assert list(tmp_path.iterdir()) == []


def _written_anew(monkeypatch: pytest.MonkeyPatch, *, changed_bits: int) -> None:
    """Let JSON lines write the first PNG file anew, some bits of its first value changed."""
    kind: type[ExportFormat] = catalogue("formats")["jsonl"].load()
    finish = kind.finish

    def anew(self: ExportFormat) -> None:
        finish(self)
        path = min((self.folder / "images").glob("*.png"))
        with Image.open(path) as image:
            pixels = np.array(image)
        pixels.flat[0] ^= changed_bits
        Image.fromarray(pixels).save(path, compress_level=0)

    monkeypatch.setattr(kind, "finish", anew)


def test_other_pixels_are_seen(release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _written_anew(monkeypatch, changed_bits=1)
    with pytest.raises(DataError, match="has different pixels"):
        export_release(release, "jsonl", tmp_path / "out")


def test_another_file_with_the_same_pixels_is_equal(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _written_anew(monkeypatch, changed_bits=0)
    assert export_release(release, "jsonl", tmp_path / "out").checked["items"] == len(release)


def test_pictures_are_the_files_that_evaluation_sends(release: Release, tmp_path: Path) -> None:
    export_release(release, "jsonl", tmp_path / "out")
    sender = SentPictures()
    sent = [[sender.of(picture).data for picture in question_of(one).pictures] for one in release.items()]
    rows = [
        json.loads(line)
        for split in release.splits
        for line in (tmp_path / "out" / f"{split}.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    ]
    assert [[(tmp_path / "out" / image["path"]).read_bytes() for image in row["images"]] for row in rows] == sent


def test_a_folder_whose_name_is_no_text_is_refused(release: Release, tmp_path: Path) -> None:
    with pytest.raises(BenchwrightError, match="is not UTF-8 text"):
        export_release(release, "lmms-eval", Path(f"{tmp_path}/\udcff"))


def test_a_picture_of_many_items_is_written_once(release: Release, tmp_path: Path) -> None:
    export_release(release, "jsonl", tmp_path / "out")
    shown = {image.image_id for one in nasty_bench().items for image in one[0].images}
    marked = sum(bool(image.prompts) for one in nasty_bench().items for image in one[0].images)
    assert len(list((tmp_path / "out" / "images").iterdir())) == len(shown) + marked


VISUAL = Operation(step="by_hand", version=2, parameters={"tiles": 4}, seed=17)
"""An operation whose pictures are released as JPEG, since what people see of them counts."""


@pytest.fixture(scope="module")
def every_file(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Return a release with an item for each format of pictures, drawn losslessly and as JPEG, with marks and without."""
    bench = NastyBench()
    rng = np.random.default_rng(8)
    pixels = np.asarray(Image.fromarray(rng.integers(0, 256, (9, 12, 3), np.uint8)).resize((96, 72)))
    for number, (kind, media_type) in enumerate(sorted(MEDIA_TYPES.items())):
        handle = io.BytesIO()
        Image.fromarray(pixels[number:]).save(handle, kind)
        record = bench.file(handle.getvalue(), media_type, (96, 72 - number))
        ring = VisualPrompt(kind="ring", image_id=record.image_id, points=((30.5, 28.0),), label="REF")
        for place, (operation, marks) in enumerate(((OPERATION, ()), (VISUAL, ()), (OPERATION, (ring,)))):
            bench.add(
                record, "test", 10 * number + place, task=kind.lower(), question="What is shown?", answer="A",
                images=(ItemImage(image_id=record.image_id, role="view", prompts=marks),),
                choices=(Choice(key="A", text="sea"), Choice(key="B", text="land")),
                operation_id=operation.operation_id,
            )  # fmt: skip
    folder = tmp_path_factory.mktemp("files") / "r"
    return bench.write(folder, operations=[OPERATION, VISUAL], visual=frozenset({VISUAL.operation_id}))


@pytest.mark.workers
def test_workers_make_the_same_files(every_file: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchwright.engines.record_jobs._LEAST_FOR_WORKERS", 1)
    digests = []
    for workers in (1, 2):
        with map_on_this_machine("export", workers=workers) as record_map:
            export_release(every_file, "coco", tmp_path / "out", record_map=record_map)
        digests.append(_digests(tmp_path / "out"))
        shutil.rmtree(tmp_path / "out")
    assert digests[0] == digests[1]


def test_a_picture_that_ends_its_worker_ends_the_export(every_file: Release, tmp_path: Path) -> None:
    def losing(function: Any, records: Iterable[Any], **_: Any) -> Iterator[LostRecord]:
        return (LostRecord("worker_died", "it ended its worker several times") for _ in records)

    with pytest.raises(StepError, match="it ended its worker"):
        export_release(every_file, "coco", tmp_path / "out", record_map=losing)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", FORMATS)
def test_every_kind_of_picture_file_is_exported(name: str, every_file: Release, tmp_path: Path) -> None:
    done = export_release(every_file, name, tmp_path / "out")
    assert (done.items, done.checked["pictures"]) == (len(every_file), len(every_file))
    plain = 3 if name in WITHOUT_DRAWN_MARKS else 2
    [encoded] = [items for loss, items in done.not_carried if loss.what == ENCODED]
    assert encoded == plain * (len(MEDIA_TYPES) - 3)  # JPEG, PNG and WebP are carried as they are
