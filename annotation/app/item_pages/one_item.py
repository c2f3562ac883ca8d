"""The content of the curator's page of one image or item: pictures, question, acts, and the whole history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from pydantic import ValidationError

from benchwright.texts.hidden_characters import escaped

from ...forms.task_content import TaskContent
from ...items.curator_acts import may_be_decided
from ...items.item_history import RecordHistory, ReviewedTask
from ...items.item_search import states_of
from ...store.conversations.discussions import may_be_discussed, posts_on
from ..auth.known_pages import discussion_address, item_address
from ..base.option_letters import captions, question_in_words
from ..base.state import AppState
from ..curator_acts.last_acts import LastAct
from ..own_pages.html_fields import whole_number
from ..own_pages.written_text import text_style
from ..wording.conversation_texts import TEXTS as TALK
from ..wording.curator_texts import ITEM_STATES, TEXTS, words_for
from .example_forms import example_forms
from .item_sections import ITEM_STYLE, options_html, pictures_html, sections_html
from .one_item_forms import RecordForms

LIST = "/items"
_ID_DIGITS = 12


def _content_of(history: RecordHistory) -> TaskContent | None:
    """Return the newest content of an item, or None for images and unreadable contents."""
    try:
        return TaskContent.model_validate(history.content) if history.content else None
    except ValidationError:
        return None


def back_link() -> str:
    """Return the link to the list of items; the page's script adds the filters of the list that led here."""
    return f'<p><a class="button quiet" href="{LIST}" id="back" data-back>{escape(TEXTS["back_to_items"])}</a></p>'


class OneItem:
    """The page of one record, as HTML.

    Args:
        state: State of the app.
        history: All data about the record.
        curator: Name of the curator.
        is_hidden: Whether key, votes and history stay hidden, because the curator may still be asked about the record.
    """

    def __init__(self, state: AppState, history: RecordHistory, curator: str, *, is_hidden: bool) -> None:
        self._state = state
        self._history = history
        self._curator = curator
        self._is_hidden = is_hidden
        self._content = _content_of(history)

    def html(self, forms: RecordForms, last: LastAct | None, people: Sequence[str]) -> str:
        """Return the page.

        Args:
            forms: The forms about the record.
            last: The curator's last change of the record; None for none to report.
            people: Names of the accounts to whom tasks can be assigned.
        """
        record_id = self._history.record.record_id
        names = captions(self._content) if self._content is not None else [self.title()]
        pictures = pictures_html(record_id, _marked(self._history), names)
        beside = self._head() + self._links() + self._discussions() + self._forms(forms, last, people)
        below = "" if self._is_hidden else example_forms(self._state, forms, self._history.tasks)
        below += "" if self._is_hidden else sections_html(self._history)
        return (
            f"{text_style()}{ITEM_STYLE}{back_link()}"
            f'<div class="discussed"><div>{pictures}</div><div>{beside}</div></div>{below}'
        )

    def title(self) -> str:
        """Return the name of the record: the file of an image, or the first digits of an item's id."""
        record_id = self._history.record.record_id
        if self._content is None and (file := self._history.source.get("source_uri")):
            return escaped(file)
        return TEXTS["item"].format(item=record_id[:_ID_DIGITS])

    def _head(self) -> str:
        record_id = self._history.record.record_id
        states = self._state.items.reading(lambda connection: states_of(connection, record_id))
        head = f'<p class="hint">{escape(" · ".join(ITEM_STATES.get(name, name) for name in states))}</p>'
        if self._content is None:
            return f'{head}<p class="hint"><bdi>{escape(record_id)}</bdi></p>'
        of = f"{escape(words_for(self._content.task))} · <bdi>{escape(record_id)}</bdi>"
        question = question_in_words(self._content)
        return f'{head}<p class="hint">{of}</p>{options_html(question, self._content, shows_key=not self._is_hidden)}'

    def _links(self) -> str:
        """Return links to similar pictures and questions, and to the source picture."""
        record = self._history.record
        links = [(f"{LIST}?like={record.record_id}", TEXTS["find_alike"])]
        if self._history.content.get("question"):
            links.append((f"{LIST}?like={record.record_id}&alike=question", TALK["find_questions"]))
        if record.root_image_id and record.root_image_id != record.record_id:
            links.append((item_address(record.root_image_id), TEXTS["source_picture"]))
        return _buttons(links)

    def _discussions(self) -> str:
        """Return links to the discussion in each campaign in which annotators may discuss it, or when they may."""
        if not self._history.tasks:
            return ""
        record_id = self._history.record.record_id
        campaigns = {task.campaign.name: task.campaign for task in self._history.tasks}
        with self._state.store.reading() as connection:
            posts = {
                campaign.name: len(posts_on(connection, campaign, record_id))
                for campaign in campaigns.values()
                if may_be_discussed(connection, campaign, record_id)
            }
        if not posts:
            return f'<p class="hint">{escape(TALK["discussion_later"])}</p>'
        return _buttons(
            [
                (discussion_address(name, record_id), TALK["discuss_n" if count else "discuss"].format(count=count))
                for name, count in posts.items()
            ]
        )

    def _forms(self, forms: RecordForms, last: LastAct | None, people: Sequence[str]) -> str:
        states = {task.facts.state for task in self._history.tasks}
        parts = [forms.look()] if self._is_hidden else []
        parts += [forms.report(last), forms.acts(TEXTS["act_with"])]
        if "open" in states:
            parts.append(forms.assignment(people))
        if not self._is_hidden:
            parts += [forms.reopening()] if "done" in states else []
            parts.append(self._deciding(forms))
        return "".join(parts)

    def _deciding(self, forms: RecordForms) -> str:
        """Return forms to decide divided tasks as an adjudicator, or state why that is impossible."""
        tasks = self._history.tasks
        parts = [forms.deciding(task) for task in tasks if may_be_decided(task, self._curator)]
        if tasks and not parts:
            parts.append(_hint(TEXTS["cannot_decide"].format(rule="adjudicated(unanimous(2))")))
        if any(task.facts.state == "open" for task in tasks):
            parts.append(_hint(TEXTS["looked"]))
        return "".join(parts)


def task_named(history: RecordHistory, number: str) -> ReviewedTask | None:
    """Return the task of a record with a number, given as a text; None if it has no such task."""
    wanted = whole_number(number)
    return next((task for task in history.tasks if task.facts.task_id == wanted), None)


def _marked(history: RecordHistory) -> list[bool]:
    """Return for each picture of a record whether it has marks."""
    images: list[Mapping[str, Any]] = list(history.content.get("images", ()))
    return [bool(image.get("prompts")) for image in images] if images else [False] * bool(history.source)


def _buttons(links: list[tuple[str, str]]) -> str:
    listed = "".join(
        f'<a class="button quiet" href="{escape(address, quote=True)}">{escape(words)}</a>' for address, words in links
    )
    return f'<div class="buttons">{listed}</div>'


def _hint(words: str) -> str:
    return f'<p class="hint">{escape(words)}</p>'
