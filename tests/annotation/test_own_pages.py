"""Curators' pages with our own routes: for curators only, by their forms only, and never over another's change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest
from browser.review_site import PASSWORDS, ReviewSite, add_accounts
from servers import serving
from walks import command, make_photographs, run_json

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import ReviewStore, open_store

from .visitor import Reply, Visitor

pytestmark = pytest.mark.slow

RECIPE = """\
# photographs of ours
name: ten
seed: 5
shards: 2
steps:
  - step: quality   # look
    min_side_px: 20
  - step: jigsaw
    min_tile_px: 16
    likeness: keep
  - step: verify
    rule: unanimous(2)   # both
    form: {reasons: [unclear]}
  - splits
"""
MARK = {"x-benchwright-draft": "1"}
PAGES = (
    "/new-benchmark/source", "/recipe", "/recipe/text", "/recipe/step?entry=verify", "/publish", "/build", "/people", "/flags",
    "/send-photographs", "/messages", "/rules?campaign=verify", "/rules/effect?campaign=verify", "/thresholds",
    "/thresholds/effect?threshold=quality.min_side_px",
)  # fmt: skip
CHANGES = (
    "/new-benchmark/source", "/new-benchmark/check", "/recipe/text", "/recipe/apply", "/recipe/run", "/recipe/close",
    "/publish/freeze", "/publish/send", "/publish/export", "/build/run", "/build/funnel", "/people/add", "/people/lock",
    "/people/access", "/flags/settle", "/messages/send", "/messages/withdraw",
)  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    """The app over a workspace whose recipe came from the command line and waits for annotators."""
    place = tmp_path_factory.mktemp("own")
    make_photographs(place / "photographs", count=4)
    (place / "ten.yaml").write_text(RECIPE, encoding="utf-8")
    workspace = place / "workspace"
    images = ("--images", place / "photographs")
    assert run_json("run", place / "ten.yaml", *images, "--workspace", workspace)["state"] == "waiting"
    add_accounts(workspace)
    words = ("review", "serve", "--recipe", place / "ten.yaml", *images, "--workspace", workspace)
    with serving(
        lambda port: command(*words, "--port", port), log=place / "server.log", health="/login"
    ) as server:  # fmt: skip
        yield ReviewSite(server, workspace)


@pytest.fixture(autouse=True)
def recipe(site: ReviewSite) -> Path:
    path = site.workspace.parent / "ten.yaml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


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


@pytest.fixture
def curator(signed_in: Callable[[str], Visitor]) -> Visitor:
    return signed_in("cur")


def post(visitor: Visitor, path: str, **fields: str) -> Reply:
    """Send a form with the token of the session, unless `token` is given."""
    token = hidden(visitor.get("/publish"), "token")
    body = urlencode({"token": token, **fields})
    return visitor.send("POST", path, body=body, headers={"Content-Type": "application/x-www-form-urlencoded"})


def hidden(page: Reply, name: str) -> str:
    """Return the content of a hidden field of a page."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page.text)
    assert found is not None, page.text[:500]
    return unescape(found[1])


def main_of(page: Reply) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", page.text.partition("<main")[2]))


@pytest.mark.parametrize("path", PAGES)
def test_nobody_but_a_curator_sees_a_page(site: ReviewSite, signed_in: Callable[[str], Visitor], path: str) -> None:
    assert Visitor(site.url).get(path, Accept="text/html").status == 303
    assert signed_in("ann").get(path).status == 404
    assert signed_in("cur").get(path).status == 200


@pytest.mark.parametrize("path", CHANGES)
def test_nothing_is_changed_without_the_token_of_the_session(
    site: ReviewSite, signed_in: Callable[[str], Visitor], recipe: Path, path: str
) -> None:
    text = "name: other\nsteps: [jigsaw]\n"
    curator, ann = signed_in("cur"), signed_in("ann")
    token_of_ann = "0" * 64
    for token in ("", token_of_ann, "é"):
        assert post(curator, path, token=token, text=text, campaign="verify").status == 403
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    token = hidden(curator.get("/publish"), "token")
    assert ann.send("POST", path, body=urlencode({"token": token, "text": text}), headers=headers).status == 404
    assert recipe.read_text(encoding="utf-8") == RECIPE
    assert not (site.workspace / "releases").exists()


@pytest.mark.parametrize(
    "path",
    [
        "/new-benchmark/draft",
        "/new-benchmark/table?name=a.csv",
        "/recipe/draft",
        "/guidelines-edit/draft",
        "/people/file?name=a.csv",
        "/send-photographs/file?folder=a&path=b.png",
    ],
)
def test_what_is_typed_and_sent_comes_from_a_page_of_the_app(
    signed_in: Callable[[str], Visitor], site: ReviewSite, path: str
) -> None:
    assert signed_in("cur").send("PUT", path, body=b"name=x").status == 403
    assert signed_in("ann").send("PUT", path, body=b"name=x", headers=MARK).status == 403
    assert not (site.workspace / "uploads").exists()


@pytest.mark.parametrize(
    ("path", "most_mb", "words"),
    [
        ("/new-benchmark/draft", 3, "This is too long"),
        ("/recipe/draft", 3, "This is too long"),
        ("/guidelines-edit/draft", 3, "This is too long"),
        ("/people/file?name=a.csv", 1, "a table can have at most 1 MB"),
    ],
)
def test_what_is_too_large_is_refused_with_its_bound(curator: Visitor, path: str, most_mb: int, words: str) -> None:
    reply = curator.send("PUT", path, body=b"x" * ((most_mb << 20) + 1), headers=MARK)
    assert (reply.status, words in reply.text) == (413, True)


def test_a_dialogue_is_refused_where_a_benchmark_is_and_says_where_to_go(curator: Visitor) -> None:
    page = curator.get("/new-benchmark/source")
    assert "already holds the benchmark ten" in main_of(page)
    assert post(curator, "/new-benchmark/check").status in {303, 422}
    assert curator.get("/new-benchmark/check").status == 200


def test_mistakes_of_a_text_are_named_by_line_and_key_and_the_text_is_kept(curator: Visitor, recipe: Path) -> None:
    wrong = RECIPE.replace("min_tile_px", "min_tile_pix")
    digest = hidden(curator.get("/recipe/text"), "digest")
    page = post(curator, "/recipe/text", digest=digest, text=wrong)
    assert page.status == 422
    assert "line 9: unknown key 'min_tile_pix' (value 16); did you mean 'min_tile_px'?" in main_of(page)
    assert "min_tile_pix: 16" in main_of(curator.get("/recipe/text"))
    assert recipe.read_text(encoding="utf-8") == RECIPE
    assert post(curator, "/recipe/drop").status == 303
    assert "min_tile_pix" not in main_of(curator.get("/recipe/text"))


def test_a_change_shows_its_effect_and_is_applied_to_recipe_and_campaign_with_the_old_text_kept(
    curator: Visitor, recipe: Path, store: ReviewStore, site: ReviewSite
) -> None:
    now = datetime.now(UTC)
    first, second = sorted(task.id for task in store.tasks("verify"))[:2]
    for name, task, say in (
        ("ann", first, Submission("accept")), ("ben", first, Submission("reject", reasons=("unclear",))),
        ("ann", second, Submission("accept")), ("ben", second, Submission("accept")),
    ):  # fmt: skip
        store.decide("verify", task, name, say, now=now)
    digest = hidden(curator.get("/recipe/step?entry=verify"), "digest")
    page = post(curator, "/recipe/step?entry=verify", digest=digest, votes="2", agree="2", adjudicated="yes")
    words = main_of(page)
    assert "Decided items whose outcome changes: 1" in words
    assert store.campaign("verify").rule == "unanimous(2)"
    text = hidden(page, "text")
    assert text == RECIPE.replace("rule: unanimous(2) ", "rule: adjudicated(unanimous(2)) ")
    stale = post(curator, "/recipe/apply", digest="0" * 64, text=text)
    assert (stale.status, "has changed in the meantime" in main_of(stale)) == (409, True)
    assert post(curator, "/recipe/apply", digest=digest, text=text).status == 303
    assert (recipe.read_text(encoding="utf-8"), store.campaign("verify").rule) == (text, "adjudicated(unanimous(2))")
    [before] = (site.workspace / "recipes" / "before").iterdir()
    assert before.read_text(encoding="utf-8") == RECIPE
    more = post(
        curator, "/recipe/step?entry=verify", digest=hidden(curator.get("/recipe/text"), "digest"), votes="1", agree="1"
    )
    assert (more.status, "2 tasks have more than 1 decision" in main_of(more)) == (422, True)


def test_another_threshold_shows_the_records_that_it_changes(curator: Visitor) -> None:
    digest = hidden(curator.get("/recipe/step?entry=quality"), "digest")
    page = post(curator, "/recipe/step?entry=quality", digest=digest, **{"set-min_side_px": "205"})
    words = main_of(page)
    assert "min_side_px: 20 becomes 205" in words
    assert re.search(r"Records whose outcome changes: [1-9]", words)
    assert post(curator, "/recipe/step?entry=quality", digest=digest, **{"set-min_side_px": "many"}).status == 422


def test_a_further_campaign_is_a_step_of_the_recipe(curator: Visitor) -> None:
    digest = hidden(curator.get("/recipe/campaign"), "digest")
    sent = {"kind": "answer", "as": "baseline", "after": "2", "votes": "3", "agree": "3", "opens_with": "verify"}
    page = post(curator, "/recipe/campaign", digest=digest, **sent)
    assert page.status == 200, main_of(page)
    assert "step: answer\n    as: baseline\n    opens_with: verify\n    annotators_per_item: 3\n" in hidden(
        page, "text"
    )
    refused = post(curator, "/recipe/campaign", digest=digest, **{**sent, "opens_with": "nowhere"})
    assert (refused.status, "is not an earlier campaign" in main_of(refused)) == (422, True)


def test_what_people_typed_is_text_and_nothing_else(curator: Visitor) -> None:
    hostile = "<script>alert(1)</script>\"'><img src=x>"
    sent = urlencode({"text": hostile})
    assert curator.send("PUT", "/recipe/draft", body=sent, headers=MARK).status == 204
    for path in (
        "/recipe/text",
        f"/recipe/step?{urlencode({'entry': hostile})}",
        f"/recipe/step?{urlencode({'entry': 'verify', 'votes': hostile})}",
    ):
        page = curator.get(path)
        assert "<script>alert" not in page.text, path
        assert "<img" not in page.text, path
    policy = page.headers["content-security-policy"]
    assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
    post(curator, "/recipe/drop")


def test_a_release_is_published_nowhere_that_the_server_was_not_given(curator: Visitor, site: ReviewSite) -> None:
    page = post(curator, "/publish/send", release="../..", place=str(site.workspace), **{"as": "x"})
    assert (page.status, "There is no such release" in main_of(page)) == (422, True)
    page = post(curator, "/publish/freeze", name="Not A Name", version="1.0")
    assert (page.status, "lowercase letters, digits and hyphens" in main_of(page)) == (422, True)


def test_a_campaign_is_closed_and_opened_again(curator: Visitor, store: ReviewStore) -> None:
    for act, is_closed in (("close", True), ("reopen", False)):
        assert post(curator, f"/recipe/{act}", campaign="verify").status == 303
        assert store.campaign("verify").is_closed is is_closed
    assert post(curator, "/recipe/close", campaign="absent").status == 409
