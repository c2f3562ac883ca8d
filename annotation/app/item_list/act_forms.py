"""Forms for a curator's acts on items: choose an act, see its effects and confirm it, assign tasks, ask again, undo."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.texts.hidden_characters import escaped

from ...items.curator_acts import ACTS, ASSIGNED_FOR, LONGEST_WHY, ActPlan, AssignedTasks, ReopenedTasks
from ..own_pages.html_fields import FieldWords, choice_field, radio_fields, text_field
from ..wording.curator_texts import TEXTS
from ..wording.texts import message_of


class ActPaths(NamedTuple):
    """Where the forms of a page lead.

    Attributes:
        base: Path of the page; the acts are below it.
        carried: Hidden fields of each form, as HTML.
    """

    base: str
    carried: str


class TypedAct(NamedTuple):
    """The act that a curator chose.

    Attributes:
        act: Name of the act.
        why: Reason.
        problem: Problem of the reason; empty for none.
    """

    act: str = ACTS[0]
    why: str = ""
    problem: str = ""


def act_form(paths: ActPaths, typed: TypedAct, *, label: str) -> str:
    """Return the form that asks for the effects of an act.

    Args:
        paths: Where the form leads.
        typed: The act and the reason.
        label: Name of the choice of acts.
    """
    act = typed.act if typed.act in ACTS else ACTS[0]
    acts = radio_fields("act", act, FieldWords(label), [(name, TEXTS[f"act_{name}"], "") for name in ACTS])
    words = FieldWords(TEXTS["act_why"], TEXTS["act_why_hint"], typed.problem)
    why = text_field("why", typed.why, words, more=_ONE_LINE)
    return _form(paths, "plan", acts + why, TEXTS["act_plan"], kind="quiet")


def plan_panel(paths: ActPaths, plan: ActPlan) -> str:
    """Return the effects of an act, with buttons that do it or drop the plan."""
    count = len(plan.record_ids) if plan.act != "undo" else len(plan.overrides)
    lines = [f"<p><strong>{escape(TEXTS[f'would_{plan.act}'].format(count=count))}</strong></p>"]
    lines += [
        f"<p>{escape(TEXTS['would_not'].format(count=times, why=escaped(message_of(BenchwrightError(message)))))}</p>"
        for message, times in plan.refused
    ]
    if count:
        after = TEXTS["act_after_undo" if plan.act == "undo" else "act_after"]
        do = f'<button type="submit" id="do">{escape(TEXTS[f"do_{plan.act}"].format(count=count))}</button>'
        cancel = (
            f'<button class="quiet" type="submit" id="cancel" formaction="{paths.base}/cancel">'
            f"{escape(TEXTS['cancel'])}</button>"
        )
        lines.append(
            f'<p class="hint">{escape(after)}</p><form method="post" action="{paths.base}/do" data-row>{paths.carried}'
            f'<div class="buttons">{do}{cancel}</div></form>'
        )
    return f'<div id="items-plan" role="status">{"".join(lines)}</div>'


def done_panel(paths: ActPaths, done: ActPlan) -> str:
    """Return the last act, with a button that undoes it."""
    words = TEXTS[f"did_{done.act}"].format(count=len(done.overrides))
    can_undo = done.act != "undo" and bool(done.overrides)
    return _outcome(paths, [words], TEXTS["undo_this"] if can_undo else "", act="undo", is_good=True)


def assigned_panel(paths: ActPaths, assigned: AssignedTasks) -> str:
    """Return the last assignment and the reasons for refused ones, with a button that withdraws it."""
    count = len(assigned.leases)
    words = [TEXTS["assigned_n"].format(count=count, name=escaped(assigned.name))] if count else []
    words += _refusals("not_assigned_n", assigned.refused)
    return _outcome(paths, words, TEXTS["take_back"] if count else "", act="take-back", is_good=bool(count))


def reopened_panel(paths: ActPaths, reopened: ReopenedTasks) -> str:
    """Return the number of tasks that are asked again, and the reasons for the others."""
    words = [TEXTS["reopened_n"].format(count=reopened.tasks)] if reopened.tasks else []
    words += _refusals("not_reopened_n", reopened.refused)
    return _outcome(paths, words, "", act="", is_good=bool(reopened.tasks))


def assignment_form(paths: ActPaths, people: Sequence[str]) -> str:
    """Return the form that assigns tasks to a person; empty if there is no person."""
    if not people:
        return ""
    names = {"": TEXTS["assign_whom"], **{name: escaped(name) for name in people}}
    words = FieldWords(TEXTS["assign_to"], TEXTS["assign_why"].format(days=ASSIGNED_FOR.days))
    return _form(paths, "assign", choice_field("person", "", words, names), TEXTS["assign"], kind="quiet")


def reopening_form(paths: ActPaths, why: str = "", *, problem: str = "") -> str:
    """Return the form that has decided tasks asked again.

    Args:
        paths: Where the form leads.
        why: Reason; default none.
        problem: Problem of the reason; default none.
    """
    words = FieldWords(TEXTS["reopen_again"], TEXTS["reopen_why"], problem)
    return _form(paths, "reopen", text_field("again_why", why, words, more=_ONE_LINE), TEXTS["reopen"], kind="quiet")


_ONE_LINE = f'maxlength="{LONGEST_WHY}" dir="auto"'


def _form(paths: ActPaths, act: str, fields: str, button: str, *, kind: str) -> str:
    return (
        f'<form method="post" action="{paths.base}/{act}">{paths.carried}{fields}<div class="buttons">'
        f'<button class="{kind}" type="submit" id="{act}">{escape(button)}</button></div></form>'
    )


def _outcome(paths: ActPaths, words: Sequence[str], button: str, *, act: str, is_good: bool) -> str:
    lines = "\n".join(words)
    undo = ""
    if button:
        undo = (
            f'<form method="post" action="{paths.base}/{act}" data-row>{paths.carried}'
            f'<button class="quiet" type="submit" id="{act}">{escape(button)}</button></form>'
        )
    kind = "done" if is_good else "alert"
    return f'<div class="outcome"><p class="{kind}" role="status">{escape(lines)}</p>{undo}</div>'


def _refusals(name: str, refused: Sequence[tuple[str, int]]) -> list[str]:
    return [TEXTS[name].format(count=count, why=escaped(message_of(BenchwrightError(why)))) for why, count in refused]
