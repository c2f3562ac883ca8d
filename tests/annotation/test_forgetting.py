"""Forgetting a person: their name leaves the store for good, and all their decisions stay.

- Decisions, notes, comments and the log use a pseudonym, and the log verifies; no trace of the name stays in the file.
- Their account cannot be used any more; other people of the name are unaffected.
- Notes that hold only part of the name are listed, and the name is found in every spelling, in typed forms too.
- Without the option, nothing changes; a log with a broken chain is not rewritten.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from benchwright.annotation.cli.forget import forget
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.fields.field_types import TextField
from benchwright.annotation.forms.kind_forms.screening import screening_form
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.accounts.forgetting import forget_person
from benchwright.annotation.store.accounts.person_names import PersonNames
from benchwright.annotation.store.check import row_problems
from benchwright.annotation.store.database.connection import WRITING, connect
from benchwright.annotation.store.database.schema import audit_log
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.annotation.store.submissions.comments import add_remark
from benchwright.errors import BenchwrightError, DataError

pytestmark = pytest.mark.both_databases

NAME = "Marguerite"


@pytest.fixture
def busy(open_campaign: Callable[..., ReviewStore], now: datetime) -> ReviewStore:
    """Return a store in which two annotators decided three tasks each and mentioned each other."""
    store = open_campaign(tasks=3)
    accounts = Accounts(store)
    accounts.add(NAME, "annotator", now=now)
    accounts.set_password(NAME, "a hash")
    accounts.note_refused(NAME, address="192.0.2.1", now=now)
    for name in (NAME, "ben"):
        for number in range(3):
            lease = store.claim("verify", name, now=now)
            assert lease is not None
            note = f"{NAME} says so, marguerites do not" if number == 1 else None
            store.submit(lease.slot_id, name, Submission("accept", note=note), now=now)
            task = lease.task_id
    with store.writing() as connection:
        add_remark(connection, task, "ben", f"ask {NAME.lower()}", is_flag=False, now=now)
    return store


def everything(store: ReviewStore) -> str:
    """Return all texts of the store."""
    with store.reading() as connection:
        tables = sa.inspect(connection).get_table_names()
        rows = [connection.exec_driver_sql(f'SELECT * FROM "{table}"').fetchall() for table in tables]
    return "\n".join(map(str, rows))


def test_a_pseudonym_stands_wherever_the_name_stood_and_the_log_verifies(busy: ReviewStore, now: datetime) -> None:
    before = busy.audited()
    done = forget_person(busy, NAME, now=now)
    assert (done.decisions, done.texts, done.had_account) == (3, 3, True)
    text = everything(busy)
    assert NAME.lower() not in text.lower().replace("marguerites do not", "")
    assert f"{done.pseudonym} says so, marguerites do not" in text
    assert "192.0.2.1" not in text
    after = busy.audited()
    assert (after.broken, after.decisions) == (None, before.decisions)
    assert busy.audited(expect=before.head).broken is not None
    assert list(row_problems(busy)) == []
    decided = {annotation.annotator for annotation in busy.decisions("verify")}
    assert decided == {done.pseudonym, "ben"}


def test_the_account_opens_nothing_any_more(busy: ReviewStore, now: datetime) -> None:
    token = Accounts(busy).open_session(NAME, now=now)
    pseudonym = forget_person(busy, NAME, now=now).pseudonym
    account = Accounts(busy).find(pseudonym)
    assert account.is_disabled
    assert Accounts(busy).password_hash(pseudonym) is None
    assert Accounts(busy).of_session(token, now=now) is None


def test_a_rehearsal_changes_nothing(busy: ReviewStore, now: datetime) -> None:
    before = everything(busy)
    counted = forget_person(busy, NAME, now=now, dry_run=True)
    assert everything(busy) == before
    done = forget_person(busy, NAME, now=now)
    assert (counted.decisions, counted.texts, counted.log_rows) == (done.decisions, done.texts, done.log_rows)


def test_rows_are_only_ever_added_afterwards_too(busy: ReviewStore, now: datetime, store_url: str) -> None:
    forget_person(busy, NAME, now=now)
    engine = connect(store_url)
    for statement in ("UPDATE audit_log SET actor = 'x'", "UPDATE annotations SET note = 'x'"):
        with engine.connect() as connection, pytest.raises(sa.exc.DatabaseError, match="only ever added"):
            connection.execute(sa.text(statement))
    engine.dispose()


def test_who_is_not_there_or_simulated_is_not_forgotten(busy: ReviewStore, now: datetime) -> None:
    busy.upsert_annotator("simulated-1", kind="simulated")
    for name, problem in (("nobody", "has decided nothing"), ("simulated-1", "is simulated")):
        with pytest.raises(BenchwrightError, match=problem):
            forget_person(busy, name, now=now)


def test_a_log_that_does_not_hold_is_not_rewritten(busy: ReviewStore, now: datetime, store_url: str) -> None:
    engine = connect(store_url)
    with engine.connect().execution_options(**{WRITING: True}) as connection, connection.begin():
        connection.execute(sa.insert(audit_log).values(
            id=999, at=now, actor="x", act="x", about="{}", previous="0" * 64, hash="1" * 64))  # fmt: skip
    engine.dispose()
    with pytest.raises(DataError, match="is broken"):
        forget_person(busy, NAME, now=now)
    assert NAME in everything(busy)


def test_the_command_says_what_it_would_do_then_does_it_and_names_files_that_still_name_them(
    busy: ReviewStore, store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not store_url.startswith("sqlite"):
        return  # the file is what is looked into
    store_path = Path(store_url.removeprefix("sqlite:///"))
    root = store_path.parent
    (root / "notes.json").write_text(json.dumps({"by": NAME}))
    rehearsed = CliRunner().invoke(forget, [NAME, "--workspace", str(root), "--json"])
    assert rehearsed.exit_code == 0, rehearsed.output
    assert (json.loads(rehearsed.output)["is_done"], json.loads(rehearsed.output)["pseudonym"]) == (False, None)
    done = CliRunner().invoke(forget, [NAME, "--workspace", str(root), "--irreversibly"])
    assert done.exit_code == 0, done.output
    assert "notes.json" in done.output
    busy.close()
    left = b"".join(path.read_bytes() for path in root.glob("review.sqlite*"))
    assert b"Marguerite " not in left
    assert b'"Marguerite"' not in left


FULL = "René Dubois"


def test_notes_with_a_part_of_the_name_are_listed_and_go_only_where_a_curator_says_so(
    open_campaign: Callable[..., ReviewStore], now: datetime
) -> None:
    store = open_campaign(tasks=4)
    store.upsert_annotator(FULL)
    notes = ["ask rené, or RENE", "Dubois, Rene\u0301 was here", "the renewal of renée", None]
    for note, name in zip(notes, (FULL, "ben", "ben", FULL), strict=True):
        lease = store.claim("verify", name, now=now)
        assert lease is not None
        store.submit(lease.slot_id, name, Submission("accept", note=note), now=now)
    counted = forget_person(store, FULL, now=now, dry_run=True)
    assert (counted.searched, counted.parts, counted.texts) == ((FULL,), ("René", "Dubois"), 1)
    assert [(mention.place, mention.words) for mention in counted.mentions] == [("annotations.note", ("rené", "RENE"))]
    done = forget_person(store, FULL, now=now, also=["René"])
    assert (done.texts, done.mentions) == (2, [])
    left = {annotation.note for annotation in store.decisions("verify")}
    assert left == {f"ask {done.pseudonym}, or {done.pseudonym}", f"{done.pseudonym} was here", notes[2], None}
    assert store.audited().broken is None


def test_a_note_of_a_typed_form_is_searched_and_what_was_written_for_items_is_listed(
    store: ReviewStore, now: datetime
) -> None:
    store.upsert_annotator(NAME)
    caption = TextField(name="caption", label="Caption")
    form = CampaignForm(fields=(screening_form(["other"]).fields[0], caption, TextField(name="note", label="Note")))
    store.upsert_campaign("typed", kind="screen", rule="single", slots_per_task=1, form=form, settings={}, seed=1)
    store.upsert_tasks("typed", [TaskInput("picture", "content", {"choices": [], "answer": None, "refusal": None})])
    lease = store.claim("typed", NAME, now=now)
    assert lease is not None
    fields = {"verdict": "keep", "caption": f"{NAME} on a bench", "note": f"I am {NAME.upper()}"}
    store.submit(lease.slot_id, NAME, Submission("keep", fields=fields), now=now)
    done = forget_person(store, NAME, now=now)
    [annotation] = store.decisions("typed")
    assert annotation.fields == {**fields, "caption": f"{NAME} on a bench", "note": f"I am {done.pseudonym}"}
    assert [(mention.place, mention.is_note) for mention in done.mentions] == [("annotations.fields.caption", False)]
    assert store.audited().broken is None


@pytest.mark.parametrize(
    ("name", "text", "replaced"),
    [
        pytest.param("ada", "ADA and adam", "X and adam", id="case-and-whole-words"),
        pytest.param("Zoe\u0308", "zo\u00eb", "X", id="composed"),
        pytest.param("王伟", "问王伟吧", "问X吧", id="no-spaces"),
        pytest.param("ann.lee@example.org", "Ann Lee, ann.lee@example.org", "X, X", id="mail"),
        pytest.param("Ａｎｎ", "ann", "X", id="width"),
    ],
)
def test_a_whole_name_is_found_in_every_spelling(name: str, text: str, replaced: str) -> None:
    assert PersonNames([name]).replaced(text, "X") == replaced
