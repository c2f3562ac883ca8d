"""Rows of the review store that are not as they were written are named, on SQLite and PostgreSQL alike."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest
import sqlalchemy as sa

from benchwright.annotation.store import ReviewStore, Work
from benchwright.annotation.store.adjudicating import add_adjudication
from benchwright.annotation.store.connection import WRITING, connect
from benchwright.annotation.store.remarks import add_remark
from benchwright.annotation.store_check import row_problems
from benchwright.records import Item

FORM = {"decisions": ["accept", "reject"], "reasons": ["unclear"]}


@pytest.fixture
def reviewed(store: ReviewStore, make_items: Callable[..., list[Item]], now: datetime) -> ReviewStore:
    """Return a store in which two people decided, one commented and an adjudicator ruled."""
    store.upsert_campaign(
        "verify", kind="verify", rule="unanimous(2)", slots_per_task=2, form=FORM, settings={"gold": 1}, seed=1
    )
    items = make_items(jigsaw=3)
    store.upsert_tasks("verify", [Work(i.item_id, i.content_hash, i.model_dump(mode="json")) for i in items])
    for name in ("ann", "ben", "cas"):
        store.upsert_annotator(name)
    for name in ("ann", "ben"):
        lease = store.claim("verify", name, now=now)
        assert lease is not None
        store.submit(lease.slot_id, name, "accept", now=now)
    with store.writing() as connection:
        add_remark(connection, 1, "ann", "too dark", is_flag=False, now=now)
        add_adjudication(connection, 2, "cas", "accept", now=now, note="fine")
    return store


def _tamper(url: str, statement: str) -> int:
    """Change rows with the database's own rights: its triggers are out of the way."""
    engine = connect(url)
    with engine.connect().execution_options(**{WRITING: True}) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("DROP TRIGGER IF EXISTS adjudications_no_change ON adjudications")
        else:
            connection.exec_driver_sql("DROP TRIGGER IF EXISTS adjudications_no_update")
        changed = connection.execute(sa.text(statement)).rowcount
    engine.dispose()
    return changed


def test_a_store_as_it_was_written_has_no_problems(reviewed: ReviewStore) -> None:
    assert list(row_problems(reviewed)) == []


@pytest.mark.parametrize(
    ("statement", "path"),
    [
        ("UPDATE tasks SET payload = replace(payload, 'piece', 'niece') WHERE id = 2", "table tasks, row 2"),
        ("UPDATE tasks SET payload = replace(payload, 'choices', 'chomces') WHERE id = 3", "table tasks, row 3"),
        ("UPDATE tasks SET item_task = 'jigsew' WHERE id = 1", "table tasks, row 1"),
        ("UPDATE slots SET decision = 'reject' WHERE decision = 'accept' AND id = 1", "table slots, row 1"),
        ("UPDATE campaigns SET form = replace(form, 'unclear', 'unklear')", "table campaigns, row 1"),
        ("UPDATE campaigns SET rule = 'unanimous(3)'", "table campaigns, row 1"),
        ("UPDATE remarks SET words = 'too dork'", "table remarks"),
        ("UPDATE adjudications SET note = 'fime'", "table adjudications"),
    ],
)
def test_a_changed_row_is_named(reviewed: ReviewStore, store_url: str, statement: str, path: str) -> None:
    assert _tamper(store_url, statement) == 1
    assert [problem.path for problem in row_problems(reviewed)] == [path]
