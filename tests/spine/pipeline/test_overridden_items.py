"""Items that a curator restores: at filters and at steps that process all items at once, without repeated work."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from item_filters import EveryOther, OddKeys
from walks import make_photographs, tree_digest

from benchwright.annotation.store.campaigns.overrides import OverrideStore
from benchwright.annotation.store.review_store import open_store
from benchwright.construction.tasks.jigsaw import Jigsaw
from benchwright.overrides import Override
from benchwright.pipeline import run_steps
from benchwright.records import Item
from benchwright.workspace.run_results import FinishedRun
from benchwright.workspace.shards import StageTable
from benchwright.workspace.store_place import settle_store
from benchwright.workspace.tables import items_of
from benchwright.workspace.workspace import Workspace

pytestmark = pytest.mark.slow

NOW = datetime(2026, 3, 1, tzinfo=UTC)


class House:
    """Photographs, a workspace, and what the filters wrote into their diaries."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workspace = folder / "w"
        make_photographs(folder / "p", count=8)
        for name in ("measured", "gathered"):
            (folder / name).touch()

    def run(self) -> FinishedRun:
        steps = [
            Jigsaw(min_tile_px=16, likeness="keep"), OddKeys(diary=str(self.folder / "measured")),
            EveryOther(diary=str(self.folder / "gathered")),
        ]  # fmt: skip
        return run_steps(steps, images=self.folder / "p", workspace=self.workspace, workers=1)

    def diary(self, name: str) -> list[str]:
        return (self.folder / name).read_text().split()

    def dropped(self, stage: str) -> dict[str, str]:
        """Record and reason of what a stage drops now."""
        rows = FinishedRun(self.workspace, "done", ()).outcomes(stage)
        return {row["record_id"]: row["reason"] for row in rows if row["verdict"] == "drop"}

    def items(self) -> dict[str, Item]:
        table = StageTable(Workspace(self.workspace), "jigsaw")
        tables = (table.read(marker, "items") for marker in table.current())
        return {item.item_id: item for rows in tables if rows is not None for item in items_of(rows)}

    def keep(self, stage: str, *item_ids: str, against: bool = False) -> list[Override]:
        roots, reasons = self.items(), self.dropped(stage)
        rows = {row["record_id"]: row for row in FinishedRun(self.workspace, "done", ()).outcomes(stage)}
        made = [
            Override(
                stage, one, roots[one].root_image_id, "keep", reasons[one],
                rows[one]["evidence"]["of"] if against else None, "ada", "it differs",
            )
            for one in item_ids
        ]  # fmt: skip
        with open_store(settle_store(self.workspace)) as store:
            OverrideStore(store).decide(made, now=NOW)
        return made

    def undo(self, decisions: list[Override]) -> None:
        with open_store(settle_store(self.workspace)) as store:
            OverrideStore(store).undo(decisions, by="ada", why="", now=NOW)

    def tables(self) -> dict[str, Any]:
        """Digests of what the stages' lists name."""
        return {path: digest for path, digest in tree_digest(self.workspace).items() if "current.json" in path}


@pytest.fixture
def house(tmp_path: Path) -> House:
    house = House(tmp_path)
    house.run()
    return house


def test_an_item_comes_back_at_a_filter_and_is_not_measured_again(house: House) -> None:
    before, measured = house.tables(), house.diary("measured")
    dropped = house.dropped("odd_keys.judge")
    assert dropped
    decisions = house.keep("odd_keys.judge", *dropped)
    house.run()
    assert house.dropped("odd_keys.judge") == {}
    assert house.diary("measured") == measured
    assert int(house.diary("gathered")[-1]) == int(house.diary("gathered")[0]) + len(dropped)
    house.undo(decisions)
    house.run()
    assert house.diary("measured") == measured
    assert house.tables() == before


def test_an_item_comes_back_at_a_step_that_sees_all_and_it_does_not_gather_again(house: House) -> None:
    before = house.tables()
    first = min(house.dropped("every_other"))
    decisions = house.keep("every_other", first, against=True)
    done = house.run()
    assert first not in house.dropped("every_other")
    assert next(step for step in done.steps if step.name == "every_other").reversed == 1
    assert len(house.diary("gathered")) == 1
    assert house.run().executed == 0
    house.undo(decisions)
    house.run()
    assert len(house.diary("gathered")) == 1
    assert house.tables() == before
