"""The speed of a curator's list of all items: 100,000 images and 100,000 items with 300,000 decisions.

A workspace with the tables of a run and a review store with decisions are generated, without pictures. Then the item
index is built, and updated after one decision and after a change to one shard of the run. Then every kind of search
runs repeatedly with the index in place, as on the page: refresh, one page of hits with their number. Last, the options
of the filters are counted, which the page keeps until a change.

The question is whether list and search answer within 500 ms at the 95th percentile.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa
from measuring import show

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.items.index_file import FILE_NAME
from benchwright.annotation.items.item_index import ItemIndex
from benchwright.annotation.items.item_search import ItemQuery, measures, options, search
from benchwright.annotation.store.database.records import Campaign
from benchwright.annotation.store.database.schema import annotations_table, annotators, slots, tasks
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.records import Choice, ImageRecord, Item, ItemImage, Source
from benchwright.workspace.shards import StageTable, VerdictCounts, shard_names, shard_of
from benchwright.workspace.tables import FILES, IMAGES, ITEMS, image_row, item_row, outcome_schema
from benchwright.workspace.workspace import Workspace

SHARDS = 64
SLOTS = 3
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
WORDS = (
    "corner",
    "edge",
    "shadow",
    "window",
    "bicycle",
    "river",
    "kitchen",
    "tower",
    "signal",
    "meadow",
    "harbour",
    "lantern",
    "bridge",
    "carpet",
    "mirror",
    "engine",
    "orchard",
    "platform",
    "feather",
    "compass",
    "ladder",
    "saddle",
    "basket",
    "anchor",
    "chimney",
    "hedge",
    "pebble",
    "ribbon",
    "saucer",
    "thimble",
)
REASONS = ("wrong_answer", "unclear", "two_right", "bad_image")
QUALITY = {"short_px": "int64", "blur": "float64", "clipped": "float64", "colorfulness": "float64"}
HASHES = {"phash": "uint64", "dhash": "uint64", "mirrored": "uint64"}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=20, help="how often each search is asked")
    parser.add_argument("--folder", type=Path, help="where the workspace is made, and kept; else it goes")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        started = time.perf_counter()
        if not (folder / "workspace.json").exists():
            make_tables(folder, arguments.items)
            with open_store(Workspace(folder).store_url) as store:
                fill(store, arguments.items)
        document: dict[str, Any] = {"items": arguments.items, "made_s": round(time.perf_counter() - started, 1)}
        with open_store(Workspace(folder).store_url) as store:
            show(document | measured(folder, store, arguments.times))


def measured(folder: Path, store: ReviewStore, times: int) -> dict[str, Any]:
    """Return times and sizes over a generated workspace."""
    (folder / "cache" / FILE_NAME).unlink(missing_ok=True)
    index = ItemIndex(folder, store)
    before_mb = _peak_mb()
    build_s, built = _timed(index.refresh)
    decided_s, decided = _timed_after(index, lambda: _decide(store))
    shard_s, _ = _timed_after(index, lambda: _change_shard(folder))
    asked = {name: _spread(index, query, times) for name, query in queries(index).items()}
    every = sorted(second for spread in asked.values() for second in spread)
    return {
        "records": built.records,
        "build_s": round(build_s, 1),
        "after_one_decision_ms": round(1000 * decided_s, 1),
        "records_read_after_one_decision": decided.records,
        "after_one_shard_s": round(shard_s, 2),
        "nothing_changed_ms": round(1000 * min(_timed(index.refresh)[0] for _ in range(20)), 2),
        "searches_ms": {name: _quantiles(sorted(spread)) for name, spread in asked.items()},
        "all_searches_ms": _quantiles(every),
        "options_ms": round(1000 * _timed(lambda: index.reading(options))[0], 1),
        "measures_ms": round(1000 * _timed(lambda: index.reading(measures))[0], 1),
        "index_mb": round((folder / "cache" / FILE_NAME).stat().st_size / 1e6, 1),
        "peak_mb": {"before": before_mb, "after": _peak_mb()},
    }


def first_id(index: ItemIndex, stream: str) -> str:
    """Return the id of the first record of a stream."""
    return index.reading(lambda connection: search(connection, ItemQuery(stream=stream))).records[0].record_id


def queries(index: ItemIndex) -> dict[str, ItemQuery]:
    """Return a search of every kind: few and many hits, first and late pages."""
    some, item = (first_id(index, stream) for stream in ("images", "items"))
    return {
        "everything": ItemQuery(),
        "last page": ItemQuery(page=100_000),
        "items": ItemQuery(stream="items"),
        "accepted": ItemQuery(state="accepted"),
        "dropped images, page 1000": ItemQuery(state="dropped", stream="images", page=1000),
        "reason and campaign": ItemQuery(reason="unclear", campaign="verify"),
        "annotator": ItemQuery(annotator="ann-03"),
        "divided first": ItemQuery(state="divided", sort="divided"),
        "one common word": ItemQuery(words="corner"),
        "three words": ItemQuery(words="river lantern wrong"),
        "beginnings of two letters": ItemQuery(words="br ha"),
        "words, state and annotator": ItemQuery(words="bridge", state="rejected", annotator="ann-01"),
        "range of a measure, by it": ItemQuery(measure="quality.blur", least=0.2, most=0.8, sort="measure"),
        "narrow range, dropped": ItemQuery(measure="quality.blur", least=0.50, most=0.51, state="dropped"),
        "alike to a picture": ItemQuery(like=some),
        "beginning of an id": ItemQuery(words=some[:8]),
        "questions like one": ItemQuery(like=item, alike="question"),
        "by meaning": ItemQuery(meaning="which lantern stands by the river"),
    }


def make_tables(folder: Path, items: int) -> None:
    """Write the tables of a run over this many images, each of which became one item."""
    space = Workspace.create(folder)
    rng = np.random.default_rng(7)
    stages = ["ingest", "quality.measure", "quality.judge", "near_duplicates.hashes", "jigsaw"]
    by_shard: dict[str, list[ImageRecord]] = {name: [] for name in shard_names(SHARDS)}
    for number in range(items):
        image = image_of(number)
        by_shard[shard_of(image.image_id, SHARDS)].append(image)
    tables = {stage: StageTable(space, stage) for stage in stages}
    for shard, images in by_shard.items():
        _write_shard(tables, shard, sorted(images, key=lambda image: image.image_id), rng)
    for stage in stages:
        tables[stage].publish(list(by_shard), {"step": stage})
    resolved: dict[str, Any] = {"name": "many", "seed": 5, "shards": SHARDS, "steps": []}
    space.save_settings(
        {"recipe": resolved, "shards": SHARDS, "stages": stages, "images": str(folder), "artifacts": {}}
    )


def _write_shard(
    tables: dict[str, StageTable], shard: str, images: list[ImageRecord], rng: np.random.Generator
) -> None:
    ids = [image.image_id for image in images]
    drop = rng.random(len(images)) < 0.2
    verdicts = {
        "quality.judge": [("drop", "blurred") if dropped else ("keep", None) for dropped in drop],
        "jigsaw": [("keep", None) for dropped in drop if not dropped],
    }
    codes = rng.integers(0, 2**63, (len(images), 3), np.int64).astype(np.uint64) * np.uint64(2)
    values: dict[str, list[dict[str, Any]]] = {
        "quality.measure": [
            {"short_px": int(200 + blur * 800), "blur": float(blur), "clipped": float(blur / 9), "colorfulness": 30.0}
            for blur in rng.random(len(images))
        ],
        "near_duplicates.hashes": [dict(zip(HASHES, map(int, row), strict=True)) for row in codes],
    }
    files = [{"uri": image.source.uri if image.source else "", "image_id": image.image_id} for image in images]
    made = [item_of(image) for image, dropped in zip(images, drop, strict=True) if not dropped]
    others: dict[str, dict[str, Any]] = {
        "ingest": {"images": ([image_row(image) for image in images], IMAGES), "files": (files, FILES)},
        "jigsaw": {"items": (sorted((item_row(i, i.made_from) for i in made), key=lambda r: r["item_id"]), ITEMS)},
    }
    for stage, table in tables.items():
        chosen = [item.made_from for item in made] if stage == "jigsaw" else ids
        of_stage = verdicts.get(stage, [("keep", None)] * len(chosen))
        rows = [
            {"record_id": record_id, "record_hash": "", "verdict": verdict, "reason": reason, **extra}
            for record_id, (verdict, reason), extra in zip(
                chosen, of_stage, values.get(stage, [{}] * len(chosen)), strict=True
            )
        ]
        schema = outcome_schema({"quality.measure": QUALITY, "near_duplicates.hashes": HASHES}.get(stage, {}))
        table.write(
            shard,
            tables={"outcomes": (rows, schema), **others.get(stage, {})},
            fingerprint="", config="", effect="", counts=VerdictCounts.of(of_stage, {}).to_json(),
        )  # fmt: skip


def image_of(number: int) -> ImageRecord:
    image_id = hashlib.sha256(f"image {number}".encode()).hexdigest()
    rng = random.Random(number)
    source = Source(uri=f"{rng.choice(WORDS)}/{rng.choice(WORDS)}-{number:06}.jpg")
    return ImageRecord(
        image_id=image_id, width=640, height=480, media_type="image/jpeg", size_bytes=90_000, source=source,
        root_image_id=image_id,
    )  # fmt: skip


def item_of(image: ImageRecord) -> Item:
    rng = random.Random(image.image_id)
    choices = tuple(Choice(key=key, text=" ".join(rng.choices(WORDS, k=3))) for key in "ABCD")
    return Item(
        item_id=image.image_id[:32], task="jigsaw", kind="multiple_choice", choices=choices, answer="A",
        images=(ItemImage(image_id=image.image_id, role="reference"),),
        question=f"Which {' '.join(rng.choices(WORDS, k=8))} is it?", root_image_id=image.image_id,
        operation_id="0" * 32, made_from=image.image_id,
    )  # fmt: skip


def fill(store: ReviewStore, items: int) -> None:
    """Open a campaign about the generated items, and write three decisions on nine of ten of them."""
    form = CampaignForm(decisions=("accept", "reject", "revise"), reasons=REASONS)
    campaign = store.upsert_campaign(
        "verify", kind="verify", rule=f"majority({SLOTS})", slots_per_task=SLOTS, form=form, settings={}, seed=5
    )
    store.upsert_tasks("verify", _work(items))
    decide(store, campaign, all_but=10)


def decide(store: ReviewStore, campaign: Campaign, *, all_but: int | None = None) -> None:
    """Write decisions in all free slots of a campaign, except in tasks whose number `all_but` divides."""
    names = [f"ann-{number:02}" for number in range(12)]
    for name in names:
        store.upsert_annotator(name)
    rng = random.Random(3)
    with store.writing(alone=True) as connection:
        people = dict(connection.execute(sa.select(annotators.c.name, annotators.c.id)).fetchall())
        query = sa.select(slots.c.id, slots.c.task_id, slots.c.slot).join(tasks).order_by(slots.c.task_id, slots.c.slot)
        rows = connection.execute(
            query.where(tasks.c.campaign_id == campaign.id, slots.c.submitted_at.is_(None))
        ).fetchall()
        if not rows:
            return
        taken, decided = [], []
        for row in rows:
            if all_but is not None and row.task_id % all_but == 0:
                continue
            name = names[(row.task_id + row.slot * 5) % len(names)]
            at = START + timedelta(seconds=2 * row.task_id + row.slot)
            is_reject = rng.random() < 0.2
            reasons = f'["{rng.choice(REASONS)}"]' if is_reject else "[]"
            taken.append({"slot_id": row.id, "who": people[name], "at": at})
            decided.append({
                "slot_id": row.id, "version": 1, "decision": "reject" if is_reject else "accept", "reasons": reasons,
                "note": f"the {rng.choice(WORDS)} is wrong" if is_reject else None, "started_at": at,
                "submitted_at": at, "active_s": 6.0,
            })  # fmt: skip
        held = sa.update(slots).where(slots.c.id == sa.bindparam("slot_id"))
        connection.execute(
            held.values(
                annotator_id=sa.bindparam("who"), claimed_at=sa.bindparam("at"), submitted_at=sa.bindparam("at")
            ),
            taken,
        )
        connection.execute(sa.insert(annotations_table), decided)
        is_open = sa.exists().where(slots.c.task_id == tasks.c.id, slots.c.submitted_at.is_(None))
        connection.execute(sa.update(tasks).values(state=sa.case((is_open, "open"), else_="done")))


def _work(items: int) -> Iterator[TaskInput]:
    """Yield the generated items, including those of dropped images, which changes no search."""
    for number in range(items):
        item = item_of(image_of(number))
        yield TaskInput(item.item_id, item.content_hash, item.model_dump(mode="json"))


def _decide(store: ReviewStore) -> None:
    now = datetime.now(UTC)
    lease = store.claim("verify", "ann-00", now=now)
    assert lease is not None
    store.submit(lease.slot_id, "ann-00", Submission("accept"), now=now)


def _change_shard(folder: Path) -> None:
    """Write a shard's verdicts anew with one more drop, as a run does after a curator's decision."""
    table = StageTable(Workspace(folder), "quality.judge")
    marker = table.current()[0]
    rows = table.read(marker, "outcomes")
    assert rows is not None
    changed = rows.to_pylist()
    kept = next(row for row in changed if row["verdict"] == "keep")
    kept |= {"verdict": "drop", "reason": "by_hand"}
    verdicts = VerdictCounts.of(((row["verdict"], row["reason"]) for row in changed), {})
    table.write(
        marker.shard, tables={"outcomes": (changed, outcome_schema({}))}, fingerprint="", config="", effect="",
        counts=verdicts.to_json(),
    )  # fmt: skip
    table.publish(table.marked(), {"step": "quality.judge"})


def _timed(act: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    value = act()
    return time.perf_counter() - started, value


def _timed_after(index: ItemIndex, change: Callable[[], None]) -> tuple[float, Any]:
    change()
    return _timed(index.refresh)


def _spread(index: ItemIndex, query: ItemQuery, times: int) -> list[float]:
    def ask() -> None:
        index.refresh()
        index.reading(lambda connection: search(connection, query))

    return [_timed(ask)[0] for _ in range(times)]


def _quantiles(seconds: list[float]) -> dict[str, float]:
    p50, p95 = np.percentile(seconds, [50, 95])
    return {"p50": round(1000 * p50, 1), "p95": round(1000 * p95, 1), "n": len(seconds)}


def _peak_mb() -> int:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "linux" else 1 << 20))


if __name__ == "__main__":
    main()
