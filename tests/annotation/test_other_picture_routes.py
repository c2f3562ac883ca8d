"""Other pictures of a campaign in the running app: only for the annotator's own task, only of its campaign."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from urllib.parse import quote

import pytest
from browser.kinds_site import make_images, open_campaigns
from browser.review_site import PASSWORDS, ReviewSite, serve
from PIL import Image

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.campaigns.state.step import State
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue

from .visitor import Visitor

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    done = make_images(tmp_path_factory.mktemp("pictures"))
    open_campaigns(done, [State()])
    with serve(done.workspace) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


@pytest.fixture
def signed_in(site: ReviewSite) -> Callable[[str], Visitor]:
    def sign_in(name: str) -> Visitor:
        visitor = Visitor(site.url)
        assert visitor.sign_in(name, PASSWORDS[name]).status == 303
        return visitor

    return sign_in


def test_pictures_are_offered_for_ones_own_task_by_name_and_as_small_pictures(
    store: ReviewStore, signed_in: Callable[[str], Visitor]
) -> None:
    task = TaskQueue(store, store.campaign("state"), "ann").next(now=clock())
    assert task is not None
    ann, ben = signed_in("ann"), signed_in("ben")
    offered = json.loads(ann.get(f"/tasks/{task.task_id}/pictures?find=png").body)["pictures"]
    assert len(offered) == 3  # four pictures, and the task's own is none of the others
    assert task.item.images[0].image_id not in {picture["id"] for picture in offered}
    shown = ann.get(offered[0]["src"])
    assert shown.status == 200
    with Image.open(io.BytesIO(shown.body)) as small:
        assert max(small.size) <= 640
    assert ben.get(f"/tasks/{task.task_id}/pictures").status == 404
    assert ben.get(offered[0]["src"]).status == 404


@pytest.mark.parametrize("asked", ["%", "_", "'; DROP TABLE tasks; --", "\\", '"', "x" * 5000, "\0", "<script>"])
def test_whatever_is_looked_for_is_a_part_of_a_name_and_nothing_else(
    store: ReviewStore, signed_in: Callable[[str], Visitor], asked: str
) -> None:
    task = TaskQueue(store, store.campaign("state"), "ann").next(now=clock())
    assert task is not None
    reply = signed_in("ann").get(f"/tasks/{task.task_id}/pictures?find={quote(asked)}")
    assert (reply.status, json.loads(reply.body)) == (200, {"pictures": []})


@pytest.mark.parametrize("image", ["0" * 64, "..", "own", "a%2Fb"])
def test_nothing_but_other_pictures_of_the_campaign_is_shown(
    store: ReviewStore, signed_in: Callable[[str], Visitor], image: str
) -> None:
    task = TaskQueue(store, store.campaign("state"), "ann").next(now=clock())
    assert task is not None
    own = task.item.images[0].image_id
    path = f"/tasks/{task.task_id}/pictures/{own if image == 'own' else image}"
    reply = signed_in("ann").get(path)
    assert not reply.headers.get("content-type", "").startswith("image/")


def test_nobody_who_has_not_signed_in_sees_any(site: ReviewSite) -> None:
    assert Visitor(site.url).get("/tasks/1/pictures").status in {303, 401}
