"""The parts of a split: an item added later changes the files of its own part, and the others are copied.

- Files begin at fixed bits of the ids of pictures.
- An earlier release's file is copied only as it was written; otherwise it is made again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from small_bench import Bench, bench_of, small_bench

from benchwright.records import ImageRecord
from benchwright.release import Release, verify_release
from benchwright.release.card.example import CANDIDATES
from benchwright.release.format.identity import canary_of, earlier_canary_of
from benchwright.release.format.parquet import PieceLimits
from benchwright.workspace.checked_files import checked_files
from benchwright.workspace.item_cache import ItemCache, pictures_of

pytestmark = pytest.mark.slow

SMALL = PieceLimits(part_bytes=6_000, parts=8)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ItemCache]:
    with pictures_of(tmp_path / "cache") as cache:
        yield cache


def frozen(bench: Bench, folder: Path, store: ItemCache, version: str, **settings: Any) -> tuple[Release, list[str]]:
    """Return the release of a benchmark, and the pictures that were read for it."""
    read: list[str] = []

    def image_bytes(record: ImageRecord) -> bytes:
        read.append(record.image_id)
        return bench.files[record.image_id]

    given = {"version": version, "image_bytes": image_bytes, "limits": SMALL, "store": store, **settings}
    return bench.write(folder / f"tiny-{version}", **given), read


def of_example(bench: Bench) -> set[str]:
    """Return the pictures that are read for the card in any case: those of its candidates."""
    by_rank = sorted((not any(image.prompts for image in item.images), item.item_id, item) for item, _ in bench.items)
    return {image.image_id for _, _, item in by_rank[:CANDIDATES] for image in item.images}


def digests(release: Release) -> set[str]:
    return {entry.sha256 for name, entry in release.manifest.files.items() if name.startswith("data/")}


def test_an_item_more_is_read_and_written_with_its_part_only(
    tmp_path: Path, store: ItemCache, tree: Callable[[Path], dict[str, bytes]]
) -> None:
    bench, larger = bench_of(40, 1_000), bench_of(41, 1_000)
    first, read = frozen(bench, tmp_path, store, "0+1")
    assert len(first.manifest.data_files("test")) == 8
    assert len(read) == 40
    second, read = frozen(larger, tmp_path, store, "0+2")
    [added] = larger.files.keys() - bench.files.keys()
    part = {picture for picture in larger.files if int(picture[0], 16) // 2 == int(added[0], 16) // 2}
    assert set(read) - of_example(larger) == part - of_example(larger)
    assert len(read) <= len(part) + CANDIDATES
    assert len(digests(second) - digests(first)) == 1
    assert tree(second.path) == tree(larger.write(tmp_path / "anew", version="0+2", limits=SMALL).path)
    assert verify_release(second.path).ok


def test_the_files_of_a_part_hold_the_pictures_whose_ids_begin_alike(tmp_path: Path, store: ItemCache) -> None:
    release, _ = frozen(bench_of(40, 1_000), tmp_path, store, "0+1")
    order = [one.item.images[0].image_id for one in release.items()]
    assert order == sorted(order)
    assert SMALL.parts_of(40_000)[-1] == ("e0", "g")
    assert SMALL.parts_of(10**9) == SMALL.parts_of(48_000)
    assert PieceLimits().parts_of(16 * 1024**2) == [("", "g")]


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(path.read_bytes()[:-9] + bytes(9))])
def test_a_file_that_is_gone_or_changed_is_made_again(
    tmp_path: Path, store: ItemCache, tree: Callable[[Path], dict[str, bytes]], damage: Callable[[Path], object]
) -> None:
    bench = small_bench()
    first, _ = frozen(bench, tmp_path, store, "0+1")
    name = first.manifest.data_files("test")[0]
    before = (first.path / name).read_bytes()
    assert set(frozen(bench, tmp_path, store, "0+2")[1]) <= of_example(bench)
    for version in "12":
        damage(tmp_path / f"tiny-0+{version}" / name)
    third, _ = frozen(bench, tmp_path, store, "0+3")
    assert (third.path / name).read_bytes() == before
    assert tree(third.path) == tree(bench.write(tmp_path / "anew", version="0+3", limits=SMALL).path)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"limits": SMALL._replace(group_rows=1)}, id="limits"),
        pytest.param({"name": "other"}, id="canary"),
        pytest.param({"visual": {"any"}}, id="nothing"),
        pytest.param({"by_address": lambda record: record.source is not None}, id="addresses"),
    ],
)
def test_files_are_copied_only_where_all_that_they_depend_on_is_equal(
    tmp_path: Path, store: ItemCache, change: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    bench = bench_of(5, 1_000)
    bench.records |= {
        key: record.model_copy(update={"source": record.source.model_copy(update={"uri": f"https://a.example/{key}"})})
        for key, record in bench.records.items()
        if record.source
    }
    first, _ = frozen(bench, tmp_path, store, "0+1")
    second, _ = frozen(bench, tmp_path, store, "0+2", **change)
    assert (digests(first) == digests(second)) is (request.node.callspec.id == "nothing")
    assert verify_release(second.path).ok


def test_drafts_have_one_canary_and_versions_their_own() -> None:
    assert canary_of("tiny", "0+1") == canary_of("tiny", "0+2") != canary_of("other", "0+1")
    assert canary_of("tiny", "1.0") == earlier_canary_of("tiny", "1.0") != canary_of("tiny", "1.1")
    assert earlier_canary_of("tiny", "0+1") != earlier_canary_of("tiny", "0+2")


def test_a_written_file_is_not_hashed_again_unless_it_changes(
    tmp_path: Path, store: ItemCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = checked_files(tmp_path)
    release, _ = frozen(small_bench(), tmp_path / "releases", store, "0+1", note=checked.note)
    path = release.path / release.manifest.data_files("val")[0]
    with monkeypatch.context() as patch:
        patch.setattr("benchwright.workspace.checked_files.file_digest", None)
        assert checked.digest(path) == release.manifest.files[f"data/{path.name}"].sha256
    path.write_bytes(b"other")
    assert checked.digest(path) != release.manifest.files[f"data/{path.name}"].sha256
