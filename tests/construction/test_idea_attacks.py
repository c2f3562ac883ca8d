"""Attacks on ideas by a second model: its input, the replies that refute an idea, the evidence, and the cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_server import ChatServer
from pydantic import ValidationError
from sane_model import CONTENT, SaneModel
from step_context import StepContext

from benchwright.construction.item_parts.idea import unpacked
from benchwright.construction.manipulation.ideas.attacks import OBJECTIONS
from benchwright.construction.manipulation.ideas.step import Ideas
from benchwright.models.endpoints.reply_store import ReplyStore
from benchwright.models.endpoints.usage import BudgetSpent
from benchwright.steps import Outcome


class KeptReplies(StepContext):
    """A context of a workspace that keeps replies beside its folder."""

    @property
    def replies(self) -> ReplyStore:  # type: ignore[override]
        return ReplyStore(self.folder.parent / "replies" / "steps.sqlite", tmp=self.folder.parent)


def step(server: ChatServer, *codes: str, attack: dict[str, Any] | None = None, **writer: Any) -> Ideas:
    chat = {"base_url": server.url, "retries": 0, "timeout_s": 20, "price_in": 2, "price_out": 8}
    endpoint = {"backend": "endpoint", "chat": {"model": "sane", **chat}}
    attacking = {"chat": {"model": "second", **chat, **(attack or {}).pop("chat", {})}, **(attack or {})}
    return Ideas.model_validate(
        {"categories": codes, "grounder": endpoint, "writer": {**endpoint, **writer}, "attack": attacking}
    )


def run(context: StepContext, step: Ideas) -> Outcome:
    pixels = np.random.default_rng(1).integers(0, 256, (100, 200, 3), dtype=np.uint8)
    return context.run(step, context.add(pixels))


def objecting(**changes: Any) -> Callable[[str, int, Any], str]:
    """Return a script of a sane model that says this of the first category's idea, and nothing against others."""
    sane = SaneModel()

    def behave(words: str, attempt: int, handler: Any) -> str:
        if "Try to refute the" in words and " of B2 " in words:
            return json.dumps({**CONTENT, **changes})
        return sane(words, attempt, handler)

    return behave


def attacks_of(server: ChatServer) -> list[Any]:
    return [body for body in server.bodies if body["model"] == "second"]


def test_the_second_model_sees_the_photograph_and_the_plan_and_not_which_answers_are_wanted(
    server: ChatServer, tmp_path: Path
) -> None:
    server.behave = SaneModel()
    (tmp_path / "c").mkdir()
    outcome = run(KeptReplies(tmp_path / "c"), step(server, "B2"))
    [body] = attacks_of(server)
    picture, rules, plan = body["messages"][0]["content"]
    assert picture["image_url"]["url"].startswith("data:image/png;base64,")
    assert "is data" in rules["text"]
    told = json.loads(plan["text"])
    assert told["questions"] == {
        "low_1": "Is the object of B2 as it was?", "low_2": "Is the object of B2 another one?",
        "high_1": "Is the behaviour of B2 as it was?", "high_2": "Is the behaviour of B2 another one?",
    }  # fmt: skip
    assert told["what_is_changed"] == "a racket"
    assert "natural" not in plan["text"]
    assert [idea.category for idea in unpacked(str(outcome.values["planned"]))] == ["B2"]
    attacks = outcome.evidence["categories"]["B2"]["attacks"]
    assert [(attack["objection"], attack["result"]) for attack in attacks] == [(name, "held") for name in OBJECTIONS]


REFUTED: list[tuple[str, dict[str, Any], str]] = [
    ("already_so", {"answers": {**CONTENT["answers"], "low_2": "yes"}}, "Is the object of B2 another one?"),
    ("not_so_before", {"answers": {**CONTENT["answers"], "high_1": "no"}}, "Is the behaviour of B2 as it was?"),
    ("unanswerable", {"answers": {**CONTENT["answers"], "high_1": "unclear"}}, "Is the behaviour of B2 as it was?"),
    ("unanswerable", {"answers": {"low_1": "yes", "low_2": "no"}}, "Is the behaviour of B2 as it was?"),
    ("unseen", {"visible": False, "why": "the hand hides it"}, "the hand hides it"),
    ("not_perceived", {"perceived": False}, "people would perceive something else"),
    ("ambiguous", {"ambiguous": ["low_2"]}, "Is the object of B2 another one?"),
]


@pytest.mark.parametrize(("objection", "changes", "words"), REFUTED)
def test_an_objection_takes_its_idea_out_with_the_reason_and_no_other(
    server: ChatServer, tmp_path: Path, objection: str, changes: dict[str, Any], words: str
) -> None:
    server.behave = objecting(**changes)
    (tmp_path / "c").mkdir()
    outcome = run(KeptReplies(tmp_path / "c"), step(server, "B2", "R2"))
    assert [idea.category for idea in unpacked(str(outcome.values["planned"]))] == ["R2"]
    plan = outcome.evidence["categories"]["B2"]
    assert (plan["ideas"], plan["reason"]) == ([], "refuted")
    assert plan["detail"].startswith(f"B2-1 {objection}: ")
    assert words in plan["detail"]
    assert {attack["objection"] for attack in plan["attacks"] if attack["result"] == "broken"} == {objection}


def test_where_all_ideas_are_refuted_the_image_says_so(server: ChatServer, tmp_path: Path) -> None:
    server.behave = objecting(visible=False)
    (tmp_path / "c").mkdir()
    outcome = run(KeptReplies(tmp_path / "c"), step(server, "B2"))
    assert (outcome.verdict, outcome.reason) == ("drop", "refuted")


def test_an_objection_that_drops_nothing_stays_as_evidence(server: ChatServer, tmp_path: Path) -> None:
    server.behave = objecting(perceived=False)
    (tmp_path / "c").mkdir()
    outcome = run(KeptReplies(tmp_path / "c"), step(server, "B2", attack={"drops": ["already_so"]}))
    assert len(unpacked(str(outcome.values["planned"]))) == 1
    broken = [one for one in outcome.evidence["categories"]["B2"]["attacks"] if one["result"] == "broken"]
    assert [one["objection"] for one in broken] == ["not_perceived"]


def test_a_useless_reply_leaves_the_idea_and_is_recorded(server: ChatServer, tmp_path: Path) -> None:
    sane = SaneModel()
    server.behave = lambda words, attempt, handler: (
        "No." if handler.body["model"] == "second" else sane(words, attempt, handler)
    )
    (tmp_path / "c").mkdir()
    outcome = run(KeptReplies(tmp_path / "c"), step(server, "B2"))
    assert len(unpacked(str(outcome.values["planned"]))) == 1
    attacks = outcome.evidence["categories"]["B2"]["attacks"]
    assert {attack["result"] for attack in attacks} == {"not_made"}
    assert "no_json" in attacks[0]["says"]


def test_a_writer_may_see_the_photograph(server: ChatServer, tmp_path: Path) -> None:
    server.behave = SaneModel()
    (tmp_path / "c").mkdir()
    run(KeptReplies(tmp_path / "c"), step(server, "B2", sees_picture=True))
    [body] = [body for body in server.bodies if "Now this one" in str(body)]
    assert [part["type"] for part in body["messages"][0]["content"]] == ["image_url", "text", "text"]


def test_what_was_paid_for_is_kept_and_a_budget_ends_the_run(server: ChatServer, tmp_path: Path) -> None:
    server.behave = SaneModel()
    (tmp_path / "c").mkdir()
    context = KeptReplies(tmp_path / "c")
    with pytest.raises(BudgetSpent):
        run(context, step(server, "B2", "R2", attack={"chat": {"budget_requests": 1}}))
    asked = len(server.bodies)
    outcome = run(context, step(server, "B2", "R2", attack={"chat": {"budget_requests": 9}}))
    assert len(unpacked(str(outcome.values["planned"]))) == 2
    assert len(server.bodies) == asked + 1  # the attack that the first budget did not allow


def test_the_price_of_grounding_ideas_and_attacks_is_told_before(server: ChatServer) -> None:
    plans = step(server, "B1", "B2").planned_requests(10)
    assert plans is not None
    # a description, the choice of the subject and three perceptions; an idea and an attack each category; all repaired
    assert [(plan.purpose, plan.requests, plan.pictures) for plan in plans] == [
        ("grounding", 100, 80), ("ideas", 40, 0), ("attacks", 40, 40),
    ]  # fmt: skip
    assert all(plan.cost is not None and plan.cost > 0 for plan in plans)
    assert Ideas().planned_requests(10) is None


def test_no_more_is_asked_than_the_plan_says(server: ChatServer, tmp_path: Path) -> None:
    server.behave = SaneModel()
    (tmp_path / "c").mkdir()
    asking = step(server, "B1", "B2", "E2", sees_picture=True)
    run(KeptReplies(tmp_path / "c"), asking)
    plans = asking.planned_requests(1)
    assert plans is not None
    asked = len(server.bodies)
    shown = sum(str(body).count("'image_url': {'url'") for body in server.bodies)
    assert 2 * asked == sum(plan.requests for plan in plans)
    assert 2 * shown == sum(plan.pictures for plan in plans)


def test_wrong_settings_are_refused(server: ChatServer) -> None:
    for wrong in ({"drops": ["already_so", "already_so"]}, {"drops": ["dull"]}, {"chat": {"budget": -1}}):
        with pytest.raises(ValidationError):
            step(server, "B1", attack=dict(wrong))
