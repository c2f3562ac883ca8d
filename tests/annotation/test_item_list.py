"""The curator's list of items: what an address may hold, what the list answers, and which forms it refuses."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from html import unescape
from typing import cast
from urllib.parse import quote, urlencode

import pytest
from browser.review_site import PASSWORDS, ReviewSite, make_workspace, serve

from benchwright.annotation.app.item_list.index_refresh import IndexRefresh
from benchwright.annotation.app.item_list.list_query import SentList, list_address, query_in, query_line, query_of_line
from benchwright.annotation.items.item_index import ItemIndex, Refreshed
from benchwright.annotation.items.item_search import MOST_SELECTED, ItemQuery
from benchwright.errors import BenchwrightError

from .visitor import FORM, Reply, Visitor

HACK = '"><img src=x onerror=alert(1)>'
RECIPE = """\
name: ten
seed: 5
steps:
  - near_duplicates
  - step: quality
    min_side_px: 200
  - step: jigsaw
    mode: paper
    min_tile_px: 16
  - step: verify
    rule: unanimous(2)
"""


@pytest.mark.parametrize(
    ("parameters", "query"),
    [
        ({"words": " cup ", "page": "2"}, ItemQuery(words="cup", page=2)),
        ({"column-id": "yes", "columns": "state"}, ItemQuery(columns=("state", "id"))),
        ({"like": "a" * 32, "alike": "question"}, ItemQuery(like="a" * 32, alike="question")),
        ({"like": "a" * 32, "alike": "question", "meaning": "cups"}, ItemQuery(meaning="cups")),
        ({"alike": "question"}, ItemQuery()),
        ({"least": "1", "most": "2", "sort": "measure"}, ItemQuery()),
        ({"measure": "quality.min_side", "least": "1", "sort": "measure"},
         ItemQuery(measure="quality.min_side", least=1.0, sort="measure")),
        ({"sort": HACK, "page": "-1", "columns": HACK, "state": "x" * 501}, ItemQuery()),
    ],
)  # fmt: skip
def test_an_address_holds_only_conditions_that_have_an_effect(parameters: dict[str, str], query: ItemQuery) -> None:
    assert query_in(parameters) == query
    assert query_of_line(query_line(query)) == query


def test_a_form_carries_the_list_and_the_selection() -> None:
    query = ItemQuery(words="a & b = c", state="accepted", columns=("state", "id"), page=3)
    sent = SentList.of({"list": query_line(query), "chosen": "aa bb aa", "every": ""})
    assert sent == SentList(query, ("aa", "bb"))
    many = " ".join(map(str, range(MOST_SELECTED + 5)))
    assert len(SentList.of({"chosen": many, "every": "yes"}).chosen) == MOST_SELECTED
    assert list_address(ItemQuery()) == "/items"
    assert list_address(query).startswith("/items?words=a+%26+b+%3D+c&state=accepted&columns=state%2Cid&page=3")


class SlowIndex:
    """An index whose update takes until it is let go."""

    def __init__(self) -> None:
        self.is_let_go = threading.Event()
        self.updates = 0

    def refresh(self) -> Refreshed:
        self.updates += 1
        assert self.is_let_go.wait(30)
        if self.updates == 3:
            raise BenchwrightError("the index is not writable")
        return Refreshed(f"state {self.updates}")


def test_a_slow_update_of_the_index_is_waited_for_and_not_begun_twice() -> None:
    index = SlowIndex()
    refresh = IndexRefresh(cast(ItemIndex, index))
    assert refresh.generation(patience_s=0.01) is None
    assert refresh.generation(patience_s=0.01) is None
    assert index.updates == 1
    index.is_let_go.set()
    assert refresh.generation() == "state 2"
    with pytest.raises(BenchwrightError, match="not writable"):
        refresh.generation()
    assert refresh.generation() == "state 4", "a failure is not repeated"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path_factory.mktemp("list"), recipe=RECIPE)) as running:
        yield running


@pytest.fixture
def curator(site: ReviewSite) -> Visitor:
    visitor = Visitor(site.url)
    assert visitor.sign_in("cur", PASSWORDS["cur"]).status == 303
    return visitor


def hidden_in(page: str, name: str) -> str:
    found = re.search(f'name="{name}" value="([^"]*)"', page)
    return unescape(found[1]) if found else ""


def post(curator: Visitor, form: str, /, **fields: str) -> Reply:
    page = curator.get("/items").text
    sent = {"token": hidden_in(page, "token"), "of": hidden_in(page, "of"), **fields}
    return curator.send("POST", f"/items/{form}", body=urlencode(sent), headers={"Content-Type": FORM})


def ids_in(page: str) -> list[str]:
    return re.findall(r'data-selects="([0-9a-f]+)"', page)


@pytest.mark.slow
def test_the_effect_of_a_query_is_its_hits_and_its_address(curator: Visitor) -> None:
    every = ids_in(curator.get("/items").text)
    effect = json.loads(curator.get("/items/effect?state=dropped&words=&column-state=yes&least=7").text)
    assert effect["address"] == "/items?state=dropped&columns=state"
    dropped = ids_in(effect["parts"]["items-results"])
    assert dropped
    assert set(dropped) < set(every)
    assert dropped == ids_in(curator.get(effect["address"]).text)
    assert f"{len(dropped)} found" in effect["parts"]["items-found"]


@pytest.mark.slow
def test_hostile_addresses_are_shown_as_text(curator: Visitor) -> None:
    names = ("words", "state", "campaign", "reason", "measure", "meaning", "like", "step", "annotator", "task")
    for path in ("/items?", "/items/effect?"):
        for name in names:
            page = curator.get(f"{path}{name}={quote(HACK)}")
            assert page.status == 200, (path, name)
            assert "<img src=x" not in page.text, (path, name)


@pytest.mark.slow
def test_an_act_is_done_as_it_was_planned_and_once(curator: Visitor) -> None:
    first = ids_in(curator.get("/items?state=dropped").text)[0]
    act = {"list": "state=dropped", "chosen": first, "act": "restore", "why": "large enough"}
    led = post(curator, "plan", **act)
    assert (led.status, led.headers["location"]) == (303, "/items?state=dropped")
    told = curator.get("/items?state=dropped")
    assert f'data-selects="{first}" aria-label="' in told.text
    assert told.text.count(" checked></label>") == 1
    assert "1 would be restored." in told.text
    assert 'href="/items?state=dropped" id="cancel"' in told.text
    planned = hidden_in(told.text, "planned")
    for other in ({"act": "undo"}, {"every": "yes"}, {"chosen": "aa"}, {"planned": HACK}):
        refused = post(curator, "do", **{**act, "planned": planned, **other})
        assert (refused.status, "This page was out of date" in refused.text) == (409, True), other
    assert post(curator, "plan", **act).status == 303
    assert "would be restored" not in curator.get("/items?state=dropped&sort=doubt").text, "it is for one list only"
    assert post(curator, "plan", **act).status == 303
    assert "1 would be restored." in curator.get("/items?state=dropped").text, "nothing was done"
    done = post(curator, "do", **{**act, "planned": planned, "why": "large enough for a phone"})
    assert (done.status, done.headers["location"]) == (303, "/items?state=dropped")
    assert "1 restored." in curator.get("/items").text
    again = post(curator, "do", **act, planned=planned)
    assert (again.status, "This page was out of date" in again.text) == (409, True)
    of = hidden_in(curator.get("/items").text, "of")
    assert post(curator, "undo").status == 303
    assert "1 undone." in curator.get("/items").text
    assert "1 undone." not in curator.get("/items").text, "it shows once"
    assert post(curator, "undo", of=of).status == 422, "it is undone once"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "fields", "words"),
    [
        ("plan", {"act": "withdraw", "why": "x"}, "Select items first."),
        ("plan", {"act": "withdraw", "why": "", "chosen": "aa"}, "give a reason in one line"),
        ("plan", {"act": HACK, "why": "x", "chosen": "aa"}, "is not one of withdraw, restore, undo"),
        ("do", {}, "Select items first."),
        ("do", {"act": "withdraw", "why": "", "chosen": "aa"}, "give a reason in one line"),
        ("undo", {"of": "999"}, "This page was out of date"),
        ("take-back", {"of": HACK}, "This page was out of date"),
        ("assign", {"chosen": "aa", "person": HACK}, "Choose an annotator"),
        ("assign", {"person": "ann"}, "Select items first."),
        ("reopen", {"chosen": "aa", "again_why": ""}, "give a reason in one line"),
        ("reopen", {"again_why": "x"}, "Select items first."),
        ("save-view", {"list": "state=dropped", "view_name": " "}, "a view's name has 1 to 60 characters"),
    ],
)
def test_a_form_is_refused_with_the_reason_and_keeps_the_list(
    curator: Visitor, form: str, fields: dict[str, str], words: str
) -> None:
    reply = post(curator, form, **{"list": "state=dropped", **fields})
    assert reply.status == 422
    assert words in unescape(reply.text)
    assert "<img src=x" not in reply.text
    assert 'data-list="state=dropped"' in reply.text


@pytest.mark.slow
def test_forms_and_pictures_of_other_sites_are_refused(curator: Visitor, site: ReviewSite) -> None:
    for act in ("plan", "do", "undo", "assign", "take-back", "reopen", "save-view", "remove-view", "vectors"):
        assert post(curator, act, token="guessed", chosen="aa", why="x").status == 403, act
    assert curator.send("PUT", "/items/picture", body=b"x").status == 403
    own = {"x-benchwright-draft": "1"}
    unread = curator.send("PUT", "/items/picture?state=dropped", body=b"no picture", headers=own)
    assert (unread.status, "cannot be read as a picture" in unread.text) == (422, True)
    picture = next((site.workspace.parent / "photographs").glob("*.png")).read_bytes()
    alike = json.loads(curator.send("PUT", "/items/picture?state=dropped&page=3", body=picture, headers=own).text)
    assert re.fullmatch(r"/items\?state=dropped&like=hash-[0-9a-f]{16}", alike["address"])
    annotator = Visitor(site.url)
    annotator.sign_in("ann", PASSWORDS["ann"])
    for path in ("/items", "/items/effect", "/items/plan"):
        reply = annotator.get(path)
        assert (reply.status, "piece-" in reply.text) == (404, False), path
