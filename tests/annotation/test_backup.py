"""Backups of the review store: all of it is restored, on either database, and nothing else is accepted."""

from __future__ import annotations

import json
import stat
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from benchwright.annotation.cli.backup import backup, restore
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.backup import restore_backup, write_backup
from benchwright.annotation.store.database.connection import WRITING, connect
from benchwright.annotation.store.database.migrate import REVISIONS, upgrade_within
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.errors import BenchwrightError, DataError

pytestmark = [pytest.mark.both_databases, pytest.mark.slow]

Contents = dict[str, list[tuple[object, ...]]]


@pytest.fixture
def worked(open_campaign: Callable[..., ReviewStore], now: datetime) -> ReviewStore:
    """A store with decisions in two versions, a lease, a draft's campaign and an account; hostile text in a note."""
    store = open_campaign(tasks=6)
    for name in ("ann", "ben"):
        for _ in range(3):
            lease = store.claim("verify", name, now=now)
            assert lease is not None
            store.submit(lease.slot_id, name, Submission("accept", note="\u202e<b>'\"\n\U0001f600"), now=now)
    done = store.claim("verify", "cas", now=now)
    assert done is not None
    store.submit(done.slot_id, "cas", Submission("reject", reasons=("unclear",)), now=now)
    store.submit(done.slot_id, "cas", Submission("accept"), now=now, amend=True)
    assert store.claim("verify", "cas", now=now) is not None
    with store.batch() as held:
        Accounts(held).add("dora", "curator", now=now)
    return store


def contents(url: str) -> Contents:
    engine = connect(url)
    found = sa.MetaData()
    with engine.connect() as connection:
        found.reflect(connection)
        rows = {
            table.name: [
                tuple(row) for row in connection.execute(sa.select(table).order_by(*table.primary_key.columns))
            ]
            for table in found.sorted_tables
            if table.name != "sessions"
        }
    engine.dispose()
    return rows


def test_everything_comes_back_into_another_store(worked: ReviewStore, store_url: str, tmp_path: Path) -> None:
    written = write_backup(worked, tmp_path / "all.zip")
    other = f"sqlite:///{tmp_path / 'other.sqlite'}"
    assert restore_backup(tmp_path / "all.zip", other) == written
    assert contents(other) == contents(store_url)
    assert written.rows["annotations"] == 8
    with open_store(other) as store:
        assert any(one.note is not None for one in store.decisions("verify"))


def test_a_restored_store_goes_on_where_it_was(
    worked: ReviewStore, store_url: str, tmp_path: Path, now: datetime
) -> None:
    write_backup(worked, tmp_path / "all.zip")
    other = _another(store_url, tmp_path)
    restore_backup(tmp_path / "all.zip", other)
    assert contents(other) == contents(store_url)
    with open_store(other) as store:
        store.upsert_annotator("eve")
        lease = store.claim("verify", "eve", now=now)
        assert lease is not None
        store.submit(lease.slot_id, "eve", Submission("accept"), now=now)
        assert len(store.decisions("verify")) == 8


def _another(url: str, tmp_path: Path) -> str:
    """Return the address of a missing store of the same kind."""
    if url.startswith("sqlite"):
        return f"sqlite:///{tmp_path / 'another.sqlite'}"
    return f"{url}?options=-csearch_path%3Danother"


def test_an_opened_store_that_holds_nothing_takes_a_backup(worked: ReviewStore, store_url: str, tmp_path: Path) -> None:
    write_backup(worked, tmp_path / "all.zip")
    other = _another(store_url, tmp_path)
    open_store(other).close()
    restore_backup(tmp_path / "all.zip", other)
    assert contents(other) == contents(store_url)


def test_a_backup_is_for_its_owner_only_and_holds_no_session(worked: ReviewStore, tmp_path: Path) -> None:
    write_backup(worked, tmp_path / "all.zip")
    assert stat.S_IMODE((tmp_path / "all.zip").stat().st_mode) == 0o600
    assert "sessions.jsonl" not in zipfile.ZipFile(tmp_path / "all.zip").namelist()


def test_a_backup_overwrites_no_file_and_no_store(worked: ReviewStore, store_url: str, tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    written = write_backup(worked, path)
    data = path.read_bytes()
    assert write_backup(worked, path) == written  # as after a kill at the end
    worked.upsert_annotator("who came later")
    with pytest.raises(BenchwrightError, match="exists"):
        write_backup(worked, path)
    assert path.read_bytes() == data
    before = contents(store_url)
    with pytest.raises(BenchwrightError, match="holds data already"):
        restore_backup(tmp_path / "all.zip", store_url)
    assert contents(store_url) == before


Change = Callable[[dict[str, bytes]], object]


def _manifest(parts: dict[str, bytes], **more: object) -> None:
    parts["manifest.json"] = json.dumps(json.loads(parts["manifest.json"]) | more).encode()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda parts: parts.update({"annotations.jsonl": parts["annotations.jsonl"].replace(b"reject", b"accept")}), "was changed"),
        (lambda parts: parts.update({"annotations.jsonl": b""}), "was changed"),
        (lambda parts: parts.update({"tasks.jsonl": b"[]\n"}), "other columns"),
        (lambda parts: parts.update({"tasks.jsonl": b"{\n"}), "cannot be read"),
        (lambda parts: parts.pop("tasks.jsonl"), "cannot be read"),
        (lambda parts: parts.pop("manifest.json"), "no readable manifest"),
        (lambda parts: parts.update({"manifest.json": b"[]"}), "does not state format"),
        (lambda parts: _manifest(parts, version=3), "newer Benchwright"),
        (lambda parts: _manifest(parts, revision="9999"), "newer Benchwright"),
        (lambda parts: _manifest(parts, tables={}), "other tables"),
        (lambda parts: _manifest(parts, tables={"tasks": 3}), "rows and SHA-256"),
    ],
)  # fmt: skip
def test_a_changed_backup_is_refused_and_leaves_nothing(
    worked: ReviewStore, tmp_path: Path, change: Change, message: str
) -> None:
    write_backup(worked, tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    other = f"sqlite:///{tmp_path / 'other.sqlite'}"
    with pytest.raises(DataError, match=message):
        restore_backup(tmp_path / "bad.zip", other)
    assert contents(other) == {}


def test_what_is_no_zip_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_text("nothing", encoding="utf-8")
    with pytest.raises(DataError, match="cannot be read as a backup"):
        restore_backup(tmp_path / "x.zip", f"sqlite:///{tmp_path / 'other.sqlite'}")


def test_both_commands_on_a_workspace(tmp_path: Path, now: datetime) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with open_store(f"sqlite:///{tmp_path / 'one' / 'review.sqlite'}") as store:
        store.upsert_annotator("ann")
    out = tmp_path / "all.zip"
    done = CliRunner().invoke(backup, [str(out), "--workspace", str(tmp_path / "one"), "--json"])
    assert json.loads(done.stdout)["rows"]["annotators"] == 1
    done = CliRunner().invoke(restore, [str(out), "--workspace", str(tmp_path / "two"), "--json"])
    assert json.loads(done.stdout)["rows"]["annotators"] == 1
    one, two = (contents(f"sqlite:///{tmp_path / name / 'review.sqlite'}") for name in ("one", "two"))
    for found, act in ((one, "backed_up"), (two, "restored")):
        [row] = found.pop("audit_log")
        assert row[3] == act
    assert one == two


def test_a_backup_of_an_older_version_is_brought_up_to_date(tmp_path: Path) -> None:
    engine = connect(f"sqlite:///{tmp_path / 'old.sqlite'}")
    with engine.connect().execution_options(**{WRITING: True}) as connection, connection.begin():
        upgrade_within(connection, "0001")
        connection.exec_driver_sql("INSERT INTO annotators (name, kind) VALUES ('ann', 'person')")
    with ReviewStore(engine, "old") as old:
        assert write_backup(old, tmp_path / "old.zip").revision == "0001"
    other = f"sqlite:///{tmp_path / 'other.sqlite'}"
    restore_backup(tmp_path / "old.zip", other)
    found = contents(other)
    assert found["alembic_version"] == [(REVISIONS[-1],)]
    assert found["annotators"] == [(1, "ann", "person")]
