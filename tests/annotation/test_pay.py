"""Hours and pay: measured from the store, with short pauses counted and long ones not."""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from benchwright.annotation.cli.integrations.pay import pay
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.pay.hours import PAID_PAUSE_S, WorkSpan, hours_in
from benchwright.annotation.pay.invoice import PayTerms, pay_rows, read_rate, write_pay
from benchwright.annotation.store.integrations.crowd import CrowdEntries
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.annotation.workflow.set_asides import set_votes_aside
from benchwright.errors import BenchwrightError

OpenCampaign = Callable[..., ReviewStore]
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
TEN = PayTerms(Decimal(10), "EUR")


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def span(begin: float, end: float) -> WorkSpan:
    return WorkSpan(at(begin), at(end))


def decide(
    store: ReviewStore, name: str, minutes: float, *, taken: float | None = None, active_s: float | None = 60.0
) -> None:
    """Decide the next task at a given time, `taken` minutes after its assignment."""
    lease = store.claim("verify", name, now=at(minutes - (2 if taken is None else taken)))
    assert lease is not None
    store.submit(lease.slot_id, name, Submission("accept", active_s=active_s), now=at(minutes))


@pytest.mark.parametrize(
    ("spans", "minutes"),
    [
        pytest.param([], 0, id="nothing"),
        pytest.param([span(5, 5)], 0, id="a moment"),
        pytest.param([span(0, 3)], 3, id="one"),
        pytest.param([span(0, 1), span(20, 21)], 21, id="a short break is paid"),
        pytest.param([span(0, 1), span(21, 22)], 22, id="a break of 20 minutes too"),
        pytest.param([span(0, 1), span(22, 23)], 2, id="a longer one not"),
        pytest.param([span(0, 10), span(2, 4)], 10, id="within"),
        pytest.param([span(5, 8), span(0, 6)], 8, id="overlapping, in any order"),
    ],
)
def test_hours_are_what_lies_between_traces_that_are_near(spans: list[WorkSpan], minutes: float) -> None:
    assert hours_in(spans) * 60 == pytest.approx(minutes)


@given(st.lists(st.tuples(st.integers(0, 600), st.integers(0, 15)), max_size=12))
def test_a_further_trace_never_takes_hours_away_and_nothing_is_counted_twice(pairs: list[tuple[int, int]]) -> None:
    spans = [span(begin, begin + length) for begin, length in pairs]
    total = hours_in(spans)
    if spans:
        first, last = min(one.begin for one in spans), max(one.end for one in spans)
        assert total <= (last - first).total_seconds() / 3600 + 1e-9
        assert hours_in(spans[1:]) <= total + 1e-9
        assert hours_in([*spans, *spans]) == pytest.approx(total)


@pytest.mark.both_databases
def test_an_invoice_has_a_row_a_person_with_tasks_hours_and_amount(open_campaign: OpenCampaign) -> None:
    store = open_campaign(tasks=4)
    for minutes in (1, 5, 31, 36):  # a minute each; pauses of 3, 25 and 4 minutes
        decide(store, "ann", minutes)
    decide(store, "ben", 2)
    set_votes_aside(store, "verify", "ben", by="cur", why="presses one key", now=at(60))
    ann, ben = pay_rows(store, "verify", TEN)
    assert (ann.person, ann.tasks, ann.set_aside) == ("ann", 4, 0)
    assert (ann.hours, ann.active_hours) == (Decimal("0.18"), Decimal("0.07"))  # 5 + 6 minutes; 4 minutes
    assert (ann.rate, ann.amount, ann.currency) == (Decimal(10), Decimal("1.80"), "EUR")
    assert (ben.tasks, ben.set_aside, ben.amount) == (1, 1, Decimal("0.20")), "what is set aside was work"
    assert ann.last == at(36)


def test_what_nobody_timed_counts_from_its_hand_out_up_to_a_pause(open_campaign: OpenCampaign) -> None:
    store = open_campaign(tasks=2)
    decide(store, "ann", 29, taken=29, active_s=None)
    [ann] = pay_rows(store, "verify", TEN)
    assert ann.hours == (Decimal(PAID_PAUSE_S) / 3600).quantize(Decimal("0.01"))
    assert ann.active_hours == 0


def test_days_bound_what_is_counted_and_people_may_have_rates_of_their_own(open_campaign: OpenCampaign) -> None:
    store = open_campaign(tasks=3)
    decide(store, "ann", 10)
    decide(store, "ann", 24 * 60 + 10)
    first_day = TEN._replace(since=date(2026, 3, 2), until=date(2026, 3, 2), rates={"ann": Decimal(30)})
    [row] = pay_rows(store, "verify", first_day)
    assert (row.tasks, row.rate, row.hours, row.amount) == (1, Decimal(30), Decimal("0.02"), Decimal("0.60"))
    assert pay_rows(store, "verify", TEN._replace(since=date(2026, 3, 4))) == []


def test_crowd_workers_are_named_by_their_ids_only_where_that_is_asked_for(open_campaign: OpenCampaign) -> None:
    store = open_campaign(tasks=3)
    entries = CrowdEntries(store)
    entry = entries.make("verify", "prolific", completed_code="C", by="cur", now=START)
    name = entries.enter(entry, "pid77", study="s", session="t", submit_to=None, now=at(0))
    decide(store, name, 8)
    [row] = pay_rows(store, "verify", TEN)
    assert (row.person, row.service, row.worker) == (name, "prolific", None)
    assert row.hours == Decimal("0.13"), "reading before the first decision is work: eight minutes"
    assert pay_rows(store, "verify", TEN, with_ids=True)[0].worker == "pid77"


@pytest.mark.parametrize("text", ["", "-1", "ten", "1e3", "12.345", "9999999", "nan", "١٢"])
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(BenchwrightError, match="expected an amount"):
        read_rate(text, of="--rate")


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        (TEN._replace(currency="euro"), "three capital letters"),
        (TEN._replace(rates={"zoe": Decimal(1)}), "'zoe', who did no work"),
        (TEN._replace(since=date(2026, 3, 4), until=date(2026, 3, 2)), "before it begins"),
    ],
)
def test_terms_that_cannot_be_are_refused(open_campaign: OpenCampaign, terms: PayTerms, words: str) -> None:
    with pytest.raises(BenchwrightError, match=words):
        pay_rows(open_campaign(tasks=1), "verify", terms)


def test_the_table_is_written_as_text_and_as_a_spreadsheet_with_numbers(
    open_campaign: OpenCampaign, tmp_path: Path
) -> None:
    store = open_campaign(tasks=2)
    store.upsert_annotator("=1+1")
    decide(store, "=1+1", 1)
    rows = pay_rows(store, "verify", TEN)
    write_pay(rows, tmp_path / "pay.csv")
    [row] = csv.DictReader((tmp_path / "pay.csv").read_text(encoding="utf-8").splitlines())
    assert (row["person"], row["hours"], row["amount"], row["currency"]) == ("'=1+1", "0.02", "0.20", "EUR")
    write_pay(rows, tmp_path / "pay.xlsx")
    head, values = load_workbook(tmp_path / "pay.xlsx")["pay"].iter_rows(values_only=True)
    cells = dict(zip(head, values, strict=True))
    assert (cells["person"], cells["amount"], cells["tasks"]) == ("=1+1", 0.2, 1)
    with pytest.raises(BenchwrightError, match="already exists"):
        write_pay([], tmp_path / "pay.csv")


@pytest.mark.slow
def test_the_command_adds_up_and_says_so(tmp_path: Path) -> None:
    from browser.review_site import make_workspace
    from walks import in_process, run_json

    workspace = make_workspace(tmp_path / "site", photographs=4)
    words = ("review", "pay", "--workspace", workspace, "--rate")
    document = run_json(*words, "15", "--out", tmp_path / "pay.csv")
    assert (document["people"], document["amount"]) == ([], 0.0)
    assert "expected a name and an amount" in in_process(*words, "15", "--rate-of", "ann").stderr
    assert "does not exist" in in_process(*words, "15", "--out", tmp_path / "x" / "pay.csv").stderr
    assert pay.name == "pay"
