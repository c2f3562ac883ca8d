"""Made pictures are encoded once, where they are made: lossless if pixels decide, otherwise as JPEG.

- A new workspace has pieces of jigsaws as JPEG, all of one item alike, and views with points to find as lossless WebP;
  a release holds these very files, and freezing decodes them only to draw marks.
- The format of a picture with drawn marks follows its task; `release verify`, evaluation and exports take the
  release's own files.
- An older workspace keeps PNG until its setting changes, and then every decision still counts.
- Sealed releases are lossless, and a corrected release keeps its formats.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageFile
from sealed_bench import SECRET_SEED
from small_bench import OPERATION, Bench, reseal
from walks import in_process, make_photographs, run_json

from benchwright.canonical import bytes_digest
from benchwright.evaluation.backends.sent_pictures import SentPictures
from benchwright.evaluation.prompting.question import question_of
from benchwright.exports.correct import correct_release
from benchwright.images import decode_rgb, encode_png
from benchwright.images.made_pictures import encode_jpeg, is_jpeg, is_lossless_webp
from benchwright.records import Choice, ImageRecord, ItemImage, Operation, VisualPrompt
from benchwright.release import Release, verify_release
from benchwright.workspace.workspace import Workspace

RECIPE = """\
name: formats
seed: {seed}
shards: 2
steps:
  - {{step: jigsaw, min_tile_px: 16, likeness: keep}}
  - {{step: visual_correspondence, min_side_px: 96, min_view_px: 57}}
  - {{step: verify, rule: unanimous(2)}}
  - splits
  - {{step: freeze, name: formats{more}}}
"""


def write_recipe(folder: Path, more: str = "", seed: int = 5) -> None:
    (folder / "r.yaml").write_text(RECIPE.format(more=more, seed=seed), encoding="utf-8")


def run(folder: Path) -> dict[str, Any]:
    return dict(run_json("run", folder / "r.yaml", "--images", folder / "p", "--workspace", folder / "w"))


def decide(folder: Path) -> int:
    """Let two people accept all but the first item, of which one rejects; return the number of decisions."""
    table = folder / "open.csv"
    run_json("review", "export", "--workspace", folder / "w", "--out", table)
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    filled = [
        row | {"annotator": name, "decision": "reject" if not number and name == "ben" else "accept"}
        for number, row in enumerate(rows)
        for name in ("ann", "ben")
    ]
    with (folder / "filled.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(filled[0]))
        writer.writeheader()
        writer.writerows(filled)
    taken = run_json("review", "import", folder / "filled.csv", "--workspace", folder / "w")
    assert taken["refused"] == []
    return int(taken["new"])


def make_older(folder: Path) -> None:
    """Take the statements about pictures out of a workspace and make its pictures again, as programs of before did."""
    space = Workspace.open(folder / "w")
    settings = space.settings()
    shutil.rmtree(space.root / "objects")
    for entry in ("jigsaw", "visual_correspondence"):
        shutil.rmtree(space.tables / entry)
    space.save_settings({k: v for k, v in settings.items() if k not in {"format", "version", "pictures", "made"}})
    assert run(folder)["state"] == "waiting"


def newest(workspace: Path) -> Release:
    settings = Workspace.open(workspace).settings()
    return Release.open(workspace / settings["artifacts"]["release"])


def made_formats(release: Release) -> dict[str, set[str]]:
    """Return the formats of pictures as models see them, by task; those of each item are alike."""
    formats: dict[str, set[str]] = {}
    for released in release.items():
        shown = [released.images[image.image_id] for image in released.item.images]
        of_item = {form_of(drawn or data) for drawn, data in zip(released.drawn, shown, strict=True)}
        assert len(of_item) == 1
        formats.setdefault(released.item.task, set()).update(of_item)
    return formats


def form_of(data: bytes) -> str:
    return "jpeg" if is_jpeg(data) else "webp" if is_lossless_webp(data) else "png"


class PictureWork:
    """Files of pictures that this process encodes and decodes, by format."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.encoded, self.decoded = Counter[str](), Counter[str]()
        save, load = Image.Image.save, ImageFile.ImageFile.load

        def saved(image: Image.Image, to: Any, form: str | None = None, **more: Any) -> None:
            self.encoded[str(form)] += 1
            save(image, to, form, **more)

        def loaded(image: ImageFile.ImageFile) -> Any:
            if image.tile:
                self.decoded[str(image.format)] += 1
            return load(image)

        def decoded(data: bytes) -> Any:
            self.decoded_for_card += 1
            return decode_rgb(data)

        self.decoded_for_card = 0
        monkeypatch.setattr("benchwright.release.card.example.decode_rgb", decoded)
        monkeypatch.setattr(Image.Image, "save", saved)
        monkeypatch.setattr(ImageFile.ImageFile, "load", loaded)


@pytest.mark.slow
def test_a_workspace_of_before_keeps_png_until_told_otherwise_and_loses_no_decision(tmp_path: Path) -> None:
    make_photographs(tmp_path / "p", count=4)
    write_recipe(tmp_path)
    assert run(tmp_path)["state"] == "waiting"
    make_older(tmp_path)
    decisions = decide(tmp_path)
    assert run(tmp_path)["state"] == "done"
    before, standing = newest(tmp_path / "w"), run_json("review", "status", "--workspace", tmp_path / "w")
    assert made_formats(before) == {"jigsaw": {"png"}, "visual_correspondence": {"webp"}}

    write_recipe(tmp_path, ", pictures: by_content")
    again = run(tmp_path)
    assert again["state"] == "done"
    assert again["executed_shards"] == 0
    after = newest(tmp_path / "w")
    assert made_formats(after) == {"jigsaw": {"jpeg"}, "visual_correspondence": {"webp"}}
    assert run_json("review", "status", "--workspace", tmp_path / "w") == standing
    assert sum(standing["campaigns"][0]["slots"].values()) == decisions
    assert (after.path / "agreement.json").read_bytes() == (before.path / "agreement.json").read_bytes()
    kept = {one.item.item_id: (one.item.question, one.item.answer, one.split) for one in before.items()}
    assert {one.item.item_id: (one.item.question, one.item.answer, one.split) for one in after.items()} == kept
    assert verify_release(after.path).ok

    changed = run_json("release", "diff", before.path, after.path)["changed"]
    assert {entry["item_id"] for entry in changed} == {
        one.item.item_id for one in after.items() if one.item.task == "jigsaw"
    }
    assert all("is released as JPEG of quality 95" in str(entry["why"]) for entry in changed), changed
    released = next(one for one in after.items() if one.item.task == "jigsaw")
    traced = in_process("trace", released.item.images[0].image_id[:12], "--workspace", tmp_path / "w")
    assert "(encoded, as image" in traced.stdout

    # Pictures of the workspace stay as they were, so that what is lost or computed on is the same as ever.
    masters = [path for path in (tmp_path / "w" / "objects").rglob("*") if path.is_file()]
    assert len(masters) > len(kept)
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in masters)


@pytest.mark.slow
def test_a_new_workspace_releases_the_files_that_its_steps_made_and_sealed_ones_are_lossless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_photographs(tmp_path / "p", count=3)
    write_recipe(tmp_path, seed=SECRET_SEED)
    run(tmp_path)
    decide(tmp_path)
    run(tmp_path)
    release = newest(tmp_path / "w")
    assert made_formats(release) == {"jigsaw": {"jpeg"}, "visual_correspondence": {"webp"}}
    assert "made by steps as JPEG of quality 95" in (release.path / "README.md").read_text(encoding="utf-8")
    masters = Workspace.open(tmp_path / "w").objects
    shown = {image_id: data for released in release.items() for image_id, data in released.images.items()}
    assert {form_of(data) for data in shown.values()} == {"jpeg", "webp"}
    assert all(masters.path(image_id).read_bytes() == data for image_id, data in shown.items())
    marked = sum(data is not None for released in release.items() for data in released.drawn)

    freeze = ("release", "freeze", "--workspace", tmp_path / "w", "--name", "formats", "--version")
    (tmp_path / "w" / "cache" / "pictures.sqlite").unlink()
    work = PictureWork(monkeypatch)
    run_json(*freeze, "0.9")
    assert work.encoded == {"WEBP": marked, "PNG": 1}, "the marked views, and the card's example"
    assert work.decoded.total() == marked + work.decoded_for_card
    run_json(*freeze, "0.91")
    assert work.encoded["WEBP"] == marked, "what was drawn is kept"

    sealed = run_json(*freeze, "1.0", "--sealed", "test")
    assert made_formats(Release.open(Path(sealed["release"]))) == {
        "jigsaw": {"webp"}, "visual_correspondence": {"webp"}
    }  # fmt: skip
    assert verify_release(Path(sealed["release"])).ok
    refused = in_process(*freeze, "1.1", "--sealed", "test", "--pictures", "by_content")
    assert refused.returncode == 2
    assert "excludes sealed splits" in refused.stderr
    late = in_process(*freeze, "1.2", "--pictures", "lossless")
    assert "begin a new workspace with `pictures: lossless`" in " ".join(late.stderr.split())
    assert made_formats(Release.open(tmp_path / "w" / "releases" / "formats-1.2"))["jigsaw"] == {"jpeg"}


def marked_bench(count: int = 3) -> Bench:
    """Return items whose photographs carry a ring each."""
    from skimage.data import astronaut

    whole = astronaut()  # type: ignore[no-untyped-call]
    bench = Bench()
    for number in range(count):
        left = 150 + 20 * number
        data = encode_png(np.ascontiguousarray(whole[60:180, left : left + 160]))
        image_id = bytes_digest(data)
        record = ImageRecord(
            image_id=image_id, root_image_id=image_id, width=160, height=120, media_type="image/png",
            size_bytes=len(data), source={"uri": f"{number}.png"},
        )  # fmt: skip
        bench.files[image_id], bench.records[image_id] = data, record
        ring = VisualPrompt(kind="ring", image_id=image_id, points=((60.0 + number, 45.0),), label="REF")
        bench.add(
            record, "test", number, task="ring_colour", question="Is the ring red?", answer="A",
            images=(ItemImage(image_id=image_id, role="view", prompts=(ring,)),),
            choices=(Choice(key="A", text="yes"), Choice(key="B", text="no")),
        )  # fmt: skip
    return bench


def test_what_is_drawn_as_jpeg_is_verified_sent_exported_and_carried_over(tmp_path: Path) -> None:
    bench = marked_bench()
    release = bench.write(tmp_path / "r", visual={OPERATION.operation_id})
    assert verify_release(release.path).ok
    drawn = [data for one in release.items() for data in one.drawn if data is not None]
    assert [is_jpeg(data) for data in drawn] == [True] * 3
    sender = SentPictures()
    sent = [sender.of(picture) for one in release.items() for picture in question_of(one).pictures]
    assert [(picture.data, picture.media_type, picture.how) for picture in sent] == [
        (data, "image/jpeg", "drawn") for data in drawn
    ]
    run_json("release", "export", release.path, "--format", "jsonl", "--out", tmp_path / "out")
    assert {path.read_bytes() for path in (tmp_path / "out" / "images").iterdir()} == set(drawn)
    lossless = bench.write(tmp_path / "png")
    assert lossless.content_id == release.content_id
    total = sum(entry.size_bytes for name, entry in release.manifest.files.items() if name.startswith("data/"))
    before = sum(entry.size_bytes for name, entry in lossless.manifest.files.items() if name.startswith("data/"))
    assert total < before
    after = correct_release(release, (), version="1.1", out=tmp_path / "corrected")
    assert [data for one in after.items() for data in one.drawn] == drawn


def test_a_jpeg_that_its_marks_do_not_give_is_found(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    release = marked_bench().write(tmp_path / "r", visual={OPERATION.operation_id})
    [path] = (release.path / "data").glob("*.parquet")
    table = pq.read_table(path)
    rows = table.to_pylist()
    pixels = decode_rgb(rows[0]["images"][0]["bytes"]).copy()
    pixels[20:24, 100:104] = (pixels[20:24, 100:104].astype(int) + 128) % 256
    data = encode_jpeg(pixels)
    rows[0]["images"][0] = {"bytes": data, "path": f"{bytes_digest(data)}.jpg"}
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    reseal(release.path)
    [problem] = verify_release(release.path).problems
    assert "does not match its file and its marks" in problem


def test_the_operation_says_how_pictures_were_encoded(tmp_path: Path) -> None:
    from benchwright.release.writing.file_changes import FileChanges

    bench = marked_bench(1)
    [(item, _)] = bench.items
    changes = FileChanges(
        bench.records.__getitem__,
        lambda record: bench.files[record.image_id],
        removes_metadata=lambda _: False,
        encodes=lambda _: "jpeg",
    )
    changes.survey([item])
    [operation] = changes.operations()
    assert (operation.step, json.dumps(operation.parameters)) == (
        "encode_picture",
        '{"format": "jpeg", "quality": 95, "chroma": "full"}',
    )
    [image] = changes.item(item).images
    assert image.prompts[0].image_id == image.image_id
    assert is_jpeg(changes.image_bytes(changes.image(image.image_id)))
    assert isinstance(operation, Operation)
