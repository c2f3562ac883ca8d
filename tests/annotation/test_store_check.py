"""Changed rows of the review store are named, on SQLite and PostgreSQL alike."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.campaigns.adjudications import add_adjudication
from benchwright.annotation.store.campaigns.guidelines import GuidelinePicture, Guidelines
from benchwright.annotation.store.campaigns.overrides import OverrideStore
from benchwright.annotation.store.campaigns.revisions import add_revision
from benchwright.annotation.store.campaigns.tasks import find_campaign, list_tasks
from benchwright.annotation.store.check import row_problems, store_problems
from benchwright.annotation.store.database.audit import record
from benchwright.annotation.store.database.connection import WRITING, connect
from benchwright.annotation.store.database.schema import audit_log
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.store.submissions.comments import add_remark
from benchwright.overrides import Override
from benchwright.records import Item

pytestmark = [pytest.mark.both_databases, pytest.mark.slow]

FORM = CampaignForm(decisions=["accept", "reject"], reasons=["unclear"])


@pytest.fixture
def reviewed(store: ReviewStore, make_items: Callable[..., list[Item]], now: datetime) -> ReviewStore:
    """Return a store in which two people decided, one commented and an adjudicator ruled."""
    store.upsert_campaign(
        "verify", kind="verify", rule="unanimous(2)", slots_per_task=2, form=FORM, settings={"gold": 1}, seed=1
    )
    items = make_items(jigsaw=3)
    store.upsert_tasks("verify", [TaskInput(i.item_id, i.content_hash, i.model_dump(mode="json")) for i in items])
    for name in ("ann", "ben", "cas"):
        store.upsert_annotator(name)
    for name in ("ann", "ben"):
        lease = store.claim("verify", name, now=now)
        assert lease is not None
        store.submit(lease.slot_id, name, Submission("accept"), now=now)
    with store.writing() as connection:
        add_remark(connection, 1, "ann", "too dark", is_flag=False, now=now)
        add_adjudication(connection, 2, "cas", Submission("accept", note="fine"), now=now)
        campaign = find_campaign(connection, "verify")
        [before] = [task for task in list_tasks(connection, campaign, states=("open",)) if task.id == 3]
        edited = Item.model_validate({**before.payload, "question": "Which piece is missing?"})
        work = TaskInput(edited.item_id, edited.content_hash, edited.model_dump(mode="json"))
        edits = {"question": "Which piece is missing?"}
        assert add_revision(connection, campaign, before, work, edits=edits, annotator="ann", now=now)
    Guidelines(store).set("verify", "Accept what is right.", [GuidelinePicture(b"a picture", "image/png")])
    accounts = Accounts(store)
    for name in ("ann", "ben"):
        accounts.add(name, "annotator", now=now)
    accounts.set_role("ann", "curator")
    accounts.set_password("ann", "a hash")
    accounts.disable("ben")
    decided = Override("quality", "record", "root", "keep", "blurred", "0f", "ann", "it is sharp")
    OverrideStore(store).decide([decided], now=now)
    return store


def _logged_as_before(url: str) -> None:
    """Rewrite the log like programs that kept less in it."""
    with open_store(url) as store, store.writing() as connection:
        rows = connection.execute(sa.select(audit_log).order_by(audit_log.c.id)).all()
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("DROP TRIGGER audit_log_no_change ON audit_log")
        else:
            connection.exec_driver_sql("DROP TRIGGER audit_log_no_delete")
        connection.execute(sa.delete(audit_log))
        for row in rows:
            about = json.loads(row.about)
            for name in _KEPT_LATER.get(row.act, ()):
                del about[name]
            if row.act != "guidelines_written":
                record(connection, row.act, actor=row.actor, at=row.at, **about)


_KEPT_LATER = {
    "campaign_opened": ("slots", "seed"), "tasks_changed": ("after", "up_to", "said"), "revised": ("said",), "password_set": ("said",), "overridden": ("said",),
}  # fmt: skip


def _tamper(url: str, statement: str) -> int:
    """Change rows with the database's own rights, without its triggers."""
    engine = connect(url)
    with engine.connect().execution_options(**{WRITING: True}) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            for table in ("adjudications", "revisions", "overrides"):
                connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {table}_no_change ON {table}")
        else:
            for table in ("adjudications", "revisions", "overrides"):
                connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {table}_no_update")
        changed = connection.execute(sa.text(statement)).rowcount
    engine.dispose()
    return changed


def test_a_store_as_it_was_written_has_no_problems(reviewed: ReviewStore) -> None:
    assert list(row_problems(reviewed)) == []


def test_a_store_whose_log_keeps_less_has_no_problems(reviewed: ReviewStore, store_url: str) -> None:
    _logged_as_before(store_url)
    assert reviewed.audited().broken is None
    assert list(row_problems(reviewed)) == []
    assert _tamper(store_url, "UPDATE accounts SET role = 'adjudicator' WHERE role = 'curator'") == 1
    assert [problem.path for problem in row_problems(reviewed)] == ["table accounts, row 1"]


@pytest.mark.parametrize(
    ("statement", "path"),
    [
        ("UPDATE tasks SET payload = replace(payload, 'piece', 'niece') WHERE id = 2", "table tasks, row 2"),
        ("UPDATE tasks SET payload = replace(payload, 'choices', 'chomces') WHERE id = 3", "table tasks, row 3"),
        ("UPDATE tasks SET payload = replace(payload, '000000', '000001') WHERE id = 3", "table tasks"),
        ("UPDATE tasks SET item_task = 'jigsew' WHERE id = 1", "table tasks, row 1"),
        (
            "UPDATE slots SET decision = 'reject' WHERE decision = 'accept' AND id = {accepted}",
            "table slots, row {accepted}",
        ),
        ("UPDATE tasks SET is_begun = NOT is_begun WHERE id = 2", "table tasks, row 2"),
        ("UPDATE campaigns SET form = replace(form, 'unclear', 'unklear')", "table campaigns, row 1"),
        ("UPDATE campaigns SET rule = 'unanimous(3)'", "table campaigns, row 1"),
        ("UPDATE remarks SET words = 'too dork'", "table remarks"),
        ("UPDATE adjudications SET note = 'fime'", "table adjudications"),
        ("UPDATE adjudications SET decided_at = '2026-03-02 12:00:00.000000'", "table adjudications"),
        ("UPDATE revisions SET edits = replace(edits, 'piece', 'niece')", "table revisions"),
        ("UPDATE revisions SET revised_from = 2", "table revisions"),
        ("UPDATE overrides SET reason = 'blurry'", "table overrides"),
        ("UPDATE overrides SET against = '1f'", "table overrides"),
        ("UPDATE guidelines SET text = 'Accept what is bright.'", "table guidelines, row 1"),
        ("UPDATE guideline_pictures SET body = replace(body, 'Y', 'Z')", "table guidelines, row 1"),
        ("UPDATE accounts SET role = 'adjudicator' WHERE role = 'curator'", "table accounts, row 1"),
        ("UPDATE accounts SET password_hash = 'a hasi' WHERE password_hash = 'a hash'", "table accounts, row 1"),
        ("UPDATE accounts SET is_disabled = NOT is_disabled WHERE id = 2", "table accounts, row 2"),
        ("UPDATE accounts SET created_at = '2026-03-02 12:00:00.000000' WHERE id = 2", "table accounts, row 2"),
        ("UPDATE campaigns SET seed = '3'", "table campaigns, row 1"),
    ],
)
def test_a_changed_row_is_named(reviewed: ReviewStore, store_url: str, statement: str, path: str) -> None:
    with reviewed.reading() as connection:
        accepted = connection.execute(sa.text("SELECT min(id) FROM slots WHERE decision = 'accept'")).scalar_one()
    assert _tamper(store_url, statement.format(accepted=accepted)) == 1
    assert [problem.path for problem in row_problems(reviewed)] == [path.format(accepted=accepted)]


def test_a_changed_trigger_is_named(tmp_path: Path) -> None:
    path = tmp_path / "review.sqlite"
    with open_store(f"sqlite:///{path}"):
        pass
    assert list(store_problems(tmp_path)) == []
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'BEFORE', 'AFTER ') WHERE type = 'trigger'")
        connection.commit()
    [problem] = store_problems(tmp_path)
    assert problem.path == "review.sqlite, table sqlite_master"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'ever', cast(x'ff766572' AS TEXT))")
        connection.commit()
    assert "review.sqlite, table sqlite_master" in [problem.path for problem in store_problems(tmp_path)]


def test_a_file_of_an_older_program_states_no_definitions(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path / 'review.sqlite'}"):
        pass
    with closing(sqlite3.connect(tmp_path / "review.sqlite")) as connection:
        connection.execute("DROP TRIGGER annotations_no_delete")
        connection.execute("PRAGMA user_version = 0")
    assert list(store_problems(tmp_path)) == []
