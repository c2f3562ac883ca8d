"""A curator's counts: equal to the number of decisions, by their subjects, and the same on both databases.

- The database's counts equal those of single decisions.
- Only newest versions and current tasks count; a slot's decision follows every change.
- Agreement by parts, over time and of fields equals that of the ratings concerned.
"""

from __future__ import annotations

import random
from collections import Counter
from datetime import datetime, timedelta

import pytest

from benchwright.annotation.agreement.coefficients import agreement_of
from benchwright.annotation.agreement.ratings import Rating
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.fields.field_types import OneOf, Option, SeveralOf, TextField
from benchwright.annotation.forms.fields.form import Form
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.campaign_progress import progress_by, progress_of
from benchwright.annotation.progress.label_fields import label_field_named, label_fields_of
from benchwright.annotation.progress.overview import Overview, periods_of
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.errors import BenchwrightError

pytestmark = [pytest.mark.both_databases, pytest.mark.slow]

PEOPLE = ("ann", "ben", "cas", "dan")
DECISIONS = ("accept", "reject", "revise")
REASONS = ("unclear", "wrong_answer")


def filled(store: ReviewStore, now: datetime, *, tasks: int = 30) -> ReviewStore:
    """Open a campaign of three slots and let annotators decide most of it, some of them twice."""
    store.upsert_campaign(
        "verify", kind="verify", rule="at_least(2, of=3)", slots_per_task=3, settings={}, seed=1,
        form=CampaignForm(decisions=list(DECISIONS), reasons=list(REASONS), needs_note=[]),
    )  # fmt: skip
    store.upsert_tasks("verify", work(tasks))
    for name in PEOPLE:
        store.upsert_annotator(name)
    rng = random.Random(5)
    for n, task in enumerate(store.tasks("verify")[:-4]):
        for name in rng.sample(PEOPLE, 3 if n % 5 else 2):
            at = now + timedelta(days=n // 9, seconds=40 * n)
            lease = store.claim("verify", name, now=at, task=task.id)
            assert lease is not None
            for version in range(2 if rng.random() < 0.3 else 1):
                decision = rng.choice(DECISIONS)
                reasons = tuple(rng.sample(REASONS, rng.randrange(3))) if decision == "reject" else ()
                later = at + timedelta(seconds=5 + PEOPLE.index(name) + 1000 * version)
                store.submit(lease.slot_id, name, Submission(decision, reasons=reasons), now=later, amend=True)
    return store


def work(tasks: int, *, changed: int = 0) -> list[TaskInput]:
    return [
        TaskInput(
            f"item-{n:03}", f"content-{n}" + ("-new" if n < changed else ""),
            {"task": ("jigsaw", "counting")[n % 2], "kind": "yes_no"} | ({"category": "street"} if n % 3 == 0 else {}),
        )
        for n in range(tasks)
    ]  # fmt: skip


@pytest.fixture
def overview(store: ReviewStore, now: datetime) -> Overview:
    filled(store, now)
    return Overview(store, store.campaign("verify"))


def test_patterns_count_every_current_task_once_with_its_newest_decisions(
    overview: Overview, store: ReviewStore
) -> None:
    store.upsert_tasks("verify", work(30, changed=3))
    expected: Counter[tuple[object, ...]] = Counter()
    said = store.decisions("verify")
    for task in store.tasks("verify", states=("open", "done")):
        given = Counter(one.decision for one in said if one.item_id == task.item_id)
        about = (task.payload["kind"], task.payload["task"], task.payload.get("category"))
        expected[(*about, task.state, tuple(sorted(given.items())))] += 1
    found = {(*one[:4], tuple(sorted(one.decisions.items()))): one.times for one in overview.decision_counts()}
    assert found == dict(expected)
    assert sum(found.values()) == 30


def test_slots_annotators_and_days_are_counted_as_their_decisions_are(
    overview: Overview, store: ReviewStore, now: datetime
) -> None:
    said = store.decisions("verify")
    assert overview.filled(now=now) == (len(said), 0, 90 - len(said))
    assert overview.decisions_by_annotator() == {
        name: dict(sorted(Counter(one.decision for one in said if one.annotator == name).items())) for name in PEOPLE
    }
    days = Counter(one.submitted_at.date().isoformat() for one in said)
    assert overview.days() == dict(sorted(days.items()))
    assert len(days) == 3


def test_a_held_slot_counts_as_held_until_its_lease_ends(overview: Overview, store: ReviewStore, now: datetime) -> None:
    lease = store.claim("verify", "ann", now=now + timedelta(days=9), lease_s=60)
    assert lease is not None
    assert overview.filled(now=now + timedelta(days=9)).leased == 1
    assert overview.filled(now=now + timedelta(days=10)).leased == 0


def test_reasons_are_counted_one_by_one_with_the_newest_items_that_they_were_given_for(
    overview: Overview, store: ReviewStore
) -> None:
    said = store.decisions("verify")
    found = overview.reasons(examples=2)
    assert {(one.decision, one.reason): one.times for one in found} == Counter(
        ("reject", reason) for one in said for reason in one.reasons
    )
    assert [one.times for one in found] == sorted((one.times for one in found), reverse=True)
    items = {reason: {one.item_id for one in said if reason in one.reasons} for reason in REASONS}
    for one in found:
        assert len({example.item_id for example in one.examples}) == 2
        assert {example.item_id for example in one.examples} <= items[one.reason]


def test_the_stamp_changes_with_every_decision_and_every_changed_item(
    overview: Overview, store: ReviewStore, now: datetime
) -> None:
    stamps = {overview.stamp(), overview.stamp()}
    assert len(stamps) == 1
    lease = store.claim("verify", "ann", now=now + timedelta(days=9))
    assert lease is not None
    store.submit(lease.slot_id, "ann", Submission("accept"), now=now + timedelta(days=9))
    stamps.add(overview.stamp())
    store.upsert_tasks("verify", work(30, changed=1))
    assert len(stamps | {overview.stamp()}) == 3


@pytest.mark.parametrize("split", ["kind", "task", "category"])
def test_agreement_by_parts_is_that_of_the_ratings_of_each_part(
    overview: Overview, store: ReviewStore, split: str
) -> None:
    part_of = {task.item_id: task.payload.get(split, "") for task in store.tasks("verify", states=("open", "done"))}
    rows = [Rating(one.item_id, one.annotator, one.decision) for one in store.decisions("verify")]
    asked = label_fields_of(overview.campaign)[0]
    found = overview.agreement_by(split, overview.label_columns(asked), resamples=0)  # type: ignore[arg-type] # parametrized
    assert {group.name: group.agreement for group in found} == {
        part: agreement_of([row for row in rows if part_of[row.unit] == part], categories=DECISIONS, resamples=0)
        for part in sorted({part_of[row.unit] for row in rows})
    }


def test_agreement_over_time_puts_a_task_where_its_last_decision_is(overview: Overview, store: ReviewStore) -> None:
    found = overview.agreement_by("time", overview.label_columns(label_fields_of(overview.campaign)[0]), resamples=0)
    last = {}
    for one in store.decisions("verify"):
        last[one.item_id] = max(last.get(one.item_id, ""), one.submitted_at.date().isoformat())
    assert {group.name: group.agreement.units for group in found} == dict(sorted(Counter(last.values()).items()))


def test_reasons_are_compared_as_sets(overview: Overview, store: ReviewStore) -> None:
    asked = label_field_named(overview.campaign, "reasons")
    rows = [Rating(one.item_id, one.annotator, "|".join(one.reasons)) for one in store.decisions("verify")]
    [group] = overview.agreement_by("kind", overview.label_columns(asked), metric=asked.metric, resamples=0)
    assert group.agreement == agreement_of(rows, metric="masi", resamples=0)


def test_pace_is_that_of_first_versions(overview: Overview) -> None:
    found = overview.qualities(overview.label_columns(label_fields_of(overview.campaign)[0]))
    assert {one.rater: round(one.median_seconds or 0, 3) for one in found} == dict(
        zip(PEOPLE, (5, 6, 7, 8), strict=True)
    )
    assert {one.on_gold for one in found} == {(None, 0)}


def test_a_campaign_without_decisions_has_nothing_to_show_and_nothing_fails(store: ReviewStore, now: datetime) -> None:
    store.upsert_campaign(
        "new", kind="verify", rule="unanimous(2)", slots_per_task=2, settings={}, seed=1,
        form=CampaignForm(decisions=list(DECISIONS)),
    )  # fmt: skip
    overview = Overview(store, store.campaign("new"))
    said = overview.label_columns(label_fields_of(overview.campaign)[0])
    assert overview.decision_counts() == []
    assert overview.filled(now=now) == (0, 0, 0)
    assert overview.agreement_by("task", said) == []
    assert overview.qualities(said) == []
    assert overview.reasons() == []
    assert progress_of(overview.campaign, []).tasks == 0


def test_outcomes_follow_the_rule_and_add_up(overview: Overview) -> None:
    patterns = overview.decision_counts()
    whole = progress_of(overview.campaign, patterns)
    assert list(whole.outcomes) == [*DECISIONS, "no_agreement", "begun", "untouched"]
    assert sum(whole.outcomes.values()) == whole.tasks == 30
    assert whole.outcomes["untouched"] == 4
    assert whole.outcomes["begun"] == 6
    by_task = progress_by(overview.campaign, patterns, "task")
    assert [one.name for one in by_task] == ["counting", "jigsaw"]
    assert sum(one.outcomes["accept"] for one in by_task) == whole.outcomes["accept"]


def test_fields_of_a_form_are_compared_each_by_itself(store: ReviewStore, now: datetime) -> None:
    form = Form(
        fields=(
            OneOf(name="level", label="How hard", options=tuple(Option(code=c, words=c) for c in ("easy", "so", "hard"))),
            SeveralOf(name="themes", label="Themes", options=tuple(Option(code=c, words=c) for c in ("love", "war"))),
            TextField(name="why", label="Why"),
        )
    )  # fmt: skip
    store.upsert_campaign(
        "typed", kind="error_analysis", rule="answers(2)", slots_per_task=2, form=CampaignForm(fields=form.fields),
        settings={}, seed=1,
    )  # fmt: skip
    store.upsert_tasks("typed", [TaskInput(f"i{n}", "c", {"task": "jigsaw", "choices": []}) for n in range(4)])
    levels = {"ann": ("easy", "so", "hard", "easy"), "ben": ("easy", "hard", "hard", "so")}
    for name, said in levels.items():
        store.upsert_annotator(name)
        for task, level in zip(store.tasks("typed", states=("open", "done")), said, strict=True):
            fields = {"level": level, "themes": ["love"] if level == "easy" else ["war", "love"], "why": "so"}
            store.decide("typed", task.id, name, Submission(fields=fields), now=now)
    campaign = store.campaign("typed")
    overview = Overview(store, campaign)
    assert [asked.labels.name for asked in label_fields_of(campaign)] == ["level", "themes"]
    asked = label_field_named(campaign, "level", ordinal=True)
    rows = [Rating(str(n), name, level) for name, said in levels.items() for n, level in enumerate(said)]
    expected = agreement_of(rows, categories=("easy", "so", "hard"), metric="ordinal", resamples=0)
    [group] = overview.agreement_by("task", overview.label_columns(asked), metric=asked.metric, resamples=0)
    assert group.agreement == expected
    assert expected.krippendorff_alpha != agreement_of(rows, resamples=0).krippendorff_alpha
    themes = overview.label_columns(label_field_named(campaign, "themes")).ratings
    assert themes.label_names == ("love", "love|war")


def test_what_has_no_order_and_what_is_not_asked_is_refused_in_words(overview: Overview) -> None:
    with pytest.raises(BenchwrightError, match="'decision' has no order"):
        label_field_named(overview.campaign, None, ordinal=True)
    with pytest.raises(BenchwrightError, match="has no 'mood' to compare; it has decision, reasons"):
        label_field_named(overview.campaign, "mood")


def test_periods_are_days_then_weeks_then_months() -> None:
    start = datetime(2026, 3, 4)

    def days(many: int) -> list[str]:
        return [(start + timedelta(days=n)).date().isoformat() for n in range(many)]

    assert periods_of(days(14)) == days(14)
    assert set(periods_of(days(15))) == {"week of 2026-03-02", "week of 2026-03-09", "week of 2026-03-16"}
    assert sorted(set(periods_of(days(300))))[:2] == ["2026-03", "2026-04"]


def test_people_count_who_have_decided_something(overview: Overview, store: ReviewStore, now: datetime) -> None:
    store.upsert_annotator("eve")
    assert store.claim("verify", "eve", now=now + timedelta(days=9)) is not None
    assert overview.people() == 4


def test_divided_tasks_come_with_who_said_what(overview: Overview, store: ReviewStore) -> None:
    said: dict[str, dict[str, str]] = {}
    for one in store.decisions("verify"):
        said.setdefault(one.item_id, {})[one.annotator] = one.decision
    expected = {item: given for item, given in said.items() if len(set(given.values())) > 1}
    found = overview.divided(most=100)
    assert {one.item_id: {told.annotator: told.decision for told in one.said} for one in found} == expected
    assert [one.task_id for one in found] == sorted((one.task_id for one in found), reverse=True)
    assert overview.divided(most=2) == found[:2]
