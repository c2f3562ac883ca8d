"""Curators' decisions against verdicts of steps in the review store: append-only, the latest counts."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from benchwright.annotation.store.campaigns.overrides import OverrideStore
from benchwright.annotation.store.database import migrate as migrate_module
from benchwright.annotation.store.database.connection import connect
from benchwright.annotation.store.database.schema import overrides
from benchwright.annotation.store.review_store import open_store
from benchwright.errors import BenchwrightError
from benchwright.overrides import Override

pytestmark = pytest.mark.both_databases

CAT = Override("near.pairs", "c" * 64, "c" * 64, "keep", "near_duplicate", "d" * 64, "ada", "another cat")
DOG = Override("text.judge", "d" * 64, "d" * 64, "drop", None, None, "ada", "private")


def test_what_was_decided_stands_sorted_with_who_and_why(store_url: str, now: datetime) -> None:
    with open_store(store_url) as store:
        assert OverrideStore(store).decide([DOG, CAT], now=now) == [DOG, CAT]
        assert [(one.override, one.at) for one in OverrideStore(store).in_force()] == [(CAT, now), (DOG, now)]


def test_what_stands_already_is_not_said_twice_but_another_pair_is_news(store_url: str, now: datetime) -> None:
    with open_store(store_url) as store:
        own = OverrideStore(store)
        own.decide([CAT], now=now)
        assert own.decide([replace(CAT, by="grace", why="so I think")], now=now) == []
        other = replace(CAT, against="e" * 64)
        assert own.decide([other], now=now) == [other]
        assert [one.override for one in own.in_force()] == [other]


def test_what_was_undone_stands_no_more_and_can_be_decided_again(store_url: str, now: datetime) -> None:
    with open_store(store_url) as store:
        own = OverrideStore(store)
        own.decide([CAT, DOG], now=now)
        own.undo([CAT], by="grace", why="it is the same cat", now=now)
        assert [one.override for one in own.in_force()] == [DOG]
        own.decide([CAT], now=now + timedelta(hours=1))
        assert [one.override for one in own.in_force()] == [CAT, DOG]
        with store.reading() as connection:
            assert connection.execute(sa.select(overrides.c.action).order_by(overrides.c.id)).scalars().all() == [
                "keep", "drop", "undo", "keep",
            ]  # fmt: skip


def test_the_order_of_decisions_does_not_matter(tmp_path: Path, now: datetime) -> None:
    many = [replace(CAT, record_id=f"{number:064x}", root_image_id=f"{number:064x}") for number in range(40)]
    stood = []
    for seed in range(3):
        random.Random(seed).shuffle(many)
        with open_store(f"sqlite:///{tmp_path / f'{seed}.sqlite'}") as store:
            OverrideStore(store).decide(many, now=now)
            stood.append([one.override for one in OverrideStore(store).in_force()])
    assert stood[0] == stood[1] == stood[2]


def test_decisions_can_neither_be_changed_nor_taken_out(store_url: str, now: datetime) -> None:
    with open_store(store_url) as store:
        OverrideStore(store).decide([CAT], now=now)
        for statement in (sa.update(overrides).values(why="other"), sa.delete(overrides)):
            with pytest.raises(sa.exc.DatabaseError, match="only ever added"), store.writing() as connection:
                connection.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [sa.insert(overrides).values(action="maybe", reason=None), sa.insert(overrides).values(action="keep", reason=None)],
)
def test_the_database_itself_refuses_decisions_that_make_no_sense(
    store_url: str, now: datetime, statement: sa.Insert
) -> None:
    with open_store(store_url) as store:
        OverrideStore(store).decide([CAT], now=now)
        rest = {
            "stage": "s", "record_id": "r", "root_image_id": "r", "annotator_id": 1, "why": "", "decided_at": now,
        }  # fmt: skip
        with pytest.raises(sa.exc.IntegrityError), store.writing() as connection:
            connection.execute(statement.values(rest))


def test_none_of_several_decisions_is_made_where_a_name_is_nobodys(store_url: str, now: datetime) -> None:
    with open_store(store_url) as store:
        with pytest.raises(BenchwrightError, match="only names of simulated annotators begin with"):
            OverrideStore(store).decide([CAT, replace(DOG, by="simulated-1")], now=now)
        assert OverrideStore(store).in_force() == []


def test_a_store_of_version_2_is_brought_up_to_date_and_takes_decisions(url: str, now: datetime) -> None:
    engine = connect(url)
    config = Config()
    config.set_main_option("script_location", str(Path(migrate_module.__file__).parent / "migrations"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0002")
        connection.exec_driver_sql("INSERT INTO annotators VALUES (7, 'ada', 'person')")
    engine.dispose()
    with open_store(url) as store:
        OverrideStore(store).decide([CAT], now=now)
        assert [one.override for one in OverrideStore(store).in_force()] == [CAT]
        with store.reading() as connection:
            assert connection.execute(sa.select(overrides.c.annotator_id)).scalar_one() == 7
