"""Metadata on the way into a release: names and places from cameras and editors stay in the workspace.

- Released files hold none of it, and show the same picture, upright as before, in their colors.
- The file is derived from the workspace's, in the provenance, with source and license.
- Errata, trace, verification and comparison hold across the two ids of a file.
- The same bytes result from any order of items.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from photograph_bench import PhotographBench, write_quiz
from PIL import Image, ImageOps
from rights_pictures import SECRETS, photograph
from small_bench import BenchView, reseal
from walks import in_process

from benchwright.errors import UnreadableImage
from benchwright.exports.comparison.differences import compare_releases
from benchwright.exports.freezing.step import Freeze, freeze
from benchwright.images import decode_rgb
from benchwright.records import Choice, ImageRecord, Item, Source
from benchwright.release import Release, verify_release
from benchwright.release.format.errata import Erratum, released_errata, spelled
from benchwright.release.sealing.answer_key import read_answer_key, unsealed
from benchwright.steps import FOLDER

pytestmark = pytest.mark.slow

NAMES = ("a.jpg", "b.png", "c.webp", "turned.jpg", "plain.jpg")
SECRET_SEED = 7_342_098_234_098_234_098


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> PhotographBench:
    """An item each about photographs of three formats, one of them turned and one without metadata; one item marked."""
    bench = PhotographBench(tmp_path_factory.mktemp("photographs"))
    for number, name in enumerate(NAMES):
        record = bench.photograph(
            name, number, orientation=6 if name == "turned.jpg" else 1, metadata=name != "plain.jpg",
            source={"licence": "CC-BY-4.0", "author": "Eve E"},
        )  # fmt: skip
        bench.ask(record, marked=name == "b.png")
    return bench


@pytest.fixture(scope="module")
def release(bench: PhotographBench, tmp_path_factory: pytest.TempPathFactory) -> Release:
    return frozen(bench, tmp_path_factory.mktemp("workspace"))


def frozen(bench: PhotographBench, workspace: Path, *, context: Any = None, seed: int = 17, **settings: Any) -> Release:
    wanted = Freeze.model_validate({"name": "tiny", "version": "1.0", **settings}, context=context)
    return freeze(wanted, BenchView(bench, None), workspace=workspace, seed=seed, recipe={"name": "tiny", "seed": seed})


def of_name(bench: PhotographBench, release: Release, name: str) -> tuple[ImageRecord, Any]:
    """Return the workspace's record of a photograph, and the released item that asks about it."""
    record = next(record for record in bench.records.values() if record.source and record.source.uri == name)
    return record, next(
        released for released in release.items() if released.item.root_image_id == record.image_id
    )  # fmt: skip


def test_no_file_of_the_release_tells_names_or_places_that_pictures_hold(
    bench: PhotographBench, release: Release
) -> None:
    assert all(any(secret in data for secret in SECRETS) for data in bench.files.values() if len(data) > 3000)
    for released in release.items():
        for data in (*released.images.values(), *filter(None, released.drawn)):
            assert [secret for secret in SECRETS if secret in data] == []
    assert verify_release(release.path).ok


@pytest.mark.parametrize("name", NAMES)
def test_a_released_file_shows_what_it_showed(bench: PhotographBench, release: Release, name: str) -> None:
    record, released = of_name(bench, release, name)
    before, after = bench.files[record.image_id], released.images[released.item.images[0].image_id]
    assert np.array_equal(decode_rgb(before), decode_rgb(after))
    with Image.open(io.BytesIO(before)) as old, Image.open(io.BytesIO(after)) as new:
        assert ImageOps.exif_transpose(new).size == ImageOps.exif_transpose(old).size
        assert new.info.get("icc_profile") == old.info.get("icc_profile")
    assert (before == after) == (name == "plain.jpg")


def test_the_provenance_says_what_a_file_was_made_of(bench: PhotographBench, release: Release) -> None:
    provenance = list(release.provenance())
    images = {entry.image_id: entry for entry in provenance if isinstance(entry, ImageRecord)}
    operations = {entry.operation_id: entry.step for entry in provenance if not isinstance(entry, ImageRecord)}
    record, released = of_name(bench, release, "turned.jpg")
    cut = images[released.item.images[0].image_id]
    assert (cut.derived_from, cut.root_image_id, operations[str(cut.operation_id)]) == (
        (record.image_id,), record.image_id, "remove_metadata",
    )  # fmt: skip
    assert images[record.image_id] == record
    assert (cut.width, cut.height, cut.notes) == (record.width, record.height, record.notes)


def test_marks_and_options_name_the_released_file(bench: PhotographBench, tmp_path: Path) -> None:
    own = PhotographBench(tmp_path / "p")
    first, second = own.photograph("a.jpg"), own.photograph("b.jpg", 1)
    choices = (Choice(key="A", image_id=first.image_id), Choice(key="B", image_id=second.image_id))
    own.ask(first, second, marked=True, choices=choices)
    released = next(frozen(own, tmp_path).items())
    shown = [image.image_id for image in released.item.images]
    assert not set(shown) & {first.image_id, second.image_id}
    assert released.item.images[0].prompts[0].image_id == shown[0]
    assert [choice.image_id for choice in released.item.choices] == shown
    assert Item.model_validate(released.item.model_dump()).item_id == own.items[0][0].item_id


def test_files_that_differ_in_metadata_only_become_one_image_in_any_order(tmp_path: Path) -> None:
    ids = []
    for reverse in (False, True):
        own = PhotographBench(tmp_path / f"p{reverse}")
        plain = photograph(own.folder / "a.jpg", metadata=False).read_bytes()
        pair = []
        for number in (1, 2):
            path = own.folder / f"copy-{number}.jpg"
            path.write_bytes(plain[:2] + b"\xff\xfe\0\x03" + str(number).encode() + plain[2:])
            pair.append(own.file(path, Source(uri=path.name)))
        own.ask(pair[0], pair[1], pair[0])
        own.ask(pair[1], question="And this one?")
        if reverse:
            own.items.reverse()
        release = frozen(own, tmp_path / f"w{reverse}")
        assert verify_release(release.path).ok
        ids.append(release.release_id)
        assert len({image.image_id for released in release.items() for image in released.item.images}) == 1
    assert ids[0] == ids[1]


def test_the_same_bytes_come_out_again(bench: PhotographBench, release: Release, tmp_path: Path) -> None:
    bench.items.reverse()
    again = freeze(
        Freeze.model_validate({"name": "tiny", "version": "1.0"}), BenchView(bench, None), workspace=tmp_path, seed=17,
        recipe={"name": "tiny", "seed": 17},
    )  # fmt: skip
    bench.items.reverse()
    assert again.release_id == release.release_id


def test_files_are_released_as_they_are_where_that_is_wished(bench: PhotographBench, tmp_path: Path) -> None:
    kept = frozen(bench, tmp_path, metadata="keep")
    assert {image_id for released in kept.items() for image_id in released.images} == set(bench.files)
    verification = verify_release(kept.path)
    assert verification.ok
    assert any("4 hold EXIF" in line for line in verification.not_proven)


def test_formats_that_cannot_be_cut_are_named(tmp_path: Path) -> None:
    warnings: list[str] = []

    class Warnings:
        def warn(self, line: str) -> None:
            warnings.append(line)

        def phase(self, *_: Any) -> None:
            pass

    own = PhotographBench(tmp_path / "p")
    own.folder.mkdir()
    Image.new("RGB", (30, 20)).save(own.folder / "a.tif", software="home address")
    own.ask(own.file(own.folder / "a.tif", Source(uri="a.tif")))
    release = freeze(
        Freeze.model_validate({"name": "tiny", "version": "1.0"}), BenchView(own, None), workspace=tmp_path, seed=17,
        recipe={}, progress=Warnings(),
    )  # fmt: skip
    assert "1 image/tiff" in warnings[0]
    assert any("1 have formats" in line for line in verify_release(release.path).not_proven)


def test_a_release_that_claims_a_removal_that_was_none_is_found(
    bench: PhotographBench, release: Release, tmp_path: Path
) -> None:
    kept = frozen(bench, tmp_path, metadata="keep")
    document = json.loads((kept.path / "provenance.json").read_text())
    operation = next(
        entry for entry in json.loads((release.path / "provenance.json").read_text())["entries"]
        if entry.get("operation", {}).get("step") == "remove_metadata"
    )  # fmt: skip
    from benchwright.records import Operation

    for entry in document["entries"]:
        if "image" in entry:
            entry["image"]["operation_id"] = Operation(**operation["operation"]).operation_id
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in (operation, *document["entries"]))
    head = '{"format":"benchwright/provenance","version":1,"entries":[\n'
    (kept.path / "provenance.json").write_text(f"{head}{lines}\n]}}\n")
    reseal(kept.path)
    assert any("was removed, but its file has some" in line for line in verify_release(kept.path).problems)


@pytest.mark.parametrize("seen", ["released", "of_the_workspace"])
def test_errata_hold_for_the_file_that_people_saw(
    bench: PhotographBench, release: Release, tmp_path: Path, seen: str
) -> None:
    record, released = of_name(bench, release, "a.jpg")
    shown = released.item if seen == "released" else next(
        item for item, _ in bench.items if item.root_image_id == record.image_id
    )  # fmt: skip
    erratum = Erratum(
        item_id=shown.item_id, content_hash=shown.content_hash, release="tiny 1.0", release_id=release.release_id,
        finding="key_wrong", key="A", instead="B", agreed=2, asked=2,
    )  # fmt: skip
    (tmp_path / "errata.json").write_bytes(spelled([erratum]))
    after = frozen(bench, tmp_path, version="1.1", errata="errata.json", context={FOLDER: tmp_path})
    assert [entry.became for entry in released_errata(after)] == ["key_set"]


def test_a_comparison_says_that_only_metadata_went(bench: PhotographBench, release: Release, tmp_path: Path) -> None:
    kept = frozen(bench, tmp_path, version="0.9", metadata="keep")
    differences = compare_releases(kept, release)
    assert {difference.why for difference in differences.changed} == {
        f"metadata was removed from the file of {name}" for name in NAMES if name != "plain.jpg"
    }


def test_a_sealed_release_has_no_metadata_and_its_key_fits(bench: PhotographBench, tmp_path: Path) -> None:
    sealed = frozen(bench, tmp_path, sealed=("test",), seed=SECRET_SEED)
    key = tmp_path / "keys" / "tiny-1.0.key.json"
    assert verify_release(sealed.path, key=key).ok
    items = [released.item for released in unsealed(sealed, read_answer_key(key)).items()]
    assert {choice.text for item in items for choice in item.choices if choice.key == item.answer} == {"yes"}
    public = b"".join(path.read_bytes() for path in sealed.path.iterdir() if path.is_file())
    assert [
        image_id for image_id, data in bench.files.items() if image_id.encode() in public and len(data) > 3000
    ] == []


def test_a_file_that_breaks_off_inside_its_metadata_is_kept_and_named(
    monkeypatch: pytest.MonkeyPatch, bench: PhotographBench, tmp_path: Path
) -> None:
    def refuse(data: bytes, media_type: str) -> bytes:
        raise UnreadableImage("truncated", "a block that ends after the file")

    monkeypatch.setattr("benchwright.release.writing.file_changes.without_metadata", refuse)
    release = frozen(bench, tmp_path)
    assert {image_id for released in release.items() for image_id in released.images} == set(bench.files)


def test_a_released_file_is_traced_to_the_one_that_was_taken_in(tmp_path: Path) -> None:
    recipe = write_quiz(tmp_path / "quiz", "cup.jpg", "plate.png")
    assert in_process("run", recipe, "--workspace", tmp_path / "w").returncode == 0
    released = next(Release.open(tmp_path / "w" / "releases" / "quiz-1.0").items())
    [image_id] = released.images
    done = in_process("trace", image_id[:12], "--workspace", tmp_path / "w")
    assert done.returncode == 0, done.stderr
    first, *_, last = done.stdout.strip().splitlines()
    assert first == f"image {image_id}"
    assert last.endswith(f"released in quiz-1.0 (without metadata, as image {image_id[:12]})")
    assert f"source image {released.item.root_image_id[:12]}" in done.stdout
