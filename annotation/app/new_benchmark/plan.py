"""A curator's answers in the dialogue for a new benchmark, as typed and as checked.

Answers are stored as typed, even if wrong, so that no input is lost; `checked_plan` reports the problem of each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Literal, NamedTuple, get_args

from benchwright.errors import BenchwrightError
from benchwright.records import LETTERS

from ...pay.invoice import PayTerms, read_rate
from ...store.campaigns.tasks import SIMULATED
from ...workflow.settlement.rules import Rule
from ..wording.own_page_texts import TEXTS

Source = Literal["table", "release", "folders", "asked", "photographs", "made"]
Kind = Literal["verify", "review", "screen_items", "answer"]
Split = Literal["one", "shares", "tasks"]
Step = Literal["source", "question", "people", "care", "check"]
STEPS: tuple[Step, ...] = get_args(Step)
SOURCES: tuple[Source, ...] = get_args(Source)
KINDS: tuple[Kind, ...] = get_args(Kind)
SPLITS: tuple[Split, ...] = get_args(Split)
OF_PHOTOGRAPHS: tuple[Source, ...] = ("folders", "asked", "photographs", "made")
"""Sources that name a folder of photographs."""
ACCEPTED = ":accepted"
"""Answer to the question on gold that makes accepted items gold; no folder has this name."""
MOST_PEOPLE = 200
_LONGEST = 20_000
"""Maximum number of characters stored for one answer."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_CODE = re.compile(r"[^\W\d]\w{0,39}")
USUAL: Mapping[str, str] = {
    "name": "", "source": "table", "table": "", "pictures": "", "release": "", "folder": "", "question": "",
    "choices": "", "task": "", "options": "4", "kind": "verify", "guidelines": "", "reasons": "",
    "votes": "2", "agree": "2", "adjudicated": "no", "baseline": "0", "split": "one", "parts": "2",
    "people": "", "hours_a_day": "2", "seconds": "30", "rate": "15.00",
    "currency": "USD", "gold": "", "gold_votes": "2",
    "attention": "yes", "qualification": "no", "pass_mark": "4", "pause": "yes",
}  # fmt: skip
"""Default answers, by field."""
FIELDS: Mapping[Step, tuple[str, ...]] = {
    "source": ("name", "source", "table", "pictures", "release", "folder", "question", "choices", "task", "options"),
    "question": ("kind", "guidelines", "reasons", "votes", "agree", "adjudicated", "baseline", "split", "parts"),
    "people": ("people", "hours_a_day", "seconds", "rate", "currency"),
    "care": ("gold", "gold_votes", "attention", "qualification", "pass_mark", "pause"),
    "check": (),
}
"""The fields of each step of the dialogue."""


class BenchmarkPlan(NamedTuple):
    """Checked answers.

    Attributes:
        name: Name of the benchmark.
        source: Source of the items.
        table: Name of an uploaded table; only for the source `table`.
        pictures: Name of an allowed folder with the pictures of a table; empty if the table holds them.
        release: Name of an allowed folder that holds a release; only for the source `release`.
        folder: Name of an allowed folder with photographs.
        question: Question about each photograph; only for the sources `folders` and `asked`.
        choices: Options of that question; only for the source `asked`.
        task: Task name of the questions that annotators write; only for the source `photographs`.
        options: Number of options of each question that annotators write.
        kind: Kind of the campaign on items.
        guidelines: Guidelines for annotators; empty for the kind's default.
        reasons: Codes of reasons; empty for the kind's default.
        rule: Number of annotators who judge an item, and number of them who must agree.
        baseline: Number of annotators who then answer each item without its key; 0 for no such campaign.
        split: Whether one campaign judges all items, or several campaigns each judge a part, by share or by task.
        parts: Number of campaigns with equal shares; only for the split `shares`.
        people: Names of annotators to invite.
        hours_a_day: Working hours of each annotator per day.
        seconds: Assumed seconds per decision.
        pay: Pay per hour.
        gold: Name of an allowed folder with a release whose items are gold; empty for none.
        gold_votes: Number of votes after which a unanimously accepted item becomes gold for others; None for never.
        has_attention: Whether attention checks are mixed in.
        pass_mark: Number of right practice items required to begin; None for none.
        has_pause: Whether careless annotators are paused.
    """

    name: str
    source: Source
    table: str
    pictures: str
    release: str
    folder: str
    question: str
    choices: tuple[str, ...]
    task: str
    options: int
    kind: Kind
    guidelines: str
    reasons: tuple[str, ...]
    rule: Rule
    baseline: int
    split: Split
    parts: int
    people: tuple[str, ...]
    hours_a_day: float
    seconds: float
    pay: PayTerms
    gold: str
    gold_votes: int | None
    has_attention: bool
    pass_mark: int | None
    has_pause: bool

    @property
    def makes_keys(self) -> bool:
        """Return whether the annotators' answers become the keys of questions that have none."""
        return self.kind == "answer"


class CheckedPlan(NamedTuple):
    """A plan, or its problems: a sentence for each field with a wrong value."""

    plan: BenchmarkPlan | None
    problems: Mapping[str, str]

    def step_of_first(self) -> Step:
        """Return the step of the dialogue that contains the first wrong field."""
        return next(step for step in STEPS if any(field in self.problems for field in FIELDS[step]))


def answers_in(fields: Mapping[str, str], before: Mapping[str, str]) -> dict[str, str]:
    """Return the answers, updated with the sent fields; fields that the dialogue does not have are ignored."""
    sent = {name: value[:_LONGEST] for name, value in fields.items() if name in USUAL}
    return {**USUAL, **before, **sent}


def checked_plan(answers: Mapping[str, str]) -> CheckedPlan:
    """Check answers separately and together; the readers of files check the answers that depend on files."""
    problems: dict[str, str] = {}

    def number(field: str, least: float, most: float, *, whole: bool = True) -> float:
        text = answers[field].strip().replace(",", ".")
        if (
            re.fullmatch(r"[0-9]{1,6}" if whole else r"[0-9]{1,6}(\.[0-9]{1,3})?", text)
            and least <= float(text) <= most
        ):
            return float(text)
        problems[field] = TEXTS["needs_number"].format(least=f"{least:g}", most=f"{most:g}", value=text[:40])
        return least

    def stated(field: str, words: str, fits: Callable[[str], object] = bool) -> str:
        text = answers[field].strip()
        if not fits(text):
            problems[field] = TEXTS[words]
        return text

    source = answers["source"] if answers["source"] in SOURCES else SOURCES[0]
    kind = answers["kind"] if answers["kind"] in KINDS else KINDS[0]
    name = stated("name", "needs_name", _NAME.fullmatch)
    table = stated("table", "needs_table") if source == "table" else ""
    release = stated("release", "needs_release") if source == "release" else ""
    folder = stated("folder", "needs_folder") if source in OF_PHOTOGRAPHS else ""
    is_asked = source in {"folders", "asked"}
    question = stated("question", "needs_question", lambda text: 0 < len(text) <= 500) if is_asked else ""
    choices = tuple(line.strip() for line in answers["choices"].splitlines() if line.strip())
    are_different = len({*map(str.casefold, choices)}) == len(choices)
    if source == "asked" and not (2 <= len(choices) <= len(LETTERS) and are_different):
        problems["choices"] = TEXTS["needs_choices"]
    task = stated("task", "needs_task", _CODE.fullmatch) if source == "photographs" else ""
    options = int(number("options", 2, 20)) if source == "photographs" else 4
    votes, baseline = int(number("votes", 1, 9)), int(number("baseline", 0, 9))
    agree = 1 if "votes" in problems else int(number("agree", 1, votes))
    if "votes" not in problems and "agree" not in problems and agree * 2 <= votes:
        problems["agree"] = TEXTS["needs_majority"].format(votes=votes)
    split = answers["split"] if answers["split"] in SPLITS else SPLITS[0]
    parts = int(number("parts", 2, 9)) if split == "shares" else 1
    reasons = tuple(dict.fromkeys(code_of(line) for line in answers["reasons"].splitlines() if line.strip()))
    if not all(_CODE.fullmatch(code) for code in reasons) or len(reasons) > 20:
        problems["reasons"] = TEXTS["needs_reasons"]
    people = tuple(dict.fromkeys(line.strip() for line in answers["people"].splitlines() if line.strip()))
    if len(people) > MOST_PEOPLE or not all(_is_name(person) for person in people):
        problems["people"] = TEXTS["needs_people"].format(most=MOST_PEOPLE)
    hours_a_day, seconds = number("hours_a_day", 0.1, 24, whole=False), number("seconds", 1, 3600)
    rate, currency = Decimal(0), stated("currency", "needs_currency", re.compile("[A-Z]{3}").fullmatch)
    try:
        rate = read_rate(answers["rate"], of=TEXTS["rate"])
    except BenchwrightError:
        problems["rate"] = TEXTS["needs_rate"]
    has_accepted = answers["gold"] == ACCEPTED
    problems |= _problems_between(source, kind, split, answers["gold"], votes)
    gold_votes = int(number("gold_votes", 2, max(2, votes))) if has_accepted else None
    pass_mark = int(number("pass_mark", 1, 5)) if answers["qualification"] == "yes" else None
    if problems:
        return CheckedPlan(None, problems)
    plan = BenchmarkPlan(
        name, source, table, answers["pictures"] if source == "table" else "", release, folder, question,
        choices if source == "asked" else (), task, options,
        kind, answers["guidelines"].strip(), reasons,
        Rule(agree, votes, is_adjudicated=answers["adjudicated"] == "yes" and kind != "screen_items" and votes > 1),
        baseline, split, parts, people, hours_a_day, seconds, PayTerms(rate, currency),
        "" if has_accepted else answers["gold"], gold_votes,
        answers["attention"] == "yes" and kind != "review", pass_mark, answers["pause"] == "yes",
    )  # fmt: skip
    return CheckedPlan(plan, {})


def _problems_between(source: Source, kind: Kind, split: Split, gold: str, votes: int) -> dict[str, str]:
    """Return, by field, the conflicts between answers that are valid separately."""
    problems = {}
    if source == "asked" and kind != "answer":
        problems["kind"] = TEXTS["needs_answering"]
    elif kind == "answer" and source not in {"asked", "table"}:
        problems["kind"] = TEXTS["needs_keyless"]
    if split == "tasks" and source in {"folders", "asked", "photographs"}:
        problems["split"] = TEXTS["needs_tasks"]
    if kind == "answer" and gold:
        problems["gold"] = TEXTS["needs_no_gold"]
    elif gold == ACCEPTED and kind == "review":
        problems["gold"] = TEXTS["needs_accepting"]
    elif gold == ACCEPTED and votes < 2:
        problems["gold"] = TEXTS["needs_two_votes"]
    return problems


def code_of(words: str) -> str:
    """Return the code for a reason as worded: "Wrong answer" becomes `wrong_answer`."""
    return re.sub(r"\W+", "_", words.strip().lower()).strip("_")


def _is_name(name: str) -> bool:
    return len(name) <= 100 and name.isprintable() and not name.startswith(SIMULATED)
