"""The audit log: a chained row for each act; a change made behind its back is found by its row."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from benchwright.annotation.cli.audit import audit
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.database.audit import hash_of_row
from benchwright.annotation.store.database.connection import WRITING, connect
from benchwright.annotation.store.database.schema import audit_log
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.cli.main import invoke

pytestmark = pytest.mark.both_databases

Open = Callable[..., ReviewStore]
Tamper = Callable[..., None]


@pytest.fixture
def tamper(store_url: str) -> Iterator[Tamper]:
    """Return a function that changes the store with the database's own rights, without its triggers."""
    engine = connect(store_url)

    def changed(*statements: str) -> None:
        with engine.connect().execution_options(**{WRITING: True}) as connection, connection.begin():
            _drop_triggers(connection)
            for statement in statements:
                connection.exec_driver_sql(statement)

    yield changed
    engine.dispose()


def _drop_triggers(connection: sa.Connection) -> None:
    if connection.dialect.name == "postgresql":
        for table in ("audit_log", "annotations"):
            connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {table}_no_change ON {table}")
        return
    for table in ("audit_log", "annotations"):
        for verb in ("update", "delete"):
            connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {table}_no_{verb}")


def rows(store: ReviewStore) -> list[tuple[str, str]]:
    with store.reading() as connection:
        return [(row.actor, row.act) for row in connection.execute(sa.select(audit_log).order_by(audit_log.c.id))]


@pytest.fixture
def busy(open_campaign: Open, now: datetime) -> ReviewStore:
    """Return a store in which two people have decided three tasks, one of them twice."""
    store = open_campaign(tasks=3)
    for name in ("ann", "ben"):
        for _ in range(3):
            lease = store.claim("verify", name, now=now)
            assert lease is not None
            store.submit(lease.slot_id, name, Submission("accept"), now=now)
    store.submit(lease.slot_id, "ben", Submission("reject", note="größer"), now=now, amend=True)
    return store


def test_what_people_do_is_in_the_log_in_order_and_the_log_verifies(busy: ReviewStore, now: datetime) -> None:
    found = busy.audited()
    assert found.to_json() == {"ok": True, "rows": 15, "head": found.head, "decisions": 7, "broken": None}
    said = rows(busy)
    assert said[:2] == [("(command line)", "campaign_opened"), ("(command line)", "tasks_changed")]
    assert said[2:4] == [("ann", "handed_out"), ("ann", "decided")]
    assert said[-1] == ("ben", "changed")


def test_leases_that_end_and_tasks_given_back_are_in_the_log(open_campaign: Open, now: datetime) -> None:
    store = open_campaign(tasks=2)
    lease = store.claim("verify", "ann", now=now, lease_s=60)
    assert lease is not None
    store.claim("verify", "ben", now=now + timedelta(seconds=60))
    again = store.claim("verify", "ann", now=now + timedelta(seconds=61))
    assert again is not None
    store.release(again.slot_id, "ann", now=now)
    assert [act for _, act in rows(store)[2:]] == [
        "handed_out",
        "lease_ended",
        "handed_out",
        "handed_out",
        "given_back",
    ]
    store.claim("verify", "ben", now=now + timedelta(seconds=70))
    assert len(rows(store)) == 7, "a lease that begins anew is no hand-out"


def test_accounts_and_sessions_leave_rows_with_who_changed_whom(store: ReviewStore, now: datetime) -> None:
    accounts = Accounts(store, by="cur")
    accounts.add("ann", "annotator", now=now)
    accounts.invite("ann", now=now)
    accounts.set_password("ann", "a hash")
    accounts.set_role("ann", "curator")
    accounts.add("ben", "annotator", now=now)
    accounts.disable("ben")
    accounts.disable("ben", disabled=False)
    token = accounts.open_session("ann", now=now)
    accounts.end_session(token)
    accounts.note_refused("ann", address="192.0.2.1", now=now)
    assert rows(store) == [
        ("cur", "account_added"), ("cur", "invited"), ("cur", "password_set"), ("cur", "role_changed"),
        ("cur", "account_added"), ("cur", "locked"), ("cur", "unlocked"), ("ann", "signed_in"), ("ann", "signed_out"),
        ("(stranger)", "sign_in_refused"),
    ]  # fmt: skip
    assert store.audited().broken is None
    with store.reading() as connection:
        kept = " ".join(connection.execute(sa.select(audit_log.c.about)).scalars())
    assert token not in kept
    assert "a hash" not in kept


@pytest.mark.parametrize("statement", ["UPDATE audit_log SET actor = 'ben'", "DELETE FROM audit_log"])
def test_the_database_itself_keeps_the_log_from_being_changed(
    busy: ReviewStore, statement: str, store_url: str
) -> None:
    engine = connect(store_url)
    with engine.connect() as connection, pytest.raises(sa.exc.DatabaseError, match="only ever added to"):
        connection.execute(sa.text(statement))
    engine.dispose()


@pytest.mark.parametrize(
    ("statements", "row", "why"),
    [
        pytest.param(["UPDATE audit_log SET actor = 'ben' WHERE id = 4"], 4, "it was changed", id="actor"),
        pytest.param(["UPDATE audit_log SET act = 'changed' WHERE id = 6"], 6, "it was changed", id="act"),
        pytest.param(
            ["UPDATE audit_log SET at = '2026-03-01 12:00:01.000000' WHERE id = 3"], 3, "it was changed", id="moment"
        ),
        pytest.param(["UPDATE audit_log SET about = '{}' WHERE id = 5"], 5, "it was changed", id="about"),
        pytest.param(["UPDATE audit_log SET previous = hash WHERE id = 7"], 7, "row before", id="link"),
        pytest.param(["DELETE FROM audit_log WHERE id = 5"], 5, "row 5 is missing", id="removed"),
        pytest.param(["DELETE FROM audit_log WHERE id < 4"], 1, "row 1 is missing", id="beginning removed"),
        pytest.param(
            ["DELETE FROM audit_log WHERE id = 5", "UPDATE audit_log SET id = id - 1 WHERE id > 5"], 5, "row before",
            id="removed and closed up",
        ),
        pytest.param(
            ["UPDATE audit_log SET id = 99 WHERE id = 8", "UPDATE audit_log SET id = 8 WHERE id = 9",
             "UPDATE audit_log SET id = 9 WHERE id = 99"], 8, "row before", id="two in another order",
        ),
        pytest.param(
            ["INSERT INTO audit_log SELECT 0, at, actor, act, about, previous, hash FROM audit_log WHERE id = 3"],
            0, "row 0 was inserted", id="inserted",
        ),
    ],
)  # fmt: skip
def test_a_log_that_was_tampered_with_is_broken_at_the_first_such_row(
    busy: ReviewStore, tamper: Tamper, statements: list[str], row: int, why: str
) -> None:
    tamper(*statements)
    broken = busy.audited().broken
    assert broken is not None
    assert broken.row == row
    assert why in broken.why


def test_a_row_hashed_anew_breaks_the_chain_at_the_next(busy: ReviewStore, tamper: Tamper) -> None:
    with busy.reading() as connection:
        row = dict(connection.execute(sa.select(audit_log).where(audit_log.c.id == 6)).mappings().one())
    row["actor"] = "cas"
    tamper(f"UPDATE audit_log SET actor = 'cas', hash = '{hash_of_row(row)}' WHERE id = 6")
    broken = busy.audited().broken
    assert broken is not None
    assert (broken.row, broken.why) == (7, "it does not follow from the row before")


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        pytest.param("UPDATE annotations SET decision = 'reject' WHERE id = 2", "slot {}", id="decision"),
        pytest.param("UPDATE annotations SET note = 'hm' WHERE id = 7", "version 2", id="note"),
        pytest.param("DELETE FROM annotations WHERE id = 7", "is gone", id="removed"),
        pytest.param(
            "UPDATE slots SET annotator_id = 3 WHERE id = (SELECT slot_id FROM annotations WHERE id = 1)",
            "has changed since it was logged", id="another's",
        ),
        pytest.param(
            "INSERT INTO annotations (id, slot_id, version, decision, reasons, started_at, submitted_at) SELECT 50, "
            "slot_id, 9, 'reject', '[]', started_at, submitted_at FROM annotations WHERE id = 1",
            "version 9 of the decision in slot {} is not in the log", id="added",
        ),
    ],
)  # fmt: skip
def test_a_decision_changed_behind_the_logs_back_is_found(
    busy: ReviewStore, tamper: Tamper, statement: str, why: str
) -> None:
    tamper(statement)
    broken = busy.audited().broken
    assert broken is not None
    assert why.partition("{}")[0] in broken.why
    assert (broken.row is None) == ("not in the log" in why)


def test_an_end_cut_off_is_found_by_the_decisions_it_told_of_and_by_the_hash_kept_elsewhere(
    busy: ReviewStore, tamper: Tamper
) -> None:
    head = busy.audited().head
    busy.upsert_tasks("verify", [TaskInput("another", "content", {})])
    assert busy.audited(expect=head).broken is None
    tamper("DELETE FROM audit_log WHERE id > 15")
    assert busy.audited(expect=head).broken is None, "nothing that the hash speaks for is gone"
    tamper("DELETE FROM audit_log WHERE id > 14")
    broken = busy.audited().broken
    assert broken is not None
    assert "version 2 of the decision" in broken.why
    broken = busy.audited(expect=head).broken
    assert broken is not None
    assert "rows were cut off" in broken.why


def test_what_simulated_annotators_say_is_nobodys_act(store: ReviewStore, now: datetime) -> None:
    store.upsert_campaign(
        "verify", kind="verify", rule="single", slots_per_task=1, form=CampaignForm(decisions=["accept"]), settings={}, seed=1,
        is_simulated=True,
    )  # fmt: skip
    store.upsert_annotator("simulated-1", kind="simulated")
    store.upsert_tasks("verify", [TaskInput("item", "content", {})])
    lease = store.claim("verify", "simulated-1", now=now)
    assert lease is not None
    store.submit(lease.slot_id, "simulated-1", Submission("accept"), now=now)
    assert store.audited().to_json() == {"ok": True, "rows": 0, "head": None, "decisions": 0, "broken": None}


def test_the_command_names_the_first_broken_row_and_ends_with_one(tmp_path: Path, now: datetime) -> None:
    url = f"sqlite:///{tmp_path / 'review.sqlite'}"
    with open_store(url) as store:
        Accounts(store).add("ann", "annotator", now=now)
        Accounts(store).set_role("ann", "curator")
    done = CliRunner().invoke(audit, ["--workspace", str(tmp_path), "--json"])
    document = json.loads(done.stdout)
    assert (document["ok"], document["rows"], document["broken"]) == (True, 2, None)
    kept = ["--workspace", str(tmp_path), "--expect", document["head"]]
    assert CliRunner().invoke(audit, kept, standalone_mode=False).return_value == 0
    engine = connect(url)
    with engine.connect().execution_options(**{WRITING: True}) as connection, connection.begin():
        _drop_triggers(connection)
        connection.exec_driver_sql("UPDATE audit_log SET about = replace(about, 'curator', 'annotator') WHERE id = 2")
    engine.dispose()
    done = CliRunner().invoke(audit, kept, standalone_mode=False)
    assert done.return_value == 1
    assert "is broken at row 2 of 2: it was changed" in done.stdout


def test_rows_of_two_processes_and_of_what_was_undone_make_one_chain(store: ReviewStore, store_url: str) -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    with open_store(store_url) as other:
        for number in range(3):
            store.record("here", actor="ann", now=at, number=number)
            store.record("here", actor="ann", now=at, number=number)
            other.record("there", actor="ben", now=at, number=number)
        with suppress(ZeroDivisionError), store.batch() as held:
            held.record("undone", actor="ann", now=at)
            raise ZeroDivisionError
        store.record("after", actor="ann", now=at)
        other.record("after", actor="ben", now=at)
    assert rows(store) == [("ann", "here"), ("ann", "here"), ("ben", "there")] * 3 + [
        ("ann", "after"),
        ("ben", "after"),
    ]
    assert store.audited().broken is None


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("statement", "row"),
    [
        pytest.param("UPDATE audit_log SET about = X'FF00' WHERE id = 5", 5, id="bytes for text"),
        pytest.param("UPDATE audit_log SET about = CAST(X'FFFE' AS TEXT) WHERE id = 6", None, id="no UTF-8"),
        pytest.param("UPDATE audit_log SET at = 'yesterday' WHERE id = 4", 4, id="no moment"),
        pytest.param("UPDATE annotations SET submitted_at = 'soon' WHERE id = 3", None, id="a decision's moment"),
        pytest.param("UPDATE annotations SET note = X'00FF' WHERE id = 2", None, id="a decision's note"),
    ],
)
def test_a_row_that_cannot_be_read_is_where_the_log_breaks(
    busy: ReviewStore, tamper: Tamper, statement: str, row: int | None
) -> None:
    tamper("PRAGMA ignore_check_constraints = ON", statement)
    broken = busy.audited().broken
    assert broken is not None
    assert broken.row == row
    assert len(broken.why.splitlines()) == 1


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_an_audit_of_a_file_that_is_damaged_is_one_line(
    busy: ReviewStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    busy.close()
    path = tmp_path / "review.sqlite"
    data = bytearray(path.read_bytes())
    data[4096 : len(data)] = b"\xa5" * (len(data) - 4096)  # all but the page that says what tables there are
    path.write_bytes(data)
    (tmp_path / "workspace.json").write_text('{"format": "benchwright/workspace", "version": 1}', encoding="utf-8")
    code = invoke(["review", "audit", "--workspace", str(tmp_path)])
    [line] = capsys.readouterr().err.strip().splitlines()
    assert code == 2
    assert "review.sqlite" in line
    assert "damaged" in line
