"""The pages on which curators try rules and thresholds: what an address may hold, and what the pages answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import quote

import pytest
from browser.review_site import PASSWORDS, ReviewSite, make_workspace, serve

from benchwright.annotation.app.item_list.record_tiles import GridTile, tiles_html

from .visitor import Reply, Visitor

HACK = '"><img src=x onerror=alert(1)>'
RECIPE = """\
name: ten
seed: 5
steps:
  - step: quality
    min_side_px: 200
  - step: jigsaw
    mode: paper
    min_tile_px: 16
  - step: verify
    rule: at_least(2, of=3)
"""
SIDE = "/thresholds?threshold=quality.min_side_px"


def test_tiles_show_texts_as_texts() -> None:
    tile = GridTile(
        id=HACK, href=f"/item?id={HACK}", src=f"/curator/pictures/{HACK}", name=HACK, title=f"{HACK} $x^2$",
        lines=[HACK, "a\u202eb"], state=HACK, state_words=HACK, pictures=2,
    )  # fmt: skip
    html = tiles_html([tile])
    assert HACK not in html
    assert re.findall(r"<img [^>]*>", html) == re.findall(r'<img src="/curator/[^>]*>', html)
    assert "<math" in html
    assert "\u202e" not in html
    assert tiles_html([]) == ""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_workspace(tmp_path_factory.mktemp("tried"), recipe=RECIPE)) as running:
        yield running


@pytest.fixture
def curator(site: ReviewSite) -> Visitor:
    visitor = Visitor(site.url)
    assert visitor.sign_in("cur", PASSWORDS["cur"]).status == 303
    return visitor


def main_of(page: Reply) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", page.text.partition("<main")[2]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "status", "words"),
    [
        pytest.param("210", 200, "With 210:", id="whole"),
        pytest.param("", 200, "Nothing would change", id="empty"),
        pytest.param(" 210,0 ", 200, "With 210:", id="comma"),
        pytest.param("٢١٠", 200, "With 210:", id="Arabic digits"),
        pytest.param("210.5", 422, "min_side_px does not accept 210.5", id="part of a pixel"),
        pytest.param("0", 422, "min_side_px does not accept 0", id="refused by the setting"),
        pytest.param("nan", 422, "nan is not a number", id="not a number"),
        pytest.param("1e999", 422, "1e999 is not a number", id="infinite"),
        pytest.param("abc", 422, "abc is not a number", id="words"),
        pytest.param("9" * 5000, 422, "does not accept", id="long"),
    ],
)
def test_a_tried_number_is_read_as_people_write_it_or_refused(
    curator: Visitor, typed: str, status: int, words: str
) -> None:
    page = curator.get(f"{SIDE}&at={quote(typed)}")
    assert (page.status, words in main_of(page)) == (status, True), main_of(page)[:500]


@pytest.mark.slow
def test_a_long_number_keeps_its_digits(curator: Visitor) -> None:
    page = main_of(curator.get(f"{SIDE}&at=12345678"))
    assert "With 12345678:" in page
    assert "min_side_px: 12345678" in page


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        f"/thresholds?threshold={quote(HACK)}&at={quote(HACK)}",
        f"{SIDE}&at={quote(HACK)}",
        f"/rules?campaign=verify&rule={quote(HACK)}",
        f"/rules?campaign={quote(HACK)}",
    ],
)
def test_an_address_with_something_else_is_refused_as_text(curator: Visitor, path: str) -> None:
    page = curator.get(path)
    assert page.status in {404, 422}
    assert HACK not in page.text
    assert "<img src=x" not in page.text


@pytest.mark.slow
def test_the_votes_that_sureness_would_save_are_shown_where_the_address_asks_for_them(curator: Visitor) -> None:
    title = "Votes saved"
    assert title not in main_of(curator.get("/rules?campaign=verify"))
    asked = "campaign=verify&rule=unanimous(3)&sureness=yes"
    page = main_of(curator.get(f"/rules?{asked}"))
    assert (title in page, "All 3 agree would keep" in page, "rule: unanimous(3)" in page) == (True, True, True)
    effect = json.loads(curator.get(f"/rules/effect?{asked}").text)
    assert effect["address"] == "/rules?campaign=verify&rule=unanimous%283%29&sureness=yes"
    assert title in effect["parts"]["rule-sureness"]
    assert effect["invalid"] == []


@pytest.mark.slow
def test_the_rule_in_force_changes_nothing_and_offers_no_change(curator: Visitor) -> None:
    page = curator.get("/rules?campaign=verify&rule=at_least(2, of=3)".replace(" ", "%20"))
    assert (page.status, "2 of 3 agree is in force" in main_of(page)) == (200, True)
    assert "change-there" not in page.text


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/rules/effect?campaign=x", "/thresholds/effect", "/thresholds/effect?threshold=x"])
def test_the_effect_of_something_unknown_is_refused(curator: Visitor, path: str) -> None:
    assert curator.get(path).status == 404
