"""Errata: corrected items, removed items, earlier changes, and the valid content of a document of errata."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_bench import reseal, small_bench

from benchwright.errors import DataError
from benchwright.records import Item
from benchwright.release import verify_release
from benchwright.release.format.errata import Corrections, Erratum, parse_errata, read_errata, released_errata, spelled


def erratum(item: Item, **changes: Any) -> Erratum:
    fields = {
        "item_id": item.item_id, "content_hash": item.content_hash, "release": "tiny 1.0", "release_id": "0" * 64,
        "finding": "key_wrong", "key": item.answer, "instead": "B", "agreed": 2, "asked": 3,
    }  # fmt: skip
    return Erratum.model_validate(fields | changes)


@pytest.fixture
def items() -> list[Item]:
    return [item for item, _ in small_bench().items]


def test_a_wrong_key_becomes_the_right_one_in_a_new_revision(items: list[Item]) -> None:
    corrections = Corrections([erratum(items[0])])
    corrected = corrections.correct(items[0])
    assert corrected is not None
    assert (items[0].answer, corrected.answer, corrected.revision) == ("A", "B", 1)
    assert corrected.content_hash != items[0].content_hash
    assert corrections.correct(items[1]) is items[1]
    assert [one.became for one in corrections.account()] == ["key_set"]


def test_the_option_that_declines_can_be_right_instead(items: list[Item]) -> None:
    ring = next(item for item in items if item.refusal == "C" and item.answer is not None)
    corrected = Corrections([erratum(ring, instead="C")]).correct(ring)
    assert corrected is not None
    assert (corrected.answer, corrected.refusal) == (None, "C")


@pytest.mark.parametrize("finding", ["ambiguous", "picture_problem", "key_wrong"])
def test_what_has_no_right_letter_is_left_out(finding: str, items: list[Item]) -> None:
    corrections = Corrections([erratum(items[0], finding=finding, instead=None)])
    assert corrections.correct(items[0]) is None
    assert corrections.told() == {"left_out": 1}


def test_an_item_that_changed_since_stays_and_one_that_is_gone_is_named(items: list[Item]) -> None:
    corrections = Corrections([erratum(items[0], content_hash="1" * 64), erratum(items[1], item_id="2" * 32)])
    assert corrections.correct(items[0]) is items[0]
    assert corrections.told() == {"changed_before": 1, "not_in_release": 1}


def test_history_goes_along_and_is_not_applied_again(items: list[Item]) -> None:
    old = erratum(items[0], became="key_set")
    corrections = Corrections([old, erratum(items[1], finding="ambiguous", instead=None)])
    assert corrections.correct(items[0]) is items[0]
    assert corrections.account()[0] == old


def test_a_letter_that_the_item_does_not_have_is_refused(items: list[Item]) -> None:
    with pytest.raises(DataError, match="has no choice 'Z'"):
        Corrections([erratum(items[0], instead="Z")]).correct(items[0])


@pytest.mark.slow
def test_a_release_holds_its_errata_and_verifies(items: list[Item], tmp_path: Path) -> None:
    corrections = Corrections([erratum(items[0]), erratum(items[1], finding="ambiguous", instead=None)])
    bench = small_bench()
    left = [(one, split) for item, split in bench.items if (one := corrections.correct(item)) is not None]
    release = bench.write(tmp_path / "tiny", items=left, corrections=corrections)
    assert verify_release(release.path).ok
    assert sorted(str(one.became) for one in released_errata(release)) == ["key_set", "left_out"]
    path = release.path / "errata.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["errata"][0]["finding"] = "nonsense"
    path.write_text(json.dumps(document), encoding="utf-8")
    reseal(release.path)
    assert any("errata.json: errata.0.finding" in line for line in verify_release(release.path).problems)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        pytest.param({"agreed": 4}, "4 of 3 annotators cannot agree", id="too many"),
        pytest.param(
            {"finding": "ambiguous"}, "another letter can be right only if the key is wrong", id="two findings"
        ),
        pytest.param({"instead": "A"}, "another letter can be right only", id="the same letter"),
        pytest.param({"finding": "typo"}, "Input should be 'key_wrong'", id="unknown"),
        pytest.param({"item_id": "../x"}, "should match pattern", id="id"),
    ],
)
def test_errata_that_contradict_themselves_are_refused(changes: dict[str, Any], why: str, items: list[Item]) -> None:
    document = json.loads(spelled([erratum(items[0])]))
    document["errata"][0] |= changes
    with pytest.raises(DataError, match=why):
        parse_errata(json.dumps(document).encode(), title="errata.json")


def test_errata_come_back_as_they_were_written(items: list[Item], tmp_path: Path) -> None:
    path = tmp_path / "errata.json"
    path.write_bytes(spelled(erratum(item, instead=None) for item in items))
    assert path.read_bytes() == spelled(reversed([erratum(item, instead=None) for item in items]))
    assert len(read_errata(path)) == len(items)
    path.write_bytes(path.read_bytes().replace(b'"version": 1', b'"version": 3'))
    with pytest.raises(DataError, match="version 3"):
        read_errata(path)
