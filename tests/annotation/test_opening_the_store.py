"""Opening a review store: made on first use, upgraded, and refused with a message if it is not ours."""

from __future__ import annotations

import logging
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from benchwright.annotation.store.accounts.accounts import Accounts, hash_of
from benchwright.annotation.store.database import migrate as migrate_module
from benchwright.annotation.store.database.all_tables import metadata
from benchwright.annotation.store.database.connection import connect
from benchwright.annotation.store.database.schema import authors
from benchwright.annotation.store.review_store import open_store
from benchwright.errors import BenchwrightError, DataError

pytestmark = [pytest.mark.both_databases, pytest.mark.slow]


def test_the_migrations_make_the_tables_that_the_code_speaks_of(url: str, tmp_path: Path) -> None:
    open_store(url).close()
    declared = sa.create_engine("sqlite://")
    metadata.create_all(declared)
    migrated = connect(url)
    with migrated.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    kinds = (
        "get_columns",
        "get_unique_constraints",
        "get_check_constraints",
        "get_foreign_keys",
        "get_indexes",
    )
    for table in metadata.tables:
        for kind in kinds:
            one, other = (_described(sa.inspect(engine), kind, table) for engine in (declared, migrated))
            assert one == other, (table, kind)
    declared.dispose()
    migrated.dispose()


def _described(inspector: sa.Inspector, kind: str, table: str) -> list[str]:
    return sorted(
        str(sorted((key, str(value)) for key, value in entry.items())) for entry in getattr(inspector, kind)(table)
    )


def test_the_known_revisions_are_those_in_the_folder() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrate_module.__file__).parent / "migrations"))
    found = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert tuple(reversed(found)) == migrate_module.REVISIONS


def test_connections_hold_foreign_keys_and_the_file_is_in_wal_mode(url: str, tmp_path: Path) -> None:
    open_store(url).close()
    engine = connect(url)
    with engine.connect() as connection:
        pragmas = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("foreign_keys", "journal_mode", "busy_timeout")
        ]
    engine.dispose()
    assert pragmas == [1, "wal", 30_000]


def test_an_existing_store_is_opened_as_it_is(url: str) -> None:
    with open_store(url) as store:
        store.upsert_annotator("ann")
    with open_store(url) as store:
        store.upsert_annotator("ann")


def test_a_folder_with_any_name_will_do(tmp_path: Path) -> None:
    folder = tmp_path / "a%20b?c#d 'e"
    folder.mkdir()
    open_store(f"sqlite:///{folder / 'review.sqlite'}").close()
    assert (folder / "review.sqlite").is_file()


def test_a_store_in_a_file_is_its_owners_only_with_all_that_lies_beside_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "workspace.json").write_text("{}")
    files = [tmp_path / f"review.sqlite{end}" for end in ("", "-wal", "-shm", "-turn")]
    with open_store(f"sqlite:///{files[0]}") as store:
        store.upsert_annotator("ann")
        assert [path.stat().st_mode & 0o777 for path in files] == [0o600] * 4
        for path in files:
            path.chmod(0o644)
        tmp_path.chmod(0o755)
        caplog.clear()
        with open_store(f"sqlite:///{files[0]}"):
            assert [path.stat().st_mode & 0o777 for path in (tmp_path, *files)] == [0o700, *[0o600] * 4]
    assert len([line for line in caplog.messages if "was open to other users" in line]) == 5


def test_a_folder_that_is_no_workspace_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    open_store(f"sqlite:///{tmp_path / 'review.sqlite'}").close()
    assert tmp_path.stat().st_mode & 0o777 == 0o755


def test_a_store_of_a_newer_program_is_refused_and_left_as_it_is(url: str, tmp_path: Path) -> None:
    path = tmp_path / "review.sqlite"
    open_store(url).close()
    raw = sqlite3.connect(path)
    raw.execute("UPDATE alembic_version SET version_num = '0099'")
    raw.commit()
    raw.close()
    before = path.read_bytes()
    known = migrate_module.REVISIONS[-1]
    with pytest.raises(DataError, match=rf"newer Benchwright .store version '0099', this one knows up to '{known}'"):
        open_store(url)
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", migrate_module.REVISIONS[:-1])
def test_an_older_store_is_brought_up_to_date_with_all_that_people_said(version: str, url: str) -> None:
    engine = connect(url)
    config = Config()
    config.set_main_option("script_location", str(Path(migrate_module.__file__).parent / "migrations"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, version)
    moment = "2026-03-01 12:00:00.000000"
    with engine.begin() as connection:
        for statement in (
            "INSERT INTO campaigns (id, name, kind, rule, slots, form, settings, seed, is_simulated, is_archived) "
            "VALUES (1, 'verify', 'verify', 'unanimous(1)', 1, "
            """'{"decisions":["accept","reject"]}', '{}', '7', 0, 0)""",
            "INSERT INTO annotators VALUES (1, 'ann', 'person')",
            "INSERT INTO tasks (id, campaign_id, item_id, content_hash, round, shuffle, payload, state) VALUES (1, 1, 'item', 'content', 1, 5, "
            """'{"task":"jigsaw","category":"street","kind":"yes_no"}', 'done')""",
            "INSERT INTO slots (id, task_id, slot, annotator_id, claimed_at, lease_until, submitted_at) "
            f"VALUES (1, 1, 1, 1, '{moment}', NULL, '{moment}')",
            "INSERT INTO annotations (id, slot_id, version, decision, reasons, note, started_at, submitted_at) "
            f"VALUES (1, 1, 1, 'reject', '[]', NULL, '{moment}', '{moment}'), "
            f"(2, 1, 2, 'accept', '[]', 'fine', '{moment}', '{moment}')",
        ):
            connection.exec_driver_sql(statement)
        if version >= "0008":  # which fills them in whenever it opens a task
            connection.exec_driver_sql(
                "UPDATE tasks SET item_kind = 'yes_no', item_task = 'jigsaw', category = 'street'"
            )
        if version >= "0010":  # whose trigger does so when a slot is taken
            connection.exec_driver_sql("UPDATE tasks SET is_begun = 1")
        if version >= "0002":
            connection.exec_driver_sql(
                "INSERT INTO accounts (id, annotator_id, role, password_hash, is_disabled, created_at) "
                f"VALUES (3, 1, 'curator', 'hash', 0, '{moment}')"
            )
            connection.exec_driver_sql(
                "INSERT INTO sessions (id, account_id, token_hash, created_at, ends_at) "
                f"VALUES (1, 3, '{hash_of('token')}', '{moment}', '2026-03-09 12:00:00.000000')"
            )
    engine.dispose()
    with open_store(url) as store:
        [said] = store.decisions("verify")
        assert (said.annotator, said.decision, said.note, said.fields) == ("ann", "accept", "fine", None)
        accounts = Accounts(store)
        assert [(one.id, one.name, one.role) for one in accounts.all()] == [(3, "ann", "curator")][: version >= "0002"]
        if version >= "0002":
            found = accounts.of_session("token", now=datetime(2026, 3, 8, tzinfo=UTC))
            assert found is not None
            assert found.name == "ann"
        with store.reading() as connection:
            assert connection.execute(sa.select(authors)).all() == []
            counted = connection.execute(
                sa.text(
                    "SELECT item_kind, item_task, category, slots.decision FROM tasks JOIN slots ON task_id = tasks.id"
                )
            ).one()
            assert tuple(counted) == ("yes_no", "jigsaw", "street", "accept")
            begun = connection.execute(sa.text("SELECT is_begun, shortest_s FROM tasks")).one()
            assert tuple(begun) == (1, None)
            assert connection.execute(sa.text("SELECT is_for_assigned FROM campaigns")).scalar_one() == 0
        assert (said.active_s, said.seconds) == (None, 0)
        audited = store.audited()
        if version < "0007":  # a program of that version or later had noted the decision itself
            assert (audited.broken, audited.rows, audited.decisions) == (None, 1, 0)
        else:
            assert audited.broken is not None
            assert "is not in the log" in audited.broken.why


def test_a_database_of_another_program_is_refused(url: str, tmp_path: Path) -> None:
    raw = sqlite3.connect(tmp_path / "review.sqlite")
    raw.execute("CREATE TABLE recipes (x)")
    raw.commit()
    raw.close()
    with pytest.raises(DataError, match=r"of another program .it contains table 'recipes'"):
        open_store(url)


def test_a_file_that_is_no_database_is_refused(url: str, tmp_path: Path) -> None:
    (tmp_path / "review.sqlite").write_bytes(b"not a database, by any means" * 40)
    with pytest.raises(DataError, match="cannot be opened as a review store: file is not a database"):
        open_store(url)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"the folder .*absent"):
        open_store(f"sqlite:///{tmp_path / 'absent' / 'review.sqlite'}")


@pytest.mark.parametrize("url", ["mysql://me:secret@db/review", "sqlite:///", "sqlite:///:memory:", "review.sqlite"])
def test_an_address_that_is_no_store_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(BenchwrightError, match="expected sqlite:///PATH or postgresql://") as caught:
        open_store(url)
    assert "secret" not in str(caught.value)


def test_making_a_store_prints_nothing_and_leaves_logging_as_it_was(
    url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    def configuration() -> list[object]:
        loggers = [logging.getLogger(name) for name in (None, "alembic", "sqlalchemy", "benchwright")]
        kept = [[h for h in logger.handlers if not isinstance(h, logging.NullHandler)] for logger in loggers]
        return [kept, [(logger.level, logger.disabled, logger.propagate) for logger in loggers]]

    before = configuration()
    open_store(url).close()
    assert configuration() == before
    assert capfd.readouterr() == ("", "")
