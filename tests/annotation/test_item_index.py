"""The index of all items: its search, its updates after run and store, and its reconstruction after a loss."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.items.index_file import FILE_NAME
from benchwright.annotation.items.item_index import ItemIndex
from benchwright.annotation.items.item_search import (
    FoundRecord,
    ItemQuery,
    MeasureRange,
    has_hashes,
    measures,
    options,
    search,
)
from benchwright.annotation.store.campaigns.overrides import OverrideStore
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.overrides import Override

from .curated import RECIPE, START, decide, make_place, run

pytestmark = pytest.mark.slow


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return make_place(tmp_path)


@pytest.fixture
def store(place: Path) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{place / 'workspace' / 'review.sqlite'}") as opened:
        yield opened


@pytest.fixture
def index(place: Path, store: ReviewStore) -> ItemIndex:
    return ItemIndex(place / "workspace", store)


def hits(index: ItemIndex, **query: Any) -> list[FoundRecord]:
    """Return all results of a query, after a refresh like the page's."""
    index.refresh()
    page = index.reading(lambda connection: search(connection, ItemQuery(**query), page_size=1000))
    assert page.total == len(page.records)
    return page.records


def ids(index: ItemIndex, **query: Any) -> set[str]:
    return {record.record_id for record in hits(index, **query)}


_ID = "(SELECT record_id FROM records WHERE records.number = {})"
_NAME = "(SELECT kind || ':' || value FROM names WHERE id = name)"
_HELD = {
    "reviews": f"SELECT {_ID.format('reviews.number')}, rank, state, reason, campaign, decisions, divided, doubt, active_at FROM reviews",
    "records": "SELECT record_id, stream, shard, root_image_id, name, task, question, run_state, run_reason, run_stage, "
    "has_run_override, revision, phash, pictures FROM records",
    "pictures": f"SELECT {_ID.format('pictures.number')}, place, image_id, marks FROM pictures",
    "facets": f"SELECT {_ID.format('facets.number')}, {_NAME} FROM facets",
    "measures": f"SELECT {_ID.format('measures.number')}, {_NAME}, value FROM measures",
    "texts": f"SELECT {_ID.format('texts.rowid >> 1')}, rowid & 1, words FROM texts",
}  # fmt: skip
"""All that the index holds, without the numbers that it gave its rows."""


def everything(index: ItemIndex) -> dict[str, Any]:
    """Return the content of the index, after a refresh."""
    index.refresh()
    return index.reading(lambda file: {kind: sorted(file.execute(query), key=repr) for kind, query in _HELD.items()})


def afresh(place: Path, store: ReviewStore) -> dict[str, Any]:
    """Return the content of a newly built index."""
    shutil.rmtree(place / "workspace" / "cache" / "other", ignore_errors=True)
    index = ItemIndex(place / "workspace", store)
    index._file.path = place / "workspace" / "cache" / "other" / FILE_NAME
    return everything(index)


def test_all_images_and_items_are_found_kept_or_dropped_before_anybody_decides(index: ItemIndex) -> None:
    records = hits(index)
    assert {record.stream for record in records} == {"images", "items"}
    images = {record.name: record for record in records if record.stream == "images"}
    assert len(images) == 9  # the tenth file has equal bytes as one of them
    dropped = {name: record.reason for name, record in images.items() if record.state == "dropped"}
    assert "near_duplicate" in dropped.values()
    assert "too_small" in dropped.values()
    items = [record for record in records if record.stream == "items"]
    assert items[0] == records[0]  # items come before images
    assert {(record.state, record.campaign, record.pictures) for record in items} == {("waiting", "verify", 3)}
    assert ids(index, state="waiting") == {record.record_id for record in items}
    assert ids(index, step="quality") == {r.record_id for r in images.values() if r.reason == "too_small"}


def test_items_are_found_before_any_campaign_is_opened(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    shutil.rmtree(place / "workspace")
    head, _, _ = RECIPE.partition("  - step: verify")
    run(place, head)
    with open_store(f"sqlite:///{place / 'workspace' / 'review.sqlite'}") as store:
        records = hits(ItemIndex(place / "workspace", store), stream="items")
    assert {(record.state, record.campaign, record.task) for record in records} == {("kept", "", "jigsaw")}


def test_states_reasons_annotators_and_disagreement_follow_what_people_say(
    store: ReviewStore, index: ItemIndex
) -> None:
    accepted, rejected, divided, begun = (
        [decide(store, place, "ann", first), second and decide(store, place, "ben", second)][0]
        for place, (first, second) in enumerate([("accept", "accept"), ("reject", "reject"), ("accept", "reject"), ("reject", "")])
    )  # fmt: skip
    assert ids(index, state="accepted") == {accepted}
    assert ids(index, state="rejected") == {rejected, divided}
    assert ids(index, reason="no_agreement") == {divided}
    assert ids(index, state="divided") == {divided}
    assert ids(index, state="in_review") == {begun}
    assert ids(index, reason="unclear") == {rejected, divided, begun}
    assert ids(index, annotator="ben") == {accepted, rejected, divided}
    assert ids(index, annotator="ben", reason="unclear", campaign="verify") == {rejected, divided}
    assert hits(index, sort="divided")[0].record_id == divided
    assert [record.record_id for record in hits(index, sort="doubt")[:2]] == [divided, begun]
    assert hits(index)[0].record_id == begun  # the latest decision first
    assert [record.divided for record in hits(index, state="divided")] == [0.5]


@pytest.mark.parametrize(
    ("words", "is_found"),
    [
        pytest.param("corner completes", True, id="question"),
        pytest.param("CORNER", True, id="letters of any size"),
        pytest.param("corn", True, id="beginning"),
        pytest.param("naivete", True, id="note without its accents"),
        pytest.param("corner naïveté", True, id="question and note"),
        pytest.param("wrong answer", False, id="reason that nobody gave"),
        pytest.param("unclear", True, id="reason"),
        pytest.param('corner" OR "x', False, id="operators are words"),
        pytest.param("corner NEAR(", False, id="functions are words"),
        pytest.param("*", False, id="no word at all"),
        pytest.param("_", False, id="a word without letters"),
        pytest.param("'; DROP TABLE records; --", False, id="statements are words"),
    ],
)
def test_words_are_looked_for_in_questions_notes_and_reasons(
    store: ReviewStore, index: ItemIndex, words: str, is_found: bool
) -> None:
    item = decide(store, 0, "ann", "reject", note="What naïveté!")
    assert (item in ids(index, words=words)) == is_found
    assert hits(index, stream="images")  # nothing was lost


def test_an_item_is_found_by_the_beginning_of_its_id_and_an_image_by_its_path(index: ItemIndex) -> None:
    item = hits(index, stream="items")[0].record_id
    assert ids(index, words=item[:8]) == {item}
    assert {record.name for record in hits(index, words="zz copy")} == {"zz-copy.png"}


def test_a_range_of_a_measure_bounds_what_is_found_and_sorts_it(index: ItemIndex) -> None:
    index.refresh()
    ranges = index.reading(measures)
    least, most, count = ranges["quality.short_px"]
    assert ranges["quality.short_px"] == MeasureRange(least, most, count)
    records = hits(index, measure="quality.short_px", least=least + 1, most=most, sort="measure")
    values = [record.value for record in records]
    assert values == sorted(value for value in values if value is not None)
    most_first = hits(index, measure="quality.short_px", least=least + 1, most=most, sort="measure_most")
    assert [record.value for record in most_first] == values[::-1]
    assert min(value for value in values if value is not None) > least
    assert len(records) < count
    assert "near_duplicates.hashes.phash" not in ranges


def test_what_looks_alike_is_found_nearest_first(index: ItemIndex) -> None:
    index.refresh()
    assert index.reading(has_hashes)
    copy = next(record for record in hits(index) if record.name == "zz-copy.png")
    alike = hits(index, like=copy.record_id)
    assert alike[0].value == 0
    assert [record.value for record in alike] == sorted(record.value or 0 for record in alike)
    assert {record.name for record in alike if record.stream == "images"} >= {"zz-copy.png", "piece-04.jpg"}
    assert len(alike) < len(hits(index))
    assert hits(index, like="hash-0123456789abcdef") == []
    assert hits(index, like="no such record") == []


def test_step_by_step_the_index_becomes_what_it_would_be_if_it_were_built_anew(
    place: Path, store: ReviewStore, index: ItemIndex
) -> None:
    """Decisions, a revision, a flag and its end, overrides and their undoing, and the run's next step."""
    now = START + timedelta(days=1)
    queue = TaskQueue(store, store.campaign("verify"), "ann")

    def check(records: int | None = None) -> None:
        refreshed = index.refresh()
        assert records is None or refreshed.records == records
        assert everything(index) == afresh(place, store)

    check()
    for number in range(len(store.tasks("verify"))):
        for name in ("ann", "ben"):
            decide(
                store, number, name, "reject" if (number, name) in {(1, "ann"), (1, "ben"), (2, "ben")} else "accept"
            )
    check()
    decide_again = store.tasks("verify", states=("done",))[0]
    queue.remark(decide_again.id, "Look at this", is_flag=True, now=now)
    check(1)
    assert ids(index, state="flagged") == {decide_again.item_id}
    [remark] = store.remarks("verify")
    store.settle_remark("verify", remark.id, by="cur", now=now)
    check(1)
    assert ids(index, state="flagged") == set()
    small = next(record for record in hits(index) if record.reason == "too_small")
    store.upsert_annotator("cur")
    override = Override("quality.judge", small.record_id, small.record_id, "keep", "too_small", None, "cur", "fine")
    OverrideStore(store).decide([override], now=now)
    check(1)
    assert ids(index, state="overridden") == ids(index, state="pending") == {small.record_id}
    run(place)
    check()
    assert small.record_id in ids(index, state="overridden")
    assert ids(index, state="pending") == set()
    assert ids(index, state="kept") >= {small.record_id}
    OverrideStore(store).undo([override], by="cur", why="", now=now)
    check(1)
    assert ids(index, state="pending") == {small.record_id}
    run(place)
    check()
    assert small.record_id in ids(index, state="dropped")


def test_a_revised_item_is_found_by_its_new_words_at_once(store: ReviewStore, index: ItemIndex) -> None:
    item = hits(index, stream="items", sort="activity")[0].record_id
    task = next(task for task in store.tasks("verify") if task.item_id == item)
    for name in ("ann", "ben"):
        store.upsert_annotator(name)
        queue = TaskQueue(store, store.campaign("verify"), name)
        own = queue.open(store.claim("verify", name, now=START, task=task.id).task_id, now=START)  # type: ignore[union-attr]
        edits = {"question": "Which zebra belongs <image 2>?"}
        queue.submit(own.slot_id, Submission("revise", edits=edits), now=START)
    assert ids(index, words="zebra") == {item}
    assert ids(index, state="revised") == {item}
    assert ids(index, state="in_review") == {item}


def test_nothing_is_read_again_while_nothing_changes_and_one_decision_reads_one_item(
    store: ReviewStore, index: ItemIndex
) -> None:
    hits(index)
    statements: list[str] = []
    sa.event.listen(store._engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    assert index.refresh() == (index.refresh().generation, 0, 0)
    assert len([text for text in statements if text.startswith("SELECT")]) == 2
    decide(store, 0, "ann", "accept")
    statements.clear()
    assert index.refresh()[1:] == (0, 1)
    about_decisions = [text for text in statements if "FROM annotations" in text and "max(" not in text]
    assert all("IN (" in text or "> ?" in text for text in about_decisions)


@pytest.mark.parametrize("damage", ["gone", "torn", "other"])
def test_an_index_that_is_lost_or_damaged_is_made_anew(place: Path, index: ItemIndex, damage: str) -> None:
    before = everything(index)
    path = place / "workspace" / "cache" / FILE_NAME
    for beside in path.parent.glob(f"{FILE_NAME}-*"):
        beside.unlink()
    if damage == "gone":
        path.unlink()
    elif damage == "torn":
        path.write_bytes(path.read_bytes()[:5000] + b"\xff" * 40_000)
    else:
        path.write_bytes(b"this is no database" * 400)
    assert everything(index) == before


def test_an_index_of_another_version_is_made_anew(place: Path, index: ItemIndex) -> None:
    before = everything(index)
    with sqlite3.connect(place / "workspace" / "cache" / FILE_NAME) as connection:
        connection.execute("PRAGMA user_version = 99")
        connection.execute("DROP TABLE facets")
    assert everything(index) == before


def test_several_processes_and_threads_bring_it_up_to_date_at_once(place: Path, store: ReviewStore) -> None:
    script = (
        "import sys; from pathlib import Path; from benchwright.annotation.store.review_store import open_store\n"
        "from benchwright.annotation.items.item_index import ItemIndex\n"
        "from benchwright.annotation.items.item_search import ItemQuery, search\n"
        "root = Path(sys.argv[1]); index = ItemIndex(root, open_store(f'sqlite:///{root}/review.sqlite'))\n"
        "index.refresh(); print(index.reading(lambda c: search(c, ItemQuery())).total)"
    )
    command = [sys.executable, "-c", script, str(place / "workspace")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(2)]
    index = ItemIndex(place / "workspace", store)
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda _: len(hits(index)), range(8)))
    told = {int(process.communicate(timeout=120)[0]) for process in running}
    assert told == set(counts)
    assert len(told) == 1


_TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=40)


@given(
    words=_TEXTS, campaign=_TEXTS, reason=_TEXTS, measure=_TEXTS,
    least=st.none() | st.floats(-1e6, 1e6).map(lambda value: float(f"{value:g}")),
    sort=st.sampled_from(["activity", "divided", "measure"]), page=st.integers(1, 10**6),
)  # fmt: skip
def test_a_query_goes_into_a_link_and_comes_back(**values: Any) -> None:
    query = ItemQuery(**values)
    assert ItemQuery.from_params(query.to_params()) == query


@pytest.mark.parametrize(
    "params",
    [
        {"page": "-1", "sort": "by me", "least": "nan", "most": "much", "words": "x" * 9999, "nonsense": "1"},
        {"page": "9" * 40, "least": "inf", "most": "1e999", "sort": ""},
    ],
)
def test_a_link_with_nonsense_finds_everything(params: dict[str, str]) -> None:
    assert ItemQuery.from_params(params) == ItemQuery()


def test_options_are_counted_and_pages_end_with_the_last_hit(store: ReviewStore, index: ItemIndex) -> None:
    decide(store, 0, "ann", "reject")
    records = hits(index)
    counted = index.reading(options)
    assert dict(counted["stream"]) == {
        stream: sum(record.stream == stream for record in records) for stream in ("images", "items")
    }
    assert counted["annotator"] == [("ann", 1)]
    assert ("unclear", 1) in counted["reason"]
    last = index.reading(lambda connection: search(connection, ItemQuery(page=99), page_size=4))
    assert (last.page, last.pages, last.total) == (-(-len(records) // 4), -(-len(records) // 4), len(records))
    assert [record.record_id for record in last.records] == [
        record.record_id for record in records[(last.page - 1) * 4 :]
    ]
