"""Faults of every kind planted in a clean set of 500 items: the audit's recall and its precision.

    .venv/bin/python benchmarks/planted_faults.py --data ../shared/data/ii_bench              # three seeds
    .venv/bin/python benchmarks/planted_faults.py --data ... --peers PEERS --seeds 1 2 3 --table # other tools beside it

`clean_items.py` makes the set, `planted_kinds.py` lists the faults and `faults_to_plant.py` plants them;
`audit_peers.py` runs other tools and explains how to install them below PEERS. The set is first audited clean, then
with the faults, both times with replies of six simulated models with accuracies of .45 to .75 and correlated errors
(`suspected_keys.py` has the rule).

Recall is the share of planted places at which one finding of a right kind names all items. Precision is the share of
items named by findings of these kinds in which a planted fault makes such a finding true. Seed 0 was seen while the
benchmark was written; quote results of other seeds.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import random
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from audit_peers import PEERS, Alarm, Peer, PeerRun, run_peer
from clean_items import COLUMNS, LETTERS, Row, clean_set
from faults_to_plant import Bench, options_of
from measuring import Cost, benchwright, cost_of, show
from PIL import Image
from planted_kinds import CUES, FAULTS, Planted, plant_all
from scipy.special import ndtri
from suspected_keys import ABILITIES, PULL, SHARED

from benchwright.records import Choice, ImageRecord, Item, ItemImage, Operation, item_id_for
from benchwright.release import write_release

CANARY = "This benchmark must not be trained on. Canary: 5b0a2d7e-3c2f-5f6c-9d53-0c6b7c8f2f11.\n"


class Audited(NamedTuple):
    """The findings of an audit of a set, and its cost."""

    alarms: list[Alarm]
    severities: Counter[str]
    cost: Cost


class Tally(NamedTuple):
    """Counts of one fault over all seeds: places planted and found, items blamed, and blamed rightly."""

    planted: int = 0
    found: int = 0
    blamed: int = 0
    rightly: int = 0

    def plus(self, other: Tally) -> Tally:
        """Return the sum."""
        return Tally(*(mine + its for mine, its in zip(self, other, strict=True)))

    def to_json(self) -> dict[str, Any]:
        """Return counts, recall and precision; precision is None if nothing is blamed."""
        precision = round(self.rightly / self.blamed, 3) if self.blamed else None
        recall = round(self.found / self.planted, 3) if self.planted else None
        return {**self._asdict(), "recall": recall, "precision": precision}


def main() -> None:
    """Measure and print one document, or tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument(
        "--data", type=Path, help="folder of II-Bench's repository; without it, rendered scenes instead"
    )
    parser.add_argument("--peers", type=Path, help="folder with an environment for each peer")
    parser.add_argument("--folder", type=Path, help="where to keep the sets; a temporary folder by default")
    parser.add_argument("--table", action="store_true", help="print a table in Markdown after the document")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.folder or Path(name)
        seeds = [_of_seed(folder / str(seed), seed, options) for seed in options.seeds]
    tools = {tool: _summed(seed["tallies"][tool] for seed in seeds) for tool in seeds[0]["tallies"]}
    document = {
        "items": options.items,
        "seeds": options.seeds,
        "with_ii_bench": options.data is not None,
        "faults": {tool: {fault: tally.to_json() for fault, tally in found.items()} for tool, found in tools.items()},
        "per_seed": [{name: value for name, value in seed.items() if name != "tallies"} for seed in seeds],
    }
    show(document)
    if options.table:
        print(_table(tools))


def _of_seed(folder: Path, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    clean, flawed = folder / "clean", folder / "planted"
    rows = clean_set(clean, options.items, seed, options.data)
    (clean / "README.md").write_text(CANARY, encoding="utf-8")
    shutil.copytree(clean / "images", flawed / "images")
    _write_rows(clean, rows)
    rng = np.random.default_rng([seed, 3])
    before = _audit(folder, clean, ["--replies", _write_replies(folder / "clean-replies", rows, {}, seed)])
    bench = Bench(flawed, [dict(row) for row in rows], folder / "other", rng, random.Random(seed))
    bench.other.mkdir()
    planted = plant_all(bench)
    _write_rows(flawed, bench.rows)
    _write_release(folder / "earlier", bench.elsewhere)
    replies = _write_replies(folder / "replies", bench.rows, bench.truth, seed)
    given = ["--replies", replies, "--against", bench.other, "--against", folder / "earlier"]
    after = _audit(folder, flawed, given)
    tallies = {"audit": tallies_of(planted, after.alarms)}
    runs: dict[str, PeerRun] = {}
    for name, peer in PEERS.items() if options.peers else ():
        runs[name] = run_peer(peer, options.peers / name, flawed, bench.rows, replies, folder / name)
        tallies[name] = tallies_of(as_seen_by(peer, planted), runs[name].alarms)
    touched = {item for each in planted for item in each.items}
    print(f"seed {seed}: {len(touched)} of {options.items} items touched", file=sys.stderr, flush=True)
    return {
        "seed": seed,
        "touched": len(touched),
        "clean": {
            "severities": dict(before.severities),
            "findings": _counted(before.alarms),
            "cost": before.cost.to_json(),
        },
        "planted": {"severities": dict(after.severities), "cost": after.cost.to_json()},
        "not_planted": _strangers(planted, after.alarms),
        "missed": _missed(planted, after.alarms),
        "peers": {name: {"problem": run.problem, "cost": run.cost.to_json()} for name, run in runs.items()},
        "tallies": tallies,
    }


def _audit(folder: Path, source: Path, arguments: Sequence[object]) -> Audited:
    out = folder / f"{source.name}.json"
    cost = cost_of([*benchwright("audit", source, *arguments, "--out", folder / "audit", "--json")], output=out)
    if cost.exit_code:
        raise SystemExit(f"benchwright audit {source} ended with {cost.exit_code}")
    findings = json.loads(out.read_text(encoding="utf-8"))["findings"]
    alarms = [Alarm(each["kind"], tuple(each["items"]), each["evidence"].get("task")) for each in findings]
    return Audited(alarms, Counter(each["severity"] for each in findings), cost)


def _write_rows(folder: Path, rows: Iterable[Row]) -> None:
    with (folder / "questions.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


def _write_replies(folder: Path, rows: Sequence[Row], truth: Mapping[str, str], seed: int) -> Path:
    """Write six models' replies to items, by the rule of `suspected_keys.simulated` for any number of options."""
    rng = np.random.default_rng([seed, 4])
    ids = Counter(row["id"] for row in rows)
    known = [row for row in rows if ids[row["id"]] == 1]
    right = np.array([LETTERS.index(truth.get(row["id"], row["answer"])) for row in known])
    sizes = np.array([len(options_of(row)) for row in known])
    hard = rng.normal(size=len(known))
    tempting = (right + rng.integers(1, sizes)) % sizes
    folder.mkdir()
    with (folder / "replies.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["model", "id", "reply"])
        for ability in ABILITIES:
            latent = np.sqrt(SHARED) * hard + np.sqrt(1 - SHARED) * rng.normal(size=len(known))
            other = (right + rng.integers(1, sizes)) % sizes
            wrong = np.where(rng.random(len(known)) < PULL, tempting, other)
            letters = np.where(latent < ndtri(ability), right, wrong)
            writer.writerows(
                [f"model-{ability}", row["id"], LETTERS[place]] for row, place in zip(known, letters, strict=True)
            )
    return folder / "replies.csv"


def _write_release(folder: Path, rows: Sequence[Row]) -> None:
    """Write a release that asks the same questions about another picture."""
    picture = folder.with_suffix(".png")
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (240, 320, 3), dtype=np.uint8)).save(picture)
    data = picture.read_bytes()
    image_id = hashlib.sha256(data).hexdigest()
    record = ImageRecord(
        image_id=image_id, width=320, height=240, root_image_id=image_id, media_type="image/png", size_bytes=len(data)
    )
    operation = Operation(step="by_hand", version=1, parameters={}, seed=0)
    items = [
        Item(
            item_id=item_id_for("by_hand", 0, {"row": row["id"]}, (image_id,), 0),
            task=row["task"], kind="multiple_choice", question=row["question"],
            images=(ItemImage(image_id=image_id, role="picture"),),
            choices=tuple(Choice(key=key, text=text) for key, text in zip(LETTERS, options_of(row), strict=False)),
            answer=row["answer"], root_image_id=image_id, operation_id=operation.operation_id, made_from=image_id,
        )
        for row in rows
    ]  # fmt: skip
    write_release(
        folder, name="earlier", version="1.0", items=[(item, "test") for item in items],
        image=lambda _: record, image_bytes=lambda _: data, operations=[operation],
        recipe={"name": "earlier", "seed": 0}, stages=[], agreement={}, seed=0,
    )  # fmt: skip


def tallies_of(planted: Sequence[Planted], alarms: Sequence[Alarm]) -> dict[str, Tally]:
    """Return the counts of each fault."""
    by_fault: defaultdict[str, list[Planted]] = defaultdict(list)
    for each in planted:
        by_fault[each.fault].append(each)
    tallies = {}
    for fault, places in by_fault.items():
        kinds = places[0].expects
        if not kinds:
            continue
        blamed = {thing for alarm in alarms if alarm.kind in kinds for thing in _blamed(alarm, places[0].task)}
        true = {thing for each in planted if kinds & (each.expects | each.may) for thing in (*each.items, each.task)}
        found = sum(any(_names(alarm, place) for alarm in alarms) for place in places)
        tallies[fault] = Tally(len(places), found, len(blamed), len(blamed & true))
    return tallies


def _blamed(alarm: Alarm, task: str | None) -> tuple[str | None, ...]:
    """Return the subject of an alarm: a task if the fault is a cue, else its items."""
    return (alarm.task,) if task is not None else alarm.items


def _names(alarm: Alarm, place: Planted) -> bool:
    if alarm.kind not in place.expects:
        return False
    if place.task is not None:
        return alarm.task == place.task
    named = set(place.items) & set(alarm.items)
    return bool(named) if alarm.is_partial else len(named) == len(set(place.items))


def as_seen_by(peer: Peer, planted: Iterable[Planted]) -> list[Planted]:
    """Return the planted faults with a tool's kinds in place of the audit's; no kinds if it ignores a fault."""
    nothing: frozenset[str] = frozenset()
    return [
        replace(each, expects=peer.looks_for.get(each.fault, nothing), may=peer.may.get(each.fault, nothing))
        for each in planted
    ]


def _summed(tallies: Iterable[Mapping[str, Tally]]) -> dict[str, Tally]:
    total: dict[str, Tally] = {}
    for seed in tallies:
        for fault, tally in seed.items():
            total[fault] = total.get(fault, Tally()).plus(tally)
    return total


def _counted(alarms: Iterable[Alarm]) -> dict[str, dict[str, Any]]:
    """Return for each kind of finding the number of findings and the items named, at most twelve."""
    found: defaultdict[str, list[Alarm]] = defaultdict(list)
    for alarm in alarms:
        found[alarm.kind].append(alarm)
    return {
        kind: {
            "findings": len(group),
            "items": len({item for alarm in group for item in alarm.items}),
            "such_as": [[alarm.task, *alarm.items[:4]] for alarm in group[:12]],
        }
        for kind, group in sorted(found.items())
    }


def _strangers(planted: Sequence[Planted], alarms: Sequence[Alarm]) -> dict[str, list[str]]:
    """Return for each kind of finding the subjects that it blames without a planted fault to justify it."""
    strange: defaultdict[str, set[str | None]] = defaultdict(set)
    for alarm in alarms:
        fitting = [each for each in planted if alarm.kind in each.expects | each.may]
        if alarm.task is not None and not any(each.task == alarm.task for each in fitting):
            strange[alarm.kind].add(alarm.task)
        elif alarm.task is None:
            strange[alarm.kind] |= set(alarm.items) - {item for each in fitting for item in each.items}
    return {kind: sorted(map(str, things)) for kind, things in sorted(strange.items()) if things}


def _missed(planted: Sequence[Planted], alarms: Sequence[Alarm]) -> dict[str, list[Any]]:
    missed: defaultdict[str, list[Any]] = defaultdict(list)
    for place in planted:
        if not any(_names(alarm, place) for alarm in alarms):
            missed[place.fault].append(place.task or list(place.items))
    return dict(missed)


def _table(tools: Mapping[str, Mapping[str, Tally]]) -> str:
    """Return recall and precision of each tool for each fault; a dash if it does not search for the fault."""
    lines = ["| planted | places | " + " | ".join(tools) + " |", "|---|---:|" + "---:|" * len(tools)]
    for fault in (*(fault.name for fault in FAULTS), *(cue.name for cue in CUES)):
        if fault not in tools["audit"]:
            continue
        cells = [_cell(found.get(fault)) for found in tools.values()]
        lines.append(f"| {fault} | {tools['audit'][fault].planted} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(tally: Tally | None) -> str:
    if tally is None:
        return "-"
    precision = f"{tally.rightly / tally.blamed:.2f}" if tally.blamed else "none"
    return f"{tally.found / tally.planted:.2f} / {precision}"


if __name__ == "__main__":
    main()
