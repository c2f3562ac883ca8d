"""Groups of items that splits separate: `release splits` and the audit name the same groups."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_bench import Bench
from walks import in_process

from benchwright.records import Choice, ImageRecord, ItemImage


@pytest.fixture(scope="module")
def torn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of which a pair, a stated group, a scene and two pictures made from one lie in two splits each."""
    bench = Bench()

    def shown(record: ImageRecord, split: str, *keys: str) -> None:
        bench.add(
            record, split, len(bench.items), task="view", question=f"Is it number {len(bench.items)}?", answer="A",
            group_keys=keys, images=(ItemImage(image_id=record.image_id, role="view"),),
            choices=(Choice(key="A", text="yes"), Choice(key="B", text="no")),
        )  # fmt: skip

    def picture(number: int, **fields: Any) -> ImageRecord:
        return bench.picture(20 + number, 30, (40 * number, 255 - 30 * number, 90), **fields)

    for number, key in enumerate(("pair:1", "source:night", "scene:2")):
        for place, split in enumerate(("test", "val")):
            shown(picture(2 * number + place), split, key)
        shown(picture(2 * number), "test", f"{key}0")
    root = bench.source(7, "CC0-1.0", scale=6)
    for scale, split in ((1, "test"), (2, "val")):
        made = bench.picture(24 * scale, 31, (7, 20, 200), root_image_id=root.image_id)
        shown(made, split, f"image:{root.image_id}")
    bench.write(folder := tmp_path_factory.mktemp("torn") / "release")
    return folder


def _answer(*arguments: object) -> Any:
    return json.loads(in_process(*arguments, "--json").stdout)


@pytest.mark.slow
def test_the_audit_names_the_groups_that_release_splits_names(torn: Path, tmp_path: Path) -> None:
    shared = _answer("release", "splits", torn, "--workers", 1)["shared_groups"]
    findings = _answer("audit", torn, "--workers", 1, "--out", tmp_path / "audit")["findings"]
    named = {finding["evidence"]["group"] for finding in findings if finding["kind"] == "group_across_splits"}
    assert len(shared) == 4
    assert named == {key.removeprefix("source:") for key in shared}
