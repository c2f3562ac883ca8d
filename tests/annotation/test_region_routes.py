"""Helpers over the app's routes: real GrabCut, SAM and rapidocr in separate processes, on a real workspace.

- An account without access to a task's pictures gets nothing, nor does a page of another site.
- Requests are checked, every refusal says why, and no path of this machine reaches a browser.
- A picture is embedded once, however many clicks.
- Newer requests replace older ones; a helper that hangs or dies is stopped, and the next request is answered.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import ROOT
from PIL import Image
from starlette.applications import Starlette
from tiny_sam import make_checkpoint
from walks import make_photographs

from benchwright.annotation.app.auth.middleware import ACCOUNT
from benchwright.annotation.app.base.own_texts import english_texts
from benchwright.annotation.app.base.state import clock, open_app_state
from benchwright.annotation.app.helping.helper_lanes import HelperLanes, HelperTimeout, HelperWork, Superseded
from benchwright.annotation.app.helping.helper_process import HelperBench
from benchwright.annotation.app.languages.language import use_language
from benchwright.annotation.app.languages.language_file import read_language
from benchwright.annotation.app.routes.regions import MOST_REQUESTS, region_routes
from benchwright.annotation.store.accounts.accounts import Account
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.records import ItemImage
from benchwright.regions import RegionHints, helpers_of, read_region

pytestmark = pytest.mark.slow

RECIPE = """
name: marks
seed: 1
images: {images}
shards: 2
steps:
  - step: mark
    fields:
      - {{name: things, label: Things, shape: mask}}
      - {{name: words, label: Words, shape: box}}
    helpers: {helpers}
    propose: [text_boxes]
"""
HEADERS = {"x-benchwright-draft": "1"}


class Marking:
    """A workspace with an open campaign, and an annotator who uses its helpers."""

    def __init__(self, folder: Path) -> None:
        make_photographs(folder / "images", count=2)
        self.checkpoint = make_checkpoint(folder / "secret-place.pth")
        helpers = ["grabcut", {"name": "sam", "weights": str(self.checkpoint), "device": "cpu"}, "text_boxes",
                   {"name": "sam_transformers", "weights": "not-there"}]  # fmt: skip
        recipe = parse_recipe(
            RECIPE.format(images=folder / "images", helpers=json.dumps(helpers)), "marks.yaml", folder
        )
        self.root = folder / "workspace"
        run_recipe(recipe, workspace=self.root)
        self.state = open_app_state(self.root, secure=False)
        self.routes = Starlette(routes=region_routes(self.state))
        self.campaign = self.state.store.campaign("mark")
        self.accounts = {name: self._account(name, "annotator") for name in ("ann", "ben")}
        self.accounts["cur"] = self._account("cur", "curator")
        [self.task] = TaskQueue(self.state.store, self.campaign, "ann").hold(1, now=clock())

    def _account(self, name: str, role: Any) -> Account:
        return self.state.accounts.add(name, role, now=clock())

    def request(
        self, path: str, document: Any = None, *, name: str = "ann", headers: Mapping[str, str] = HEADERS
    ) -> httpx.Response:
        [reply] = self.requests([(path, document)], name=name, headers=headers)
        return reply

    def requests(
        self, asked: list[tuple[str, Any]], *, name: str = "ann", headers: Mapping[str, str] = HEADERS
    ) -> list[httpx.Response]:
        async def app(scope: Any, receive: Any, send: Any) -> None:
            await self.routes({**scope, ACCOUNT: self.accounts[name]}, receive, send)

        async def all_at_once() -> list[httpx.Response]:
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url="http://app", headers=headers) as client:

                async def sent(path: str, document: Any) -> httpx.Response:
                    if document is None:
                        return await client.get(path)
                    content = document if isinstance(document, bytes) else json.dumps(document).encode()
                    return await client.post(path, content=content, timeout=120)

                return await asyncio.gather(*(sent(path, document) for path, document in asked))

        return asyncio.run(all_at_once())

    def helper_path(self, helper: str, task: int | None = None) -> str:
        return f"/regions/{task or self.task}/helpers/{helper}"

    @property
    def size_wh(self) -> tuple[int, int]:
        payload = self.state.store.payload(self.task)
        assert payload is not None
        width, height = payload["sizes_wh"][0]
        return width, height

    def hints(self, **more: Any) -> dict[str, Any]:
        width, height = self.size_wh
        box = [width * 0.2, height * 0.2, width * 0.8, height * 0.8]
        return {"window": "w1", "place": 0, "shape": "mask", "box": box, **more}


@pytest.fixture(scope="module")
def marking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Marking]:
    for package in ("torch", "segment_anything", "rapidocr"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    made = Marking(tmp_path_factory.mktemp("marking"))
    yield made
    made.state.helpers.close()
    made.state.store.close()


@pytest.fixture(autouse=True)
def _asked_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchwright.annotation.app.routes.regions.PER_S", 0.01)


def test_the_helpers_of_a_task_are_listed_without_any_path(marking: Marking) -> None:
    reply = marking.request(f"/regions/{marking.task}/helpers")
    listed = {helper["name"]: helper for helper in reply.json()["helpers"]}
    assert list(listed) == ["grabcut", "sam", "text_boxes", "sam_transformers"]
    assert (listed["grabcut"]["gives"], listed["text_boxes"]["gives"]) == (["mask", "box"], ["box"])
    assert [name for name, helper in listed.items() if helper["why"]] == ["sam_transformers"]
    assert "secret-place" not in reply.text
    assert str(marking.root.parent) not in reply.text


def test_grabcut_proposes_regions_that_a_form_takes(marking: Marking) -> None:
    for more in ({}, {"refine": True}, {"shape": "box"}):
        reply = marking.request(marking.helper_path("grabcut"), marking.hints(**more))
        assert reply.status_code == 200, reply.text
        [document] = reply.json()["regions"]
        region = read_region(document, [marking.size_wh])
        assert region.proposal is not None
        assert region.proposal.helper == "grabcut"


def test_a_picture_is_embedded_once_however_many_clicks(marking: Marking) -> None:
    [sam] = helpers_of([{"name": "sam", "weights": str(marking.checkpoint), "device": "cpu"}])
    payload = marking.state.store.payload(marking.task)
    assert payload is not None
    bench, again = HelperBench(marking.root), HelperBench(marking.root)
    image_id = payload["images"][0]["image_id"]
    kept = marking.root / "cache" / "embeddings"
    for path in kept.glob("*"):
        path.unlink()
    for number in range(12):
        hints = RegionHints(shape="mask", inside=(((10.0 + number, 20.0),),))
        work = HelperWork(sam, image_id, marking.size_wh, hints)
        assert "regions" in bench.answer(json.loads(work.to_json(number)))
    assert bench.embeddings == 1
    assert len(list(kept.glob("*.safetensors"))) == 1
    assert "regions" in again.answer(json.loads(work.to_json(99)))  # another process finds it on the disk
    assert again.embeddings == 0


def test_sam_answers_clicks_over_the_route(marking: Marking) -> None:
    reply = marking.request(marking.helper_path("sam"), marking.hints(box=None, inside=[[[30, 40]]]))
    assert reply.status_code == 200, reply.text
    for document in reply.json()["regions"]:
        read_region(document, [marking.size_wh])


WRONG: dict[str, Callable[[Marking], Any]] = {
    "stroke outside": lambda marking: marking.hints(inside=[[[9999, 3]]]),
    "NaN": lambda marking: json.dumps(marking.hints(inside=[[[float("nan"), 3]]])).encode(),
    "100,000 points": lambda marking: json.dumps(marking.hints(inside=[[[1, 1]] * 100_000])).encode(),
    "points in many strokes": lambda marking: marking.hints(outside=[[[1, 1]] * 500] * 100),
    "too many strokes": lambda marking: marking.hints(outside=[[[1, 1]]] * 201),
    "an empty stroke": lambda marking: marking.hints(inside=[[]]),
    "a stroke of texts": lambda marking: marking.hints(inside=[[["a", "b"]]]),
    "infinite": lambda marking: json.dumps(marking.hints(outside=[[[1, float("inf")]]])).encode(),
    "a stroke without width": lambda marking: marking.hints(inside=[[[1, 1]]], stroke_px=0),
    "no such picture": lambda marking: marking.hints(place=1),
    "a place that is no number": lambda marking: marking.hints(place=True),
    "no window": lambda marking: marking.hints(window=""),
    "a shape that it does not give": lambda marking: marking.hints(shape="point"),
    "nothing to work from": lambda marking: marking.hints(box=None),
    "no object": lambda marking: [1],
    "no JSON": lambda marking: b"{",
    "deep": lambda marking: b"[" * 100_000,
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_no_app_sends_is_refused_in_words(marking: Marking, wrong: str) -> None:
    reply = marking.request(marking.helper_path("grabcut"), WRONG[wrong](marking))
    assert reply.status_code in {400, 413}, reply.text
    assert reply.text


def test_nobody_asks_without_the_task_or_from_another_site(marking: Marking) -> None:
    path = marking.helper_path("grabcut")
    assert marking.request(path, marking.hints(), name="ben").status_code == 404
    assert marking.request(f"/regions/{marking.task}/helpers", name="ben").status_code == 404
    assert marking.request(f"/regions/{marking.task}/proposals", name="ben").status_code == 404
    assert marking.request(path, marking.hints(), headers={}).status_code == 403
    assert marking.request(f"/regions/{marking.task}/helpers", headers={}).status_code == 403
    assert marking.request(marking.helper_path("owlv2"), marking.hints()).status_code == 404
    assert marking.request(marking.helper_path("grabcut", 10**30), marking.hints()).status_code == 404


def test_a_helper_without_weights_says_so_without_a_path(marking: Marking) -> None:
    reply = marking.request(marking.helper_path("sam_transformers"), marking.hints())
    assert reply.status_code == 503
    assert "cannot be used on this server" in reply.json()["why"]
    assert str(marking.root.parent) not in reply.text


def test_whoever_asks_too_much_waits(marking: Marking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchwright.annotation.app.routes.regions.PER_S", 1e9)
    asked = [(marking.helper_path("grabcut"), b"{")] * (MOST_REQUESTS + 1)
    codes = [reply.status_code for reply in marking.requests(asked)]
    assert set(codes) == {400, 429}
    assert codes.count(400) <= MOST_REQUESTS  # what earlier requests took is not there again yet


def test_text_is_proposed_at_the_opening_of_a_task_and_kept(marking: Marking) -> None:
    path = f"/regions/{marking.task}/proposals?place=0"
    while (reply := marking.request(path).json())["waiting"]:
        pass
    assert reply["problems"] == []
    [kept] = (marking.root / "cache" / "proposals").glob("*.json")
    assert json.loads(kept.read_text())["regions"] == reply["regions"]


def work(marking: Marking, *, x: float = 30.0, name: str = "grabcut") -> HelperWork:
    payload = marking.state.store.payload(marking.task)
    assert payload is not None
    [helper] = helpers_of([name])
    hints = RegionHints(shape="mask", inside=(((x, 20.0),),), outside=(((100.0, 100.0),),))
    return HelperWork(helper, payload["images"][0]["image_id"], marking.size_wh, hints)


def test_a_newer_request_of_a_window_takes_the_place_of_its_older_ones_and_of_no_others(marking: Marking) -> None:
    lanes = HelperLanes(marking.root)
    futures = [lanes.ask(work(marking, x=30.0 + number), window="a") for number in range(5)]
    other = lanes.ask(work(marking), window="b")
    assert futures[-1].result(120).regions is not None
    assert other.result(120).regions is not None
    for future in futures[:-1]:
        assert isinstance(future.exception(120), Superseded)
    lanes.close()


def test_a_helper_that_takes_too_long_is_stopped_and_the_next_request_is_answered(marking: Marking) -> None:
    lanes = HelperLanes(marking.root, {"light": 0.0, "model": 0.0, "remote": 0.0})
    assert isinstance(lanes.ask(work(marking), window="a").exception(120), HelperTimeout)
    lanes._lanes["light"]._timeout_s = 120.0
    assert lanes.ask(work(marking), window="a").result(120).regions is not None
    lanes.close()


def test_a_process_that_dies_is_started_again(marking: Marking) -> None:
    lanes = HelperLanes(marking.root)
    lanes.ask(work(marking), window="a").result(120)
    process = lanes._lanes["light"]._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert "process ended" in str(lanes.ask(work(marking), window="a").exception(120))
    assert lanes.ask(work(marking), window="a").result(120).regions is not None
    lanes.close()


def test_a_picture_that_is_gone_is_told_in_words(marking: Marking, tmp_path: Path) -> None:
    Image.new("RGB", (40, 30)).save(tmp_path / "x.png")
    lanes = HelperLanes(marking.root)
    gone = work(marking)._replace(image_id="f" * 64)
    assert "cannot be read" in str(lanes.ask(gone, window="a").exception(120))
    lanes.close()


def test_titles_and_messages_of_helpers_are_in_the_language_of_whoever_asks(marking: Marking) -> None:
    arabic = read_language(ROOT / "annotation" / "app" / "languages" / "ar.toml", english_texts())
    path = marking.helper_path("grabcut")
    with use_language(arabic):
        listed = {
            helper["name"]: helper for helper in marking.request(f"/regions/{marking.task}/helpers").json()["helpers"]
        }
        outside = marking.request(path, marking.hints(inside=[[[9999, 3]]])).json()["why"]
        missing = marking.request(marking.helper_path("sam_transformers"), marking.hints()).json()["why"]
        nonsense = marking.request(path, b"{").json()["why"]
        by_words = marking.request(path, marking.hints(shape="point")).json()["why"]
    assert listed["grabcut"]["title"] == "القص بحسب اللون"
    assert "benchwright doctor" in listed["sam_transformers"]["why"]
    for text in (outside, nonsense, by_words, missing, listed["sam_transformers"]["why"]):
        assert not re.search(
            "[A-Za-z]{3,}", re.sub("`[^`]*`|Segment Anything|transformers|box|mask|polygon|point", "", text)
        ), text


def test_why_a_helper_failed_is_told_to_curators_and_names_nothing_to_annotators(tmp_path: Path) -> None:
    marking = Marking(tmp_path)
    marking.state.pictures.size(ItemImage(image_id=work(marking).image_id, role="reference"))  # as when it is shown
    for photograph in (tmp_path / "images").iterdir():
        photograph.write_bytes(b"no picture any more")
    replies = {
        name: marking.request(marking.helper_path("grabcut"), marking.hints(), name=name) for name in ("ann", "cur")
    }
    assert {name: reply.status_code for name, reply in replies.items()} == {"ann": 422, "cur": 422}
    assert replies["ann"].json()["why"] == "Cut out by color failed on this picture"
    assert str(tmp_path) in replies["cur"].json()["why"] or "changed" in replies["cur"].json()["why"]
    marking.state.helpers.close()
