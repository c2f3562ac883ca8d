"""Items to review, stores to review them in, and a clock that tests set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchwright.annotation.store import ReviewStore, Work, open_store
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
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a new store's file: the migrations run once for all tests but those about them."""
    path = tmp_path_factory.mktemp("template") / "review.sqlite"
    open_store(f"sqlite:///{path}").close()
    return path.read_bytes()


@pytest.fixture
def store(url: str, tmp_path: Path, empty_store: bytes) -> Iterator[ReviewStore]:
    (tmp_path / "review.sqlite").write_bytes(empty_store)
    with open_store(url) as opened:
        yield opened


@pytest.fixture
def context(tmp_path: Path, url: str, empty_store: bytes) -> CampaignContext:
    (tmp_path / "review.sqlite").write_bytes(empty_store)
    return CampaignContext(seed=5, stage="verify", workspace=tmp_path, store_url=url)


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
            form={"decisions": ["accept", "reject"], "reasons": ["unclear", "wrong_answer"]},
            settings={},
            seed=seed,
        )
        store.upsert_tasks("verify", [Work(f"item-{n:03}", f"content-{n}", {"n": n}) for n in range(tasks)])
        for name in ("ann", "ben", "cas"):
            store.upsert_annotator(name)
        return store

    return opened
