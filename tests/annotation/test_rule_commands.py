"""A campaign's rule changed on the command line, after a report of its effect on the decisions."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime

from walks import in_process

from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.records import Item
from benchwright.steps import CampaignContext


def test_one_rule_is_put_in_force_and_what_changes_is_said(
    store: ReviewStore, context: CampaignContext, make_items: Callable[..., list[Item]], now: datetime
) -> None:
    Verify(rule="unanimous(2)", form={"reasons": ["unclear"]}).advance(make_items(jigsaw=1), context)
    [task] = store.tasks("verify")
    for name, said in (("ann", Submission("accept")), ("ben", Submission("reject", reasons=("unclear",)))):
        store.upsert_annotator(name)
        store.decide("verify", task.id, name, said, now=now)
    arguments = ("review", "rules", "--workspace", context.workspace, "--campaign", "verify", "--json")
    done = in_process(*arguments, "--rule", "adjudicated(unanimous(2))", "--apply")
    [trial] = json.loads(done.stdout)["rules"]
    assert (done.returncode, trial["changed"], trial["waits"]) == (0, 1, 1)
    assert store.campaign("verify").rule == "adjudicated(unanimous(2))"
    refused = in_process(*arguments, "--apply")
    assert (refused.returncode, "name it with --rule" in refused.stderr) == (2, True)


def test_pay_of_the_recipe_is_taken_where_no_rate_is_given(
    store: ReviewStore, context: CampaignContext, make_items: Callable[..., list[Item]], now: datetime
) -> None:
    items = make_items(jigsaw=1)
    Verify(rule="single", handout={"pay": {"rate": 12.5, "currency": "EUR"}}).advance(items, context)
    [task] = store.tasks("verify")
    store.upsert_annotator("ann")
    store.decide("verify", task.id, "ann", Submission("accept"), now=now)
    arguments = ("review", "pay", "--workspace", context.workspace, "--campaign", "verify", "--json")
    [row] = json.loads(in_process(*arguments).stdout)["people"]
    assert (row["rate"], row["currency"]) == (12.5, "EUR")
    [row] = json.loads(in_process(*arguments, "--rate", "20").stdout)["people"]
    assert (row["rate"], row["currency"]) == (20.0, "EUR")
    Verify(rule="single").advance(items, context)
    refused = in_process(*arguments)
    assert (refused.returncode, "states no pay for 'verify'" in refused.stderr) == (2, True)
