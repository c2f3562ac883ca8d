"""The next version of a release: errors that people found are corrected, and everything else is carried over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from photograph_bench import PhotographBench
from small_bench import small_bench

from benchwright.canonical import file_digest
from benchwright.errors import BenchwrightError, DataError
from benchwright.exports.correct import correct_release
from benchwright.images import decode_rgb
from benchwright.records import Item
from benchwright.release import Release, verify_release
from benchwright.release.format.errata import Erratum, released_errata
from benchwright.release.format.human_baseline import read_human_baseline
from benchwright.rights import holds_metadata

pytestmark = pytest.mark.slow


def erratum(item: Item, **changes: Any) -> Erratum:
    fields = {
        "item_id": item.item_id, "content_hash": item.content_hash, "release": "tiny 1.0", "release_id": "0" * 64,
        "finding": "key_wrong", "key": item.answer, "instead": "B", "agreed": 2, "asked": 3,
    }  # fmt: skip
    return Erratum.model_validate(fields | changes)


@pytest.fixture
def release(tmp_path: Path) -> Release:
    bench = small_bench()
    asked = {item.item_id: {"asked": 2, "right": 1} for item, _ in bench.items}
    people = {"people": {"simulated": False, "annotators": 2, "answers_per_item": 2, "items": asked}}
    return bench.write(tmp_path / "tiny-1.0", human_baseline=people)


@pytest.fixture
def puzzles(release: Release) -> list[Item]:
    return [one.item for one in release.items() if one.item.task == "jigsaw"]


def test_the_rest_goes_along_as_it_was(release: Release, puzzles: list[Item], tmp_path: Path) -> None:
    errata = [erratum(puzzles[0]), erratum(puzzles[1], finding="picture_problem", instead=None)]
    after = correct_release(release, errata, version="1.1", out=tmp_path / "tiny-1.1")
    assert verify_release(after.path).ok
    assert (after.name, after.version, len(after)) == ("tiny", "1.1", len(release) - 1)
    assert after.canary != release.canary
    before = {one.item.item_id: one for one in release.items()}
    for one in after.items():
        old = before[one.item.item_id]
        assert (one.split, one.images) == (old.split, old.images)
        if one.item.item_id != puzzles[0].item_id:
            assert one.item == old.item
    for name in ("agreement.json",):
        assert file_digest(after.path / name) == file_digest(release.path / name)
    assert after.manifest.recipe == release.manifest.recipe
    assert after.manifest.licence == release.manifest.licence


def test_people_who_answered_under_the_old_key_are_counted_no_more(
    release: Release, puzzles: list[Item], tmp_path: Path
) -> None:
    errata = [erratum(puzzles[0]), erratum(puzzles[1], finding="ambiguous", instead=None)]
    after = correct_release(release, errata, version="1.1", out=tmp_path / "next")
    baseline = read_human_baseline(after)
    assert baseline is not None
    left = {one.item.item_id for one in after.items()} - {puzzles[0].item_id}
    assert set(baseline["people"]["items"]) == left


def test_errata_of_earlier_versions_go_along(release: Release, puzzles: list[Item], tmp_path: Path) -> None:
    second = correct_release(release, [erratum(puzzles[0])], version="1.1", out=tmp_path / "second")
    third = correct_release(second, [erratum(puzzles[1])], version="1.2", out=tmp_path / "third")
    assert {one.item_id: one.became for one in released_errata(third)} == {
        puzzles[0].item_id: "key_set", puzzles[1].item_id: "key_set",
    }  # fmt: skip
    answers = {one.item.item_id: (one.item.answer, one.item.revision) for one in third.items()}
    assert answers[puzzles[0].item_id] == answers[puzzles[1].item_id] == ("B", 1)


def test_the_same_errata_give_the_same_bytes(release: Release, puzzles: list[Item], tmp_path: Path) -> None:
    made = [correct_release(release, [erratum(puzzles[0])], version="1.1", out=tmp_path / name) for name in ("a", "b")]
    assert made[0].release_id == made[1].release_id


def test_a_version_is_raised_and_a_damaged_release_is_not_taken(
    release: Release, puzzles: list[Item], tmp_path: Path
) -> None:
    with pytest.raises(BenchwrightError, match="raise it"):
        correct_release(release, [erratum(puzzles[0])], version="1.0", out=tmp_path / "next")
    path = release.path / "agreement.json"
    path.write_text(json.dumps({"format": "benchwright/agreement", "version": 1, "campaigns": {}}), encoding="utf-8")
    with pytest.raises(DataError, match="was changed after freezing"):
        correct_release(release, [erratum(puzzles[0])], version="1.1", out=tmp_path / "next")
    assert not (tmp_path / "next").exists()


@pytest.mark.parametrize("keep", [False, True])
def test_metadata_of_an_older_release_is_cut_out_unless_it_is_kept(tmp_path: Path, keep: bool) -> None:
    bench = PhotographBench(tmp_path / "p")
    for number, name in enumerate(("a.jpg", "b.png", "c.webp")):
        bench.ask(bench.photograph(name, number, orientation=6 if name == "a.jpg" else 1), marked=not number)
    older = bench.write(tmp_path / "older")  # as versions of before released them
    assert all(holds_metadata(data) for one in older.items() for data in one.images.values())
    wrong = next(one.item for one in older.items())
    settings: dict[str, Any] = {"metadata": "keep"} if keep else {}
    after = correct_release(older, [erratum(wrong)], version="1.1", out=tmp_path / "newer", **settings)
    assert verify_release(after.path).ok
    before = {one.item.item_id: one for one in older.items()}
    for one in after.items():
        assert one.item.answer == ("B" if one.item.item_id == wrong.item_id else "A")
        for new, old in zip(one.images.values(), before[one.item.item_id].images.values(), strict=True):
            assert (new == old) == keep
            assert bool(holds_metadata(new)) == keep
            assert np.array_equal(decode_rgb(new), decode_rgb(old))
    again = correct_release(after, (), version="1.2", out=tmp_path / "newest", **settings)
    assert {i for one in again.items() for i in one.images} == {i for one in after.items() for i in one.images}
