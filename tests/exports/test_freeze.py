"""Freezing.

- The remaining items of the workspace become a release, each in the split that a step assigned.
- A draft is named by its content; a version never changes.
- Its recipe contains the steps that made the items, not those applied to them later.
- People's answers become its human baseline.
- Items that people found wrong are corrected or left out, and the release states this.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from small_bench import Bench, small_bench
from small_bench import BenchView as View

from benchwright.errors import BenchwrightError, PrerequisiteError, StepError
from benchwright.exports.freezing.human_answers import human_baseline
from benchwright.exports.freezing.step import Freeze
from benchwright.records import Item
from benchwright.release import Release, verify_release
from benchwright.release.format.errata import Erratum, released_errata, spelled
from benchwright.release.format.human_baseline import read_human_baseline
from benchwright.steps import FOLDER, FinalContext

pytestmark = pytest.mark.slow

RECIPE = {
    "name": "tiny",
    "seed": 17,
    "steps": [
        {"as": "jigsaw", "step": "jigsaw", "version": 1},
        {"as": "splits", "step": "splits", "version": 1, "fractions": {"test": 0.5, "val": 0.5}},
        {"as": "early", "step": "freeze", "version": 1, "release": "early"},
        {"as": "freeze", "step": "freeze", "version": 1, "release": "tiny"},
        {"as": "later", "step": "jigsaw", "version": 1},
    ],
}


@pytest.fixture
def bench() -> Bench:
    return small_bench()


@pytest.fixture
def ctx(tmp_path):
    return FinalContext(seed=17, stage="freeze", workspace=tmp_path, recipe=RECIPE, artifacts={})


def test_the_release_holds_the_items_in_their_splits(bench, ctx, tmp_path):
    made = Freeze(name="tiny", version="1.0", licence="cc0-1.0").finish(View(bench), ctx)
    assert made == {"release": "releases/tiny-1.0"}
    release = Release.open(tmp_path / made["release"])
    assert {one.item.item_id: (one.item, one.split) for one in release.items()} == {
        item.item_id: (item, split) for item, split in bench.items
    }
    assert (release.name, release.version, release.manifest.licence) == ("tiny", "1.0", "cc0-1.0")
    assert verify_release(release.path).ok


def test_the_recipe_in_it_is_the_one_that_made_the_view(bench, ctx, tmp_path):
    Freeze(name="tiny", version="1.0").finish(View(bench), ctx)
    assert Release.open(tmp_path / "releases" / "tiny-1.0").manifest.recipe == RECIPE


def test_a_draft_is_named_by_its_content(bench, ctx, tmp_path):
    first = Freeze(name="tiny").finish(View(bench), ctx)["release"]
    content_id = Release.open(tmp_path / first).content_id
    assert first == f"releases/tiny-0+{content_id[:12]}"
    del bench.items[0]
    second = Freeze(name="tiny").finish(View(bench), ctx)["release"]
    assert second != first
    assert verify_release(tmp_path / first).ok
    assert verify_release(tmp_path / second).ok


def test_a_draft_of_the_same_items_described_otherwise_takes_its_place(bench, ctx, tmp_path):
    first = Freeze(name="tiny").finish(View(bench), ctx)["release"]
    again = Freeze(name="tiny", description="Second thoughts.").finish(View(bench), ctx)["release"]
    assert again == first
    assert "Second thoughts." in (tmp_path / again / "README.md").read_text()
    assert verify_release(tmp_path / again).ok


def test_a_version_of_other_content_is_refused_and_says_what_to_do(bench, ctx):
    step = Freeze(name="tiny", version="1.0")
    step.finish(View(bench), ctx)
    step.finish(View(bench), ctx)
    del bench.items[0]
    with pytest.raises(BenchwrightError, match=r"other items as version '1\.0'.*raise the version"):
        step.finish(View(bench), ctx)


def test_items_without_any_splits_are_all_test(bench, ctx, tmp_path):
    made = Freeze(name="tiny", version="1.0").finish(View(bench, value=None), ctx)
    assert Release.open(tmp_path / made["release"]).splits == ("test",)


def test_the_splits_of_a_step_under_another_name_are_found(bench, ctx, tmp_path):
    made = Freeze(name="tiny", version="1.0").finish(View(bench, value="thirds.split"), ctx)
    assert Release.open(tmp_path / made["release"]).splits == ("test", "val")


def test_two_values_that_name_splits_must_be_told_apart(bench, ctx, tmp_path):
    class Two(View):
        def items(self):
            for item, values in super().items():
                yield item, {**values, "other.split": "dev"}

    with pytest.raises(StepError, match=r"other\.split, splits\.split; choose one with split_value"):
        Freeze(name="tiny").finish(Two(bench), ctx)
    made = Freeze(name="tiny", split_value="other.split").finish(Two(bench), ctx)
    assert Release.open(tmp_path / made["release"]).splits == ("dev",)


def test_an_item_that_no_split_was_given_to_is_an_error(bench, ctx):
    bench.items[3] = (bench.items[3][0], None)
    with pytest.raises(StepError, match=rf"item {bench.items[3][0].item_id} has no value 'splits.split'"):
        Freeze(name="tiny").finish(View(bench), ctx)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        pytest.param({}, "name", id="no-name"),
        pytest.param({"name": "../up"}, "pattern", id="path"),
        pytest.param({"name": "tiny", "version": "0+abc"}, "are drafts", id="draft-by-hand"),
        pytest.param({"name": "tiny", "version": "1/2"}, "pattern", id="version"),
        pytest.param({"name": "tiny", "verion": "1"}, "verion", id="unknown-key"),
    ],
)
def test_settings_that_are_wrong_are_refused(settings, message):
    with pytest.raises(ValidationError, match=message):
        Freeze(**settings)


def test_the_settings_read_back_from_their_parameters():
    step = Freeze(name="tiny", version="1.0", licence="cc0-1.0")
    assert Freeze(**step.parameters()) == step
    assert not step.parameters().keys() & {"name", "version"}


class Answered(View):
    """A workspace whose first item was not asked, and whose second had another content when it was."""

    def items(self) -> Iterator[tuple[Item, Mapping[str, Any]]]:
        for number, (item, values) in enumerate(super().items()):
            asked = {0: None, 1: "0" * 64}.get(number, item.content_hash)
            by = {f"annotator-{n + 1}": n < number % 4 for n in range(3)}
            counts = {"asked": 3, "right": number % 4, "right_by": json.dumps(by)}
            counts = counts if number else dict.fromkeys(counts)
            yield item, {**values, **{f"people.{k}": v for k, v in {**counts, "asked_content": asked}.items()}}

    def campaigns(self) -> Mapping[str, Mapping[str, Any]]:
        annotators = {f"annotator-{number}": {} for number in range(5)}
        told = {"kind": "answer", "simulated": True, "answers_per_item": 3, "annotators": annotators}
        return {**super().campaigns(), "people": told}


def test_a_release_takes_up_the_counts_of_the_items_that_were_asked_as_they_are(tmp_path: Path) -> None:
    bench = small_bench()
    context = FinalContext(seed=17, stage="freeze", workspace=tmp_path, recipe=RECIPE, artifacts={})
    made = Freeze.model_validate({"name": "tiny", "version": "1.0"}).finish(Answered(bench), context)
    release = Release.open(tmp_path / made["release"])
    expected = {
        item.item_id: {"asked": 3, "right": n % 4, "by": {f"annotator-{k + 1}": k < n % 4 for k in range(3)}}
        for n, (item, _) in enumerate(bench.items)
        if n > 1
    }
    assert read_human_baseline(release) == {
        "people": {"simulated": True, "annotators": 5, "answers_per_item": 3, "items": expected}
    }
    assert verify_release(release.path).problems == []


def test_without_a_campaign_of_answers_there_is_no_baseline() -> None:
    view = View(small_bench())
    assert human_baseline(view, view.items()) is None


def test_a_campaign_none_of_whose_items_is_left_gives_no_baseline() -> None:
    bench = small_bench()
    del bench.items[1:]
    view = Answered(bench)
    assert human_baseline(view, view.items()) is None


def erratum(item: Item, **changes: Any) -> Erratum:
    fields = {
        "item_id": item.item_id, "content_hash": item.content_hash, "release": "tiny 1.0", "release_id": "0" * 64,
        "finding": "key_wrong", "key": item.answer, "instead": "B", "agreed": 3, "asked": 3,
    }  # fmt: skip
    return Erratum.model_validate(fields | changes)


@pytest.mark.parametrize("version", ["1.1", None])
def test_errata_are_set_right_on_the_way_into_a_release(version: str | None, tmp_path: Path) -> None:
    bench = small_bench()
    wrong, ambiguous = (item for item, _ in bench.items[2:4])
    errata = [erratum(wrong), erratum(ambiguous, finding="ambiguous", instead=None)]
    (tmp_path / "errata.json").write_bytes(spelled(errata))
    settings = {"name": "tiny", "version": version, "errata": "errata.json"}
    step = Freeze.model_validate(settings, context={FOLDER: tmp_path})
    context = FinalContext(seed=17, stage="freeze", workspace=tmp_path, recipe=RECIPE, artifacts={})
    release = Release.open(tmp_path / step.finish(Answered(bench), context)["release"])
    assert verify_release(release.path).problems == []
    items = {one.item.item_id: one.item for one in release.items()}
    assert (items[wrong.item_id].answer, items[wrong.item_id].revision) == ("B", 1)
    assert len(items) == len(bench.items) - 1
    assert ambiguous.item_id not in items
    assert {one.item_id: one.became for one in released_errata(release)} == {
        wrong.item_id: "key_set", ambiguous.item_id: "left_out",
    }  # fmt: skip
    counted = read_human_baseline(release)
    assert counted is not None
    assert set(counted["people"]["items"]) == {item.item_id for item, _ in bench.items[4:]}


def test_errata_enter_the_fingerprint_by_what_they_say(tmp_path: Path) -> None:
    item, _ = small_bench().items[0]
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "errata.json").write_bytes(spelled([erratum(item)]))
    steps = [
        Freeze.model_validate({"name": "tiny", "errata": "errata.json"}, context={FOLDER: tmp_path / name})
        for name in ("one", "other")
    ]
    assert steps[0].parameters() == steps[1].parameters()
    (tmp_path / "other" / "errata.json").write_bytes(spelled([erratum(item, instead=None)]))
    changed = Freeze.model_validate({"name": "tiny", "errata": "errata.json"}, context={FOLDER: tmp_path / "other"})
    assert changed.parameters() != steps[0].parameters()
    by_digest = Freeze.model_validate({"name": "tiny", "errata": steps[0].parameters()["errata"]})
    with pytest.raises(PrerequisiteError, match="only the digest of the errata"):
        by_digest.corrections()
