"""The read-only parts of an item's page: pictures, options, votes, versions, verdicts, scores and origin.

All texts come from users; each is escaped and displayed in the direction of its script.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from benchwright.records import right_key
from benchwright.texts.formulas import formulas_html
from benchwright.texts.hidden_characters import escaped

from ...forms.task_content import TaskContent
from ...items.item_history import RecordHistory, ReviewedTask, changes
from ...store.database.records import Adjudication, Annotation
from ..base.own_texts import form_in_language
from ..base.tables import table_html
from ..routes.record_pictures import record_picture_url
from ..wording.curator_texts import ITEM_STATES, TEXTS, words_for
from ..wording.texts import TEXTS as APP_TEXTS

ITEM_STYLE = """<style>
.bw-pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: .9rem;
  margin: 0; padding: 0 !important; list-style: none; }
.bw-pictures li { margin: 0; }
.bw-pictures .frame { position: relative; display: block; min-height: 6rem;
  background: color-mix(in srgb, currentColor 7%, transparent); }
.bw-pictures img { display: block; width: 100%; max-height: 70vh; object-fit: contain; }
.bw-pictures img.marks { position: absolute; inset: 0; height: 100%; }
.bw-pictures .caption { font-size: .8125rem; font-weight: 600; padding-top: .25rem; overflow-wrap: anywhere; }
.bw-question { font-size: 1.125rem; font-weight: 600; white-space: pre-wrap; overflow-wrap: anywhere; }
.bw-options { list-style: none; padding: 0 !important; margin: .6rem 0 0; display: grid; gap: .35rem; }
.bw-options li { margin: 0; padding: .35rem .7rem; border-radius: 8px; overflow-wrap: anywhere;
  border: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
.bw-options li.right { border: 2px solid currentColor; font-weight: 600; }
.discussed + .card, .discussed :is(.hint + .card, .buttons + .job) { margin-top: .75rem; }
section .bw-wide td, h1 { overflow-wrap: anywhere; }
</style>"""
_LONGEST = 2000


def pictures_html(record_id: str, marked: Sequence[bool], names: Sequence[str]) -> str:
    """Return an item's pictures overlaid with their marks, each linked to the picture in full size."""
    return linked_pictures_html(
        [
            (
                record_picture_url(record_id, place, form="full"),
                record_picture_url(record_id, place, form="marks") if has_marks else None,
                name,
            )
            for place, (has_marks, name) in enumerate(zip(marked, names, strict=False))
        ]
    )


def linked_pictures_html(pictures: Sequence[tuple[str, str | None, str]]) -> str:
    """Return pictures, each linked to itself; an entry is the path, the path of the marks or None, and the name."""
    parts = []
    for path, marks, name in pictures:
        layer = "" if marks is None else f'<img class="marks" src="{escape(marks)}" alt="" loading="lazy">'
        full, alt = escape(path), escape(escaped(name))
        parts.append(
            f'<li><a class="frame" href="{full}" target="_blank" rel="noopener">'
            f'<img src="{full}" alt="{alt}" loading="lazy">{layer}</a><div class="caption" dir="auto">{alt}</div></li>'
        )
    return f'<ul class="bw-pictures">{"".join(parts)}</ul>'


def options_html(question: str, content: TaskContent, *, shows_key: bool = True) -> str:
    """Return the question and the options; with `shows_key`, also the right option and the explanation.

    Args:
        question: The question, with the captions of its pictures.
        content: The item.
        shows_key: Whether to show the right option and the explanation; default True.
    """
    lines = []
    for choice in content.choices:
        is_right = shows_key and choice.key == right_key(content.answer, content.refusal)
        words = escaped(choice.text or "") or APP_TEXTS["picture_of_option"].format(key=choice.key)
        mark = f" · {escape(TEXTS['key_is'])}" if is_right else ""
        style = ' class="right"' if is_right else ""
        lines.append(f"<li{style}><b>{escape(choice.key)}</b> <bdi>{formulas_html(words)}</bdi>{mark}</li>")
    options = (
        f'<ul class="bw-options" aria-label="{escape(TEXTS["options_of"])}">{"".join(lines)}</ul>' if lines else ""
    )
    why = (
        f"<p dir='auto'><b>{escape(TEXTS['explanation'])}:</b> {formulas_html(escaped(content.explanation))}</p>"
        if content.explanation and shows_key
        else ""
    )
    return f'<div class="bw-question" dir="auto">{formulas_html(question)}</div>{options}{why}'


def sections_html(history: RecordHistory) -> str:
    """Return all known facts about a record, which its page shows below its pictures."""
    return "".join(
        [
            _section("said_here", "".join(map(_task_html, history.tasks)) or _hint("nobody_asked")),
            _comments_html(history),
            _versions_html(history),
            _section("steps_said", _verdicts_html(history) if history.verdicts else _hint("no_steps")),
            _by_hand_html(history),
            _releases_and_scores_html(history),
            _origin_html(history),
        ]
    )


def _section(head: str, body: str) -> str:
    """Return a part of the page with its head, whose key also names the part in addresses."""
    return f'<section><h2 id="{head}">{escape(TEXTS[head])}</h2>{body}</section>'


def _hint(name: str) -> str:
    return f'<p class="hint">{escape(TEXTS[name])}</p>'


def _task_html(task: ReviewedTask) -> str:
    outcome = ITEM_STATES.get(task.outcome, words_for(task.outcome))
    head = TEXTS["task_head"].format(campaign=task.campaign.name, round=task.facts.round, outcome=outcome)
    rows = [_vote(task, annotation) for annotation in task.facts.annotations]
    if (decision := task.facts.adjudicated.decision) is not None:
        rows.append(_adjudication(decision))
    heads = [TEXTS["name"], APP_TEXTS["decision"], APP_TEXTS["reasons"], TEXTS["note"], TEXTS["edits_made"],
             TEXTS["when"], TEXTS["seconds"]]  # fmt: skip
    body = _headed(head, table_html(head, heads, rows) if rows else "")
    if task.facts.adjudicated.sent_back:
        words = TEXTS["sent_back_n"].format(times=task.facts.adjudicated.sent_back)
        body += f'<p class="hint">{escape(words)}</p>'
    return body


def _headed(head: str, body: str) -> str:
    """Return a part under a head with names that users gave."""
    return f"<p><b><bdi>{escape(escaped(head))}</bdi></b></p>{body}"


def _vote(task: ReviewedTask, annotation: Annotation) -> tuple[str, ...]:
    form = form_in_language(task.campaign.form.typed)
    decision = words_for(annotation.decision) if form is None else form.describe(annotation.fields or {})
    if annotation.version > 1:
        decision = f"{decision} ({TEXTS['changed_n'].format(version=annotation.version)})"
    return (
        annotation.annotator,
        decision,
        ", ".join(words_for(code) for code in annotation.reasons),
        annotation.note or "",
        _spelled(annotation.edits),
        f"{annotation.submitted_at:%Y-%m-%d %H:%M}",
        f"{annotation.seconds:.0f}",
    )


def _adjudication(decision: Adjudication) -> tuple[str, ...]:
    reasons = ", ".join(words_for(code) for code in decision.reasons)
    name, at = TEXTS["adjudicator"].format(name=decision.annotator), f"{decision.decided_at:%Y-%m-%d %H:%M}"
    return name, words_for(decision.decision), reasons, decision.note or "", _spelled(decision.edits), at, ""


def _comments_html(history: RecordHistory) -> str:
    if not history.remarks:
        return ""
    rows = [
        (
            f"{comment.made_at:%Y-%m-%d %H:%M}",
            comment.annotator,
            f"⚑ {comment.words}" if comment.is_flag else comment.words,
            TEXTS["settled_by"].format(name=comment.settled_by) if comment.settled_by else ITEM_STATES["open"],
        )
        for comment in history.remarks
    ]
    heads = [TEXTS["when"], TEXTS["name"], TEXTS["note"], TEXTS["of_state"]]
    return _section("comments", table_html(TEXTS["comments"], heads, rows))


def _versions_html(history: RecordHistory) -> str:
    if len(history.versions) < 2:
        return ""
    parts = []
    for number, (before, after) in enumerate(zip(history.versions, history.versions[1:], strict=False), 2):
        by = TEXTS["made_by"].format(step=after.by)
        if after.edited_by is not None:
            at = "" if after.at is None else f"{after.at:%Y-%m-%d %H:%M}"
            by = TEXTS["revised_by"].format(name=after.edited_by, at=at, campaign=after.by)
        head = f"{TEXTS['version_n'].format(number=number)} · {by}"
        rows = [
            (TEXTS.get(f"part_{part}", part), earlier, later)
            for part, (earlier, later) in changes(before.content, after.content).items()
        ]
        table = table_html(head, [TEXTS["of_part"], TEXTS["before"], TEXTS["after"]], rows) if rows else ""
        parts.append(_headed(head, table))
    return _section("versions", "".join(parts))


def _by_hand_html(history: RecordHistory) -> str:
    if not history.overrides:
        return ""
    rows = [
        (
            f"{row.at:%Y-%m-%d %H:%M}",
            row.by,
            TEXTS[f"hand_{row.action}"],
            row.stage,
            words_for(row.reason or ""),
            row.why,
        )
        for row in history.overrides
    ]
    heads = [TEXTS[head] for head in ("when", "name", "verdict", "step", "of_reason", "act_why")]
    return _section("by_hand_head", table_html(TEXTS["by_hand_head"], heads, rows))


def _verdicts_html(history: RecordHistory) -> str:
    rows = []
    for verdict in history.verdicts:
        own = " ".join(filter(None, (verdict.own_verdict, words_for(verdict.own_reason or ""))))
        effective = " ".join(filter(None, (verdict.verdict, words_for(verdict.reason or ""))))
        words = effective if own == effective else TEXTS["own_verdict"].format(verdict=effective, own=own)
        measured = ", ".join(f"{name} {_number(value)}" for name, value in verdict.measures.items())
        rows.append((verdict.step, words, measured, _spelled(verdict.evidence)))
    return table_html(
        TEXTS["steps_said"], [TEXTS["step"], TEXTS["verdict"], TEXTS["measured"], TEXTS["evidence"]], rows
    )


def _releases_and_scores_html(history: RecordHistory) -> str:
    body = ""
    if history.releases:
        rows = [(release,) for release in history.releases]
        body += _section("releases", table_html(TEXTS["releases"], None, rows))
    if history.scores:
        heads = list(dict.fromkeys(name for row in history.scores for name in row))
        cells = [[_spelled(row.get(name)) for name in heads] for row in history.scores]
        body += _section("scores", table_html(TEXTS["scores"], heads, cells))
    return body


def _origin_html(history: RecordHistory) -> str:
    if not history.source:
        return ""
    rows = [(TEXTS[f"fact_{name}"], value) for name, value in history.source.items()]
    return _section("comes_from", table_html(TEXTS["comes_from"], None, rows))


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _spelled(value: Any) -> str:
    """Return JSON values as readable text, which is shortened if it is long."""
    if value is None or value == {}:
        return ""
    if isinstance(value, Mapping):
        return "\n".join(f"{name}: {_inline(part)}" for name, part in value.items())[:_LONGEST]
    return _inline(value)[:_LONGEST]


def _inline(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
