"""MVP-Bench's Table 1: agreement per question type, and the share of kept items."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchwright.annotation.agreement.ratings import Rating
from benchwright.annotation.campaigns.running.kept_table import ReviewedItem, TypeRow, kept_in, kept_table
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.cli.kept import kept, table_text
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import open_store
from benchwright.annotation.workflow.settlement.revisions import open_next_rounds
from benchwright.records import Item
from benchwright.steps import CampaignContext
from benchwright.workspace.workspace import Workspace

MakeItems = Callable[..., list[Item]]

# The paper states 89.64, 85.14, 95.38 and overall 89.67 over 3205 questions, of which 1872 were kept, but not how many there
# are of each type. These numbers are one of the few ways in which all of that fits together.
PAPER = {"yes_no": (1457, 1306, 850), "multiple_choice": (969, 825, 520), "cross_image": (779, 743, 502)}


def looked_at(name: str, total: int, agreed: int, both_accept: int) -> tuple[list[ReviewedItem], list[Rating]]:
    """Return items that two annotators decided: both accept, both reject, or one each."""
    items, ratings = [], []
    for n in range(total):
        said = ("accept", "accept") if n < both_accept else ("reject", "reject") if n < agreed else ("accept", "reject")
        items.append(ReviewedItem(f"{name}-{n}", name, said == ("accept", "accept")))
        ratings += [Rating(f"{name}-{n}", who, word) for who, word in zip(("one", "two"), said, strict=True)]
    return items, ratings


@pytest.fixture(scope="module")
def paper() -> list[TypeRow]:
    made = {name: looked_at(name, *numbers) for name, numbers in PAPER.items()}
    return kept_table(
        [one for items, _ in made.values() for one in items],
        {name: ratings for name, (_, ratings) in made.items()},
        ("accept", "reject", "revise"),
    )


def test_the_papers_numbers_come_out_as_its_table_prints_them(paper: list[TypeRow]) -> None:
    assert {row.type: f"{100 * row.percent:.2f}" for row in paper if row.percent is not None} == {
        "yes_no": "89.64", "multiple_choice": "85.14", "cross_image": "95.38", "overall": "89.67",
    }  # fmt: skip
    overall = paper[-1]
    assert (overall.kept, overall.decided, overall.total) == (1872, 3205, 3205)


def test_the_table_has_a_column_for_each_type_and_the_overall_one_last(paper: list[TypeRow]) -> None:
    head, agreement, alpha, *counts = (line.split() for line in table_text(paper).splitlines())
    assert head == ["cross_image", "multiple_choice", "yes_no", "overall"]
    assert agreement == ["agreement", "%", "95.38", "85.14", "89.64", "89.67"]
    assert alpha[0] == "alpha"
    assert counts == [
        ["kept", "502", "520", "850", "1872"],
        ["decided", "779", "969", "1457", "3205"],
        ["total", "779", "969", "1457", "3205"],
        ["compared", "779", "969", "1457", "3205"],
    ]


def test_what_is_open_is_not_decided_and_what_nobody_said_is_undefined() -> None:
    rows = kept_table([ReviewedItem("a", "jigsaw", None), ReviewedItem("b", "jigsaw", True)], {})
    assert rows[0] == TypeRow("jigsaw", 2, 1, 1, None, None, 0)
    assert "undefined" in table_text(rows)
    assert kept_table([], {}) == [TypeRow("overall", 0, 0, 0, None, None, 0)]


def test_a_campaign_counts_every_round_and_the_last_word_on_each_item(
    context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=3, naming=1)
    Verify().advance(items, context)
    said = {0: ("accept", "accept"), 1: ("accept", "revise"), 2: ("accept", "reject")}
    with open_store(context.store_url) as store:
        for name in ("ann", "ben", "cas"):
            store.upsert_annotator(name)
        tasks = {task.item_id: task.id for task in store.tasks("verify")}
        for number, words in said.items():
            for name, word in zip(("ann", "ben"), words, strict=True):
                edits = {"question": "Which one?"} if word == "revise" else None
                store.decide("verify", tasks[items[number].item_id], name, Submission(word, edits=edits), now=now)
        open_next_rounds(store, "verify")
        open_now = kept_in(store, "verify")
        version = next(task for task in store.tasks("verify") if task.payload["question"] == "Which one?")
        for name in ("ann", "cas"):
            store.decide("verify", version.id, name, Submission("accept"), now=now)
        closed = kept_in(store, "verify")
    # Jigsaw: both accept; accept and revise, then in round 2 both accept; accept and reject.
    assert open_now[0][:4] == ("jigsaw", 3, 2, 1)
    assert open_now[0].percent == pytest.approx(1 / 3, abs=1e-6)
    assert closed[0][:4] == ("jigsaw", 3, 3, 2)
    assert closed[0].percent == pytest.approx(2 / 4)
    assert (open_now[0].compared, closed[0].compared) == (3, 4)
    assert closed[1] == TypeRow("naming", 1, 0, 0, None, None, 0)
    assert closed[2][:5] == ("overall", 4, 3, 2, 0.5)


def test_the_command_prints_it(tmp_path: Path, make_items: MakeItems, now: datetime) -> None:
    Workspace.create(tmp_path).save_settings({})
    ctx = CampaignContext(seed=1, stage="verify", workspace=tmp_path, store_url=f"sqlite:///{tmp_path}/review.sqlite")
    Verify().advance(make_items(jigsaw=2), ctx)
    with open_store(ctx.store_url) as store:
        for task in store.tasks("verify"):
            for name in ("ann", "ben"):
                store.upsert_annotator(name)
                store.decide("verify", task.id, name, Submission("accept"), now=now)
    said = CliRunner().invoke(kept, ["--workspace", str(tmp_path), "--json"])
    assert json.loads(said.stdout)["overall"] == {
        "type": "overall", "total": 2, "decided": 2, "kept": 2, "percent": 1.0, "krippendorff_alpha": None,
        "compared": 2,
    }  # fmt: skip
    assert "100.00" in CliRunner().invoke(kept, ["--workspace", str(tmp_path)]).stdout
