"""Tables of questions sent by the HTTP API: a further file in the recipe's folder, and a run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from api_client import ApiClient
from browser.review_site import ReviewSite, add_accounts, serve

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.jobs.question_tables import add_table
from benchwright.annotation.store.integrations.api_tokens import ApiTokens
from benchwright.annotation.store.review_store import open_store
from benchwright.errors import BenchwrightError
from benchwright.images import encode_png
from benchwright.pipeline import run_recipe
from benchwright.recipe import load_recipe

pytestmark = pytest.mark.slow

RECIPE = """\
name: cups
shards: 2
steps:
  - step: items
    file: bench
  - step: verify
    rule: single
"""
HEAD = "id,question,image,A,B,answer"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    place = tmp_path_factory.mktemp("added")
    (place / "bench").mkdir()
    (place / "photographs").mkdir()
    rng = np.random.default_rng(4)
    for number in range(4):
        picture = encode_png(rng.integers(0, 256, (40 + number, 60, 3), dtype=np.uint8))
        (place / "bench" / f"cup{number}.png").write_bytes(picture)
    (place / "bench" / "q.csv").write_text(f"{HEAD}\nq0,Which cup is it?,cup0.png,one,two,A\n", encoding="utf-8")
    (place / "recipe.yaml").write_text(RECIPE, encoding="utf-8")
    run_recipe(
        load_recipe(place / "recipe.yaml"), workspace=place / "workspace", images=place / "photographs", workers=1
    )
    add_accounts(place / "workspace")
    with serve(place / "workspace") as running:
        yield running


def table(*rows: str) -> bytes:
    return "\n".join([HEAD, *rows]).encode()


def test_a_table_becomes_items_of_the_campaign_once(site: ReviewSite) -> None:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as store:
        _, token = ApiTokens(store).make("verify", "curator", "cur", label="t", by="cur", now=clock())
    cur, sent = ApiClient(site.url, token), {"Content-Type": "text/csv"}
    data = table("q1,Which cup is blue?,cup1.png,one,two,B", "q2,Which cup is new?,nowhere.png,one,two,B")
    reply = cur.send("POST", "/campaigns/verify/items", data=data, headers=sent, key="t1")
    assert (reply.status, reply.document["items"], sum(reply.document["left_out"].values())) == (202, 1, 1)
    until = time.monotonic() + 90
    while (job := cur.get(f"/campaigns/verify/jobs/{reply.document['job']['id']}").document)["state"] == "running":
        assert time.monotonic() < until
        time.sleep(0.2)
    assert job["state"] == "done"
    items = cur.get("/campaigns/verify/items").document["items"]
    assert sorted(item["item"]["question"] for item in items) == ["Which cup is blue?", "Which cup is it?"]
    again = cur.send("POST", "/campaigns/verify/items", data=data, headers=sent, key="t1")
    assert again.document["job"]["id"] == reply.document["job"]["id"]
    assert len(list((site.workspace.parent / "bench").glob("added-*.csv"))) == 1


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(table(), id="no rows"),
        pytest.param(b"a,b\n1,2\n", id="other columns"),
        pytest.param(b"\x00\xff" * 50, id="no table"),
        pytest.param(table("q9,Which?,nowhere.png,one,two,B"), id="no picture"),
        pytest.param(table("q9,Which?,../../../etc/passwd,one,two,B"), id="a picture elsewhere"),
    ],
)
def test_a_table_that_gives_no_item_is_refused_and_nothing_is_written(site: ReviewSite, data: bytes) -> None:
    before = sorted(path.name for path in (site.workspace.parent / "bench").iterdir())
    with pytest.raises(BenchwrightError):
        add_table(site.workspace, data)
    assert sorted(path.name for path in (site.workspace.parent / "bench").iterdir()) == before


def test_a_recipe_that_reads_no_folder_takes_no_table(site: ReviewSite, tmp_path: Path) -> None:
    from benchwright.annotation.jobs import question_tables
    from benchwright.annotation.jobs.recipe_source import RecipeSource

    for steps, words in (("[jigsaw]", "no step `items`"), ("[{step: items, file: q.csv}]", "from a file")):
        (tmp_path / "r.yaml").write_text(f"name: r\nsteps: {steps}\n", encoding="utf-8")
        with pytest.raises(BenchwrightError, match=words):
            question_tables._folder_of(RecipeSource(tmp_path / "r.yaml", tmp_path).recipe)
