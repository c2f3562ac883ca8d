"""Items to review, stores to review them in, and a clock that tests set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa
from postgres import running_postgres

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.canonical import digest
from benchwright.records import Choice, Item, ItemImage
from benchwright.steps import CampaignContext

MakeItems = Callable[..., list[Item]]
OpenCampaign = Callable[..., ReviewStore]


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'review.sqlite'}"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Return the address of a PostgreSQL server whose database `template` holds an empty store."""
    with running_postgres() as address:
        _on_server(address, "CREATE DATABASE template")
        open_store(address.replace("/postgres", "/template")).close()
        yield address


def _on_server(address: str, statement: str) -> None:
    engine = sa.create_engine(sa.make_url(address).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(statement)
    engine.dispose()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what is marked `both_databases` on a server as well; everything else that needs a store gets a file."""
    chosen = any(mark.args[0] == "store_url" for mark in metafunc.definition.iter_markers("parametrize"))
    if "store_url" in metafunc.fixturenames and not chosen:
        is_marked = metafunc.definition.get_closest_marker("both_databases") is not None
        on_server = [pytest.param("postgresql", marks=pytest.mark.server)] if is_marked else []
        metafunc.parametrize("store_url", ["sqlite", *on_server], indirect=True)


@pytest.fixture
def store_url(request: pytest.FixtureRequest, url: str, tmp_path: Path) -> Iterator[str]:
    """Return the address of an empty store."""
    if request.param == "sqlite":
        (tmp_path / "review.sqlite").write_bytes(request.getfixturevalue("empty_store"))
        yield url
        return
    server, name = request.getfixturevalue("postgres"), f"t{uuid4().hex}"
    _on_server(server, f"CREATE DATABASE {name} TEMPLATE template")
    yield server.replace("/postgres", f"/{name}")
    _on_server(server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a new store's file: the migrations run once for all tests but those about them."""
    path = tmp_path_factory.mktemp("template") / "review.sqlite"
    open_store(f"sqlite:///{path}").close()
    return path.read_bytes()


@pytest.fixture
def store(store_url: str) -> Iterator[ReviewStore]:
    with open_store(store_url) as opened:
        yield opened


@pytest.fixture
def context(tmp_path: Path, store_url: str) -> CampaignContext:
    return CampaignContext(seed=5, stage="verify", workspace=tmp_path, store_url=store_url)


@pytest.fixture
def make_items() -> MakeItems:
    """Return a maker of items: so many per task, the question as given."""

    def make(question: str = "Which piece fits?", *, answer: str | None = "B", **per_task: int) -> list[Item]:
        return [
            Item(
                item_id=digest([task, number])[:32],
                task=task,
                kind="multiple_choice",
                images=(ItemImage(image_id=digest(["picture", task, number]), role="reference"),),
                question=question,
                choices=(Choice(key="A", text="the left one"), Choice(key="B", text="the right one")),
                answer=answer,
                root_image_id=digest(["picture", task, number]),
                operation_id="0" * 32,
                made_from=digest(["picture", task, number]),
            )
            for task, count in per_task.items()
            for number in range(count)
        ]

    return make


@pytest.fixture
def open_campaign(store: ReviewStore) -> OpenCampaign:
    """Return an opener of the campaign `verify`: so many tasks of so many slots, for ann, ben and cas."""

    def opened(*, tasks: int, slots: int = 2, seed: int = 1) -> ReviewStore:
        store.upsert_campaign(
            "verify",
            kind="verify",
            rule=f"unanimous({slots})",
            slots_per_task=slots,
            form=CampaignForm(decisions=["accept", "reject"], reasons=["unclear", "wrong_answer"]),
            settings={},
            seed=seed,
        )
        store.upsert_tasks("verify", [TaskInput(f"item-{n:03}", f"content-{n}", {"n": n}) for n in range(tasks)])
        for name in ("ann", "ben", "cas"):
            store.upsert_annotator(name)
        return store

    return opened
