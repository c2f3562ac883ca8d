"""The file that stores what the adversary sees of items."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted_shortcuts import planted

from benchwright.diagnostics.adversary.evidence_store import EvidenceStore
from benchwright.diagnostics.adversary.item_evidence import ItemEvidence, picture_evidence
from benchwright.diagnostics.shortcuts import measuring
from benchwright.diagnostics.shortcuts.measuring import evidence_or_none, learned_from, measure_items
from benchwright.records import Item


def _evidence(number: int) -> ItemEvidence:
    pixels = np.random.default_rng(number).integers(0, 255, (20, 24, 3)).astype(np.uint8)
    return ItemEvidence(
        f"item {number}", options=(picture_evidence(b"no picture", pixels),), question={"length": float(number)}
    )


def test_evidence_is_read_back_as_it_was_and_what_is_discarded_is_gone() -> None:
    store = EvidenceStore()
    for number in range(3):
        store.add(f"item {number}", _evidence(number))
    store.discard("item 1")
    store.discard("item 7")
    assert list(store) == ["item 0", "item 2"]
    assert store["item 2"].to_text() == _evidence(2).to_text()
    assert store.get("item 1") is None


def test_a_copy_reads_the_same_file_and_the_file_goes_with_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    store = EvidenceStore()
    store.add("item 0", _evidence(0))
    copy = pickle.loads(pickle.dumps(store))
    assert copy["item 0"].item_id == "item 0"
    del copy
    gc.collect()
    assert store["item 0"].item_id == "item 0"
    assert len(list(tmp_path.iterdir())) == (0 if sys.platform == "linux" else 1)
    del store
    gc.collect()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="a file without a name is read by other processes on Linux alone")
@pytest.mark.parametrize("ended_by", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_the_process_is_ended_by_a_signal(tmp_path: Path, ended_by: signal.Signals) -> None:
    program = (
        "import time\n"
        "from benchwright.diagnostics.adversary.evidence_store import EvidenceStore\n"
        "from benchwright.diagnostics.adversary.item_evidence import ItemEvidence\n"
        "store = EvidenceStore()\n"
        "store.add('item 0', ItemEvidence('item 0'))\n"
        "print(store['item 0'].item_id, flush=True)\n"
        "time.sleep(60)\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "item 0\n"
        process.send_signal(ended_by)
    assert process.returncode == -ended_by
    assert list(tmp_path.iterdir()) == []


def test_a_copy_in_another_process_reads_a_file_without_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    store = EvidenceStore()
    store.add("item 0", _evidence(0))
    (tmp_path / "store.pickle").write_bytes(pickle.dumps(store))
    program = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb'))['item 0'].item_id)"
    ran = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "store.pickle")], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "item 0\n"


@pytest.mark.parametrize(("most", "learned"), [(0, 0), (7, 7), (100, 12)])
def test_as_many_items_are_learned_from_as_is_said(most: int, learned: int) -> None:
    items = planted("length", count=12, share=0, seed=1)
    measured = measure_items(iter(items), most_learned=most)
    assert len(measured.evidence) == learned
    assert set(measured.evidence) <= {each.item_id for each in measured.cues}


def test_items_that_are_chosen_before_are_the_same_and_no_other_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    items = planted("length", count=12, share=0, seed=1)
    as_they_come = measure_items(iter(items), most_learned=3)
    looked_at: list[str] = []

    def noted(item: Item, *arguments: Any, **settings: Any) -> ItemEvidence | None:
        looked_at.append(item.item_id)
        return evidence_or_none(item, *arguments, **settings)

    monkeypatch.setattr(measuring, "evidence_or_none", noted)
    chosen = learned_from(((each.item.task, each.item.item_id) for each in items), most=3)
    known = measure_items(iter(items), learned=chosen)
    assert set(known.evidence) == set(as_they_come.evidence) == chosen
    assert sorted(looked_at) == sorted(chosen)
