"""One line on the page of an account's own decisions, as HTML, and the texts that a search covers."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from urllib.parse import urlencode

from benchwright.texts.hidden_characters import escaped

from ...forms.submission import Submission
from ...store.database.records import Campaign
from ...workflow.task_queue import HistoryEntry
from ..auth.known_pages import discussion_address
from ..base.attention_words import attention_in_language
from ..base.option_letters import question_in_words
from ..base.own_texts import form_in_language
from ..languages.language import chosen_language, unisolated
from ..own_pages.written_text import text_html
from ..pages.campaign_menu import CAMPAIGN
from ..pages.review import TASK
from ..wording.conversation_texts import TEXTS as TALK
from ..wording.texts import TEXTS, title_of, words_of_code


def entry_row(entry: HistoryEntry, campaign: Campaign, posts: Mapping[str, int] | None) -> str:
    """Return the line for a decision.

    Args:
        entry: The decision.
        campaign: Its campaign.
        posts: Number of posts by item; None unless the campaign is closed, which offers the discussion.
    """
    words = _decision_words(entry.annotation, campaign)
    decision = words if entry.annotation.version == 1 else f"{words} ({TEXTS['changed']})"
    name = f"past-{entry.task_id}"
    moved = "" if entry.is_current else f"<small>{escape(TEXTS['moved_on'])}</small>"
    return (
        f'<li class="past"><small>{escape(chosen_language().date_and_time(entry.annotation.submitted_at))}</small>'
        f'<strong><bdi>{escape(escaped(decision))}</bdi></strong><div class="words" id="{name}">'
        f"{text_html(*words_of_entry(entry, campaign))}{moved}</div>"
        f'<span class="acts">{_link_to_task(entry, campaign, name)}{_link_to_discussion(entry, campaign, posts, name)}'
        "</span></li>"
    )


def words_of_entry(entry: HistoryEntry, campaign: Campaign) -> list[str]:
    """Return the texts of a line: the item, the decision's details, earlier decisions, comments, and time spent."""
    before = ", ".join(
        f"{_decision_words(version, campaign)} ({chosen_language().date_and_time(version.submitted_at)})"
        for version in entry.earlier
    )
    parts = [
        title_of(entry.item.task),
        question_in_words(attention_in_language(entry.item)),
        _detail_words(entry.annotation, campaign),
        ", ".join(TEXTS.get(f"edited_{name}", name) for name in entry.annotation.edits or {}),
        entry.annotation.note,
        unisolated(TEXTS["first_said"].format(before=before)) if before else "",
        *(f"⚑ {comment.words}".strip() if comment.is_flag else comment.words for comment in entry.remarks),
        "" if entry.annotation.active_s is None else TEXTS["took"].format(seconds=round(entry.annotation.active_s)),
    ]
    return [part for part in parts if part]


def _link_to_task(entry: HistoryEntry, campaign: Campaign, about: str) -> str:
    if not entry.is_current:
        return ""
    address = escape(f"/review?{urlencode({TASK: entry.task_id, CAMPAIGN: campaign.name})}", quote=True)
    return f'<a class="button quiet" href="{address}" aria-describedby="{about}">{escape(TEXTS["open"])}</a>'


def _link_to_discussion(entry: HistoryEntry, campaign: Campaign, posts: Mapping[str, int] | None, about: str) -> str:
    if posts is None:
        return ""
    count = posts.get(entry.annotation.item_id, 0)
    label = TALK["discuss_n"].format(count=count) if count else TALK["discuss"]
    address = escape(discussion_address(campaign.name, entry.annotation.item_id), quote=True)
    return f'<a class="button quiet" href="{address}" aria-describedby="{about}">{escape(label)}</a>'


def _decision_words(submission: Submission, campaign: Campaign) -> str:
    if campaign.form.typed is not None:
        return TEXTS["taken_by_field"]
    return TEXTS.get(submission.decision, submission.decision)


def _detail_words(submission: Submission, campaign: Campaign) -> str:
    """Return words for the fields of a typed form, or else for the reasons."""
    form = form_in_language(campaign.form.typed)
    if form is not None:
        return form.describe(submission.fields or {})
    return ", ".join(words_of_code(code) for code in submission.reasons)
