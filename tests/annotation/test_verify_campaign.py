"""The campaign step `verify`: it waits for annotators, keeps and drops under its rule, and reports agreement."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime

import pytest
from pydantic import ValidationError

from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.simulated.annotators import SimulatedAnnotators, simulated_decisions
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.settlement.rules import parse_rule
from benchwright.canonical import canonical_json
from benchwright.errors import BenchwrightError
from benchwright.records import Item
from benchwright.steps import CampaignContext, Outcome

MakeItems = Callable[..., list[Item]]


def say(store: ReviewStore, items: list[Item], decisions: dict[str, str], now: datetime) -> None:
    """Let annotators decide: by name one letter per item, `a` or `r`."""
    tasks = {task.item_id: task.id for task in store.tasks("verify", states=("open", "done"))}
    for annotator, letters in decisions.items():
        store.upsert_annotator(annotator)
        for item, letter in zip(items, letters, strict=True):
            if letter != ".":
                said = {"a": "accept", "r": "reject"}[letter]
                store.decide(
                    "verify",
                    tasks[item.item_id],
                    annotator,
                    Submission(said, reasons=("unclear",)[: said == "reject"]),
                    now=now,
                )


def test_an_open_campaign_waits_and_says_how_many_slots_and_what_to_do(
    context: CampaignContext, make_items: MakeItems
) -> None:
    verdicts = Verify().advance(make_items(jigsaw=3), context)
    assert verdicts.outcomes == {}
    assert verdicts.waiting is not None
    assert "3 of 3 tasks and 6 slots are open under unanimous(2)" in verdicts.waiting
    assert f"benchwright review export --workspace {context.workspace} --campaign verify" in verdicts.waiting
    assert "\n" not in verdicts.waiting


def test_it_waits_until_the_last_slot_is_done(context: CampaignContext, make_items: MakeItems, now: datetime) -> None:
    items = make_items(jigsaw=2)
    Verify().advance(items, context)
    with open_store(context.store_url) as store:
        say(store, items, {"ann": "aa", "ben": "a."}, now)
        waiting = Verify().advance(items, context).waiting
        assert waiting is not None
        assert "1 of 2 tasks and 1 slot" in waiting
        say(store, items[1:], {"cas": "r"}, now)
    assert Verify().advance(items, context).waiting is None


def test_a_closed_campaign_keeps_what_was_accepted_and_drops_the_rest_with_a_reason(
    context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=2, correspondence=3)
    Verify().advance(items, context)
    with open_store(context.store_url) as store:
        say(store, items, {"ann": "aarar", "ben": "aarr."}, now)
        say(store, items[4:], {"cas": "r"}, now)
    verdicts = Verify().advance(items, context)
    assert {item.item_id: verdicts.outcomes[item.item_id].reason for item in items} == dict(
        zip(
            [item.item_id for item in items],
            [None, None, "rejected", "no_agreement", "rejected"],
            strict=True,
        )
    )
    assert verdicts.outcomes[items[3].item_id] == Outcome(
        "drop",
        "no_agreement",
        evidence={
            "rule": "unanimous(2)", "accept": 1, "reject": 1, "revise": 0, "reasons": {"unclear": 1},
            "simulated": False,
        },
    )  # fmt: skip
    summary = verdicts.summary
    assert {key: summary[key] for key in ("rule", "simulated", "total", "kept", "rejected", "no_agreement")} == {
        "rule": "unanimous(2)", "simulated": False, "total": 5, "kept": 2, "rejected": 2, "no_agreement": 1,
    }  # fmt: skip
    # Correspondence: pairs rr, ar, rr. Two of three agree; alpha from coincidences o_ar = 2, n = (1, 5).
    assert summary["tasks"] == {
        "correspondence": {
            "total": 3, "kept": 0, "rejected": 2, "needs_revision": 0, "out_of_rounds": 0, "no_agreement": 1,
            "percent": round(2 / 3, 6), "krippendorff_alpha": round(1 - 2 / (2 * 1 * 5 / 5), 6),
        },
        "jigsaw": {
            "total": 2, "kept": 2, "rejected": 0, "needs_revision": 0, "out_of_rounds": 0, "no_agreement": 0,
            "percent": 1.0, "krippendorff_alpha": None,
        },
    }  # fmt: skip
    assert summary["annotators"] == {
        "annotator-1": {"accept": 3, "reject": 2, "revise": 0},
        "annotator-2": {"accept": 2, "reject": 2, "revise": 0},
        "annotator-3": {"accept": 0, "reject": 1, "revise": 0},
    }
    assert summary["agreement"]["percent"] == 0.8
    assert "ann" not in json.dumps(summary).replace("annotator", "")


def test_an_item_that_enough_ask_to_revise_is_dropped_as_such_and_a_note_says_what_to_change(
    context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=1)
    Verify().advance(items, context)
    with open_store(context.store_url) as store:
        [task] = store.tasks("verify")
        for name in ("ann", "ben"):
            store.upsert_annotator(name)
            with pytest.raises(RefusedError, match="needs a note"):
                store.decide("verify", task.id, name, Submission("revise", note=" "), now=now)
            store.decide("verify", task.id, name, Submission("revise", note="say which piece"), now=now)
    verdicts = Verify().advance(items, context)
    assert verdicts.outcomes[items[0].item_id].reason == "needs_revision"
    assert verdicts.summary["needs_revision"] == 1


def test_verdicts_do_not_depend_on_the_order_of_items_or_when_people_decided(
    context: CampaignContext, make_items: MakeItems, now: datetime, tmp_path: object
) -> None:
    items = make_items(jigsaw=4, correspondence=2)
    found = []
    for number, (order, moment) in enumerate([(items, now), (items[::-1], now.replace(year=2031))]):
        ctx = context._replace(store_url=f"sqlite:///{tmp_path}/{number}.sqlite")
        Verify().advance(order, ctx)
        with open_store(ctx.store_url) as store:
            say(store, items, {"ann": "aarraa", "ben": "araraa"}, moment)
        verdicts = Verify().advance(order, ctx)
        found.append((dict(verdicts.outcomes), canonical_json(dict(verdicts.summary))))
    assert found[0] == found[1]


def test_a_changed_item_opens_the_campaign_again_and_the_others_keep_their_verdicts(
    context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=3)
    Verify().advance(items, context)
    with open_store(context.store_url) as store:
        say(store, items, {"ann": "aaa", "ben": "aaa"}, now)
    assert Verify().advance(items, context).waiting is None
    changed = [*make_items("Which one?", jigsaw=1), *items[1:]]
    waiting = Verify().advance(changed, context).waiting
    assert waiting is not None
    assert "1 of 3 tasks and 2 slots" in waiting
    assert Verify().advance(items, context).waiting is None


def test_no_items_make_a_closed_campaign_with_nothing_in_it(context: CampaignContext) -> None:
    verdicts = Verify().advance([], context)
    assert (verdicts.waiting, verdicts.outcomes, verdicts.summary["total"]) == (None, {}, 0)


# Settings


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param({"rule": "unanimous"}, "did you mean unanimous.2.", id="rule"),
        pytest.param({"simulate": {"annotators": 1}}, "1 annotator cannot fill 2 slots of unanimous.2.", id="few"),
        pytest.param({"simulate": {"annotators": 2, "error_rate": 1.5}}, "less than or equal to 1", id="rate"),
        pytest.param(
            {"simulate": {"annotators": 2, "reasons": ["dull"]}}, "'dull' is not one of the form's", id="reason"
        ),
        pytest.param({"rules": "unanimous(2)"}, "Extra inputs are not permitted", id="unknown key"),
    ],
)  # fmt: skip
def test_settings_that_cannot_work_are_refused_in_words(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Verify(**settings)  # type: ignore[arg-type]


def test_a_rule_is_kept_in_one_spelling() -> None:
    assert Verify(rule=" at_least( 4,of=5 ) ").parameters() == Verify(rule="at_least(4, of=5)").parameters()


# Simulated annotators


@pytest.mark.slow
def test_simulated_annotators_close_a_campaign_and_show_as_simulated(
    context: CampaignContext, make_items: MakeItems
) -> None:
    step = Verify(rule="at_least(2, of=3)", simulate=SimulatedAnnotators(annotators=7, error_rate=0.3))
    items = make_items(jigsaw=40, correspondence=25)
    verdicts = step.advance(items, context)
    assert verdicts.waiting is None
    assert verdicts.summary["simulated"] is True
    assert all(outcome.evidence["simulated"] for outcome in verdicts.outcomes.values())
    assert 0 < verdicts.summary["kept"] < 65
    assert sorted(verdicts.summary["annotators"]) == [f"annotator-{n}" for n in range(1, 8)]
    with open_store(context.store_url) as store:
        decisions = store.decisions("verify")
    assert {one.annotator_kind for one in decisions} == {"simulated"}
    assert len({(one.item_id, one.annotator) for one in decisions}) == 65 * 3
    assert step.advance(items, context) == verdicts


@pytest.mark.parametrize(
    ("error_rate", "answer", "kept"),
    [
        pytest.param(0.0, "B", 9, id="sane, sound items"),
        pytest.param(0.0, None, 0, id="sane, items without an answer"),
        pytest.param(1.0, "B", 0, id="always wrong"),
        pytest.param(1.0, None, 9, id="always wrong on items without an answer"),
    ],
)
def test_a_simulated_annotator_departs_from_the_sane_judgement_at_its_rate(
    context: CampaignContext, make_items: MakeItems, error_rate: float, answer: str | None, kept: int
) -> None:
    step = Verify(simulate=SimulatedAnnotators(annotators=3, error_rate=error_rate))
    assert step.advance(make_items(jigsaw=9, answer=answer), context).summary["kept"] == kept


def test_who_takes_an_item_and_what_each_says_hangs_on_nothing_but_seed_stage_and_item() -> None:
    settings = SimulatedAnnotators(annotators=6, error_rate=0.4, reasons=("unclear", "bad_image"))

    def said(item: str, seed: int = 1, stage: str = "verify") -> list[object]:
        return list(simulated_decisions(settings, item, {"answer": "B"}, slots=4, seed=seed, stage=stage))

    assert said("a") == said("a")
    assert len({str(said(item, seed, stage)) for item in "ab" for seed in (1, 2) for stage in ("v", "w")}) == 8
    everyone = [one for n in range(400) for one in simulated_decisions(
        settings, str(n), {"answer": "B"}, slots=4, seed=1, stage="verify")]  # fmt: skip
    share = sum(one.submission.decision == "reject" for one in everyone) / len(everyone)
    assert share == pytest.approx(0.4, abs=0.05)
    assert {one.submission.reasons for one in everyone} == {(), ("unclear",), ("bad_image",)}
    assert {one.annotator for one in everyone} == {f"simulated-{n}" for n in range(1, 7)}


def test_other_simulated_settings_start_afresh_and_people_replace_simulated_ones(
    context: CampaignContext, make_items: MakeItems
) -> None:
    items = make_items(jigsaw=6)
    sane = Verify(simulate=SimulatedAnnotators(annotators=2))
    mad = Verify(simulate=SimulatedAnnotators(annotators=2, error_rate=1.0))
    kept = [step.advance(items, context).summary["kept"] for step in (sane, mad, sane)]
    assert kept == [6, 0, 6]
    waiting = Verify().advance(items, context).waiting
    assert waiting is not None
    assert "6 of 6 tasks and 12 slots" in waiting


def test_simulated_annotators_do_not_overrule_people(
    context: CampaignContext, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=2)
    Verify().advance(items, context)
    with open_store(context.store_url) as store:
        say(store, items, {"ann": "ar"}, now)
    with pytest.raises(BenchwrightError, match="contains 2 decisions of people"):
        Verify(simulate=SimulatedAnnotators(annotators=2)).advance(items, context)


def test_two_campaigns_share_a_store_and_not_their_tasks(context: CampaignContext, make_items: MakeItems) -> None:
    items = make_items(jigsaw=3)
    simulated = Verify(simulate=SimulatedAnnotators(annotators=2))
    simulated.advance(items, context)
    waiting = Verify(rule="unanimous(3)").advance(items, context._replace(stage="second_look")).waiting
    assert waiting is not None
    assert f"3 of 3 tasks and {3 * parse_rule('unanimous(3)').slots} slots" in waiting
