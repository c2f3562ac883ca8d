"""Hostile texts in every field of items and annotations, in a file and on a server: kept unchanged, or refused.

Script, HTML, right to left, 100 kB, nulls, half a character. Kept texts return letter by letter wherever they are
read: in the queue and in lists; the card in a browser spells out invisible characters.
"""

from __future__ import annotations

from datetime import datetime

import pytest

from benchwright.annotation.app.task_card.card import card_of
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.fields.field_types import OneOf, Option, TextField
from benchwright.annotation.forms.fields.form import Form
from benchwright.annotation.forms.payloads import TaskInput, beside_in, item_in
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.forms.task_content import content_in
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.annotation.workflow.drafts import MAX_DRAFT_BYTES
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import BenchwrightError
from benchwright.records import Choice, Item
from benchwright.texts.hidden_characters import escaped

from .conftest import MakeItems

pytestmark = pytest.mark.slow

HOSTILE = {
    "script": "<script>window.hacked=1</script>",
    "html": '<img src=x onerror="window.hacked=1"> &amp; <b>bold</b> <!-- --> ]]> </textarea>',
    "markdown": "![x](http://elsewhere.example/x.png) [l](javascript:alert(1)) **b** $x$ :red[x] `c`",
    "right to left": "abc \u202egnp.exe\u202c \u2066\u2069 שלום end",
    "100 kB": "word " * 20_000,
    "control": "a\x1b[31m\x07\r\n\t\x7f",
    "formula": '=HYPERLINK("http://elsewhere.example")',
    "quotes": "'; DROP TABLE tasks; -- \" \\ %s :name ${x} {0}",
    "beyond the plane": "😀 e\u0301 \U0010ffff \ufeff \u2028",
}
NULL, HALF = "a\0b", "a\ud800b"
each = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
FORM = Form(
    fields=(
        OneOf(name="what", label="What", options=(Option(code="a", words="A"), Option(code="b", words="B"))),
        TextField(name="why", label="Why"),
    )
)


def hostile(pattern: Item, text: str) -> Item:
    """Return an item whose every text is this one."""
    return pattern.model_copy(
        update={
            "question": text, "explanation": text, "level": text, "category": text,
            "attributes": {"any": text},
            "choices": (Choice(key="A", text=text), Choice(key="B", text="plain")), "answer": "A",
        }
    )  # fmt: skip


def opened(store: ReviewStore, item: Item, *, form: CampaignForm | None = None, text: str = "") -> TaskQueue:
    store.upsert_campaign(
        "verify", kind="verify" if form is None else "error_analysis", rule="single", slots_per_task=1,
        form=form or CampaignForm(decisions=["accept", "reject", "revise"], reasons=["unclear"], guidelines=text),
        settings={}, seed=1,
    )  # fmt: skip
    payload = {
        "item": item.model_dump(mode="json"),
        "beside": [{"label": text, "text": text}],
        "about": {"model": text},
    }
    store.upsert_tasks("verify", [TaskInput(item.item_id, "content", payload)])
    store.upsert_annotator("ann")
    return TaskQueue(store, store.campaign("verify"), "ann")


@each
def test_texts_of_an_item_come_back_as_they_are(
    store: ReviewStore, make_items: MakeItems, now: datetime, text: str
) -> None:
    item = hostile(make_items(verify=1)[0], text)
    queue = opened(store, item, text=text)
    task = queue.next(now=now)
    assert task is not None
    assert task.item == content_in(item.model_dump(mode="json"))
    assert task.item.question == text
    assert task.beside == ({"label": text, "text": text},)
    [stored] = store.tasks("verify")
    assert Item.model_validate(item_in(stored.payload)) == item
    assert beside_in(stored.payload) == [{"label": text, "text": text}]
    card = card_of(task, queue.campaign)
    assert (card.question, card.choices[0]["words"]) == (escaped(text), escaped(text))
    queue.submit(task.slot_id, Submission("accept"), now=now)
    [past] = queue.history()
    assert past.item == task.item
    assert queue.campaign.form.guidelines == text


@each
def test_a_note_comes_back_as_it_is_or_is_refused_for_its_length(
    store: ReviewStore, make_items: MakeItems, now: datetime, text: str
) -> None:
    queue = opened(store, make_items(verify=1)[0])
    task = queue.next(now=now)
    assert task is not None
    if len(text) > 10_000:
        with pytest.raises(RefusedError, match="10000 characters"):
            queue.submit(task.slot_id, Submission("revise", note=text), now=now)
        assert store.decisions("verify") == []
        return
    queue.submit(task.slot_id, Submission("revise", note=text), now=now)
    [said] = store.decisions("verify")
    assert said.note == text
    [past] = queue.history()
    assert past.annotation.note == text


@each
def test_a_field_of_a_form_comes_back_as_it_is_or_is_refused_for_its_length(
    store: ReviewStore, make_items: MakeItems, now: datetime, text: str
) -> None:
    queue = opened(store, make_items(verify=1)[0], form=CampaignForm(fields=FORM.fields))
    task = queue.next(now=now)
    assert task is not None
    if len(text) > 10_000:
        with pytest.raises(RefusedError, match="at most"):
            queue.submit(task.slot_id, Submission(fields={"what": "a", "why": text}), now=now)
        return
    queue.submit(task.slot_id, Submission(fields={"what": "a", "why": text}), now=now)
    [said] = store.decisions("verify")
    assert said.fields == {"what": "a", "why": text.strip()}


@pytest.mark.parametrize("text", [NULL, HALF], ids=["null", "half a character"])
def test_what_no_database_keeps_is_refused_in_words(
    store: ReviewStore, make_items: MakeItems, now: datetime, text: str
) -> None:
    queue = opened(store, make_items(verify=1)[0])
    task = queue.next(now=now)
    assert task is not None
    for submission in (Submission("revise", note=text), Submission(text), Submission("reject", reasons=(text,))):
        with pytest.raises(RefusedError):
            queue.submit(task.slot_id, submission, now=now)
    with pytest.raises(RefusedError):
        queue.submit(task.slot_id, Submission("accept", fields={text: text}), now=now)
    with pytest.raises(BenchwrightError):
        store.upsert_annotator(text)
    accounts = Accounts(store)
    with pytest.raises(BenchwrightError):
        accounts.add(text, "annotator", now=now)
    assert accounts.password_hash(text) is None
    assert accounts.invited(text, now=now) is None
    assert accounts.of_session(text, now=now) is None
    assert store.decisions("verify") == []
    assert store.status("verify", now=now).slots["leased"] == 1


@each
def test_a_draft_comes_back_as_it_is_or_is_refused_for_its_length(
    store: ReviewStore, make_items: MakeItems, now: datetime, text: str
) -> None:
    queue = opened(store, make_items(verify=1)[0])
    task = queue.next(now=now)
    assert task is not None
    draft = {"note": text, text[:50]: [text[:50]]}
    if len(text) > MAX_DRAFT_BYTES:
        with pytest.raises(RefusedError, match="64 kB"):
            queue.save_draft(task.task_id, draft, now=now)
        return
    queue.save_draft(task.task_id, draft | {"null": NULL}, now=now)
    assert queue.open(task.task_id, now=now).draft == draft | {"null": NULL}


@pytest.mark.parametrize("number", [-1, 0, 2**31, 2**63, 10**30])
def test_a_number_that_can_be_no_task_is_nobodys(
    store: ReviewStore, make_items: MakeItems, now: datetime, number: int
) -> None:
    queue = opened(store, make_items(verify=1)[0])
    for ask in (queue.open, queue.skip):
        with pytest.raises(RefusedError, match="not yours"):
            ask(number, now=now)
    with pytest.raises(RefusedError, match="not yours"):
        queue.save_draft(number, {}, now=now)
