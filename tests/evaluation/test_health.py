"""The health of a benchmark according to stored results.

Facts held here: ceiling, discrimination and states of tasks follow from counts that can be made by hand; suspected keys are those of `evaluate suspects`; signs of contamination are found where they were planted and said to be not looked at where no run shows them; no figure stands where nothing was looked at; the advice goes into a campaign; page and command say the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_page import ReportPage
from scipy.stats import ttest_1samp

from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError, DataError
from benchwright.evaluation.backends.base import PerQuestion
from benchwright.evaluation.health.health import Health, health_of
from benchwright.evaluation.health.health_files import write_advice
from benchwright.evaluation.health.model_facts import read_model_dates
from benchwright.evaluation.health.page import write_health
from benchwright.evaluation.health.signs import above_decoys
from benchwright.evaluation.health.summary import summary_lines
from benchwright.evaluation.run import evaluate
from benchwright.records import Source
from benchwright.release import Release
from benchwright.review_files.tasks import read_review_tasks
from benchwright.statistics.clustered_mean import clustered_mean

pytestmark = pytest.mark.slow

EASY, HARD, MIXED = 60, 60, 80
WRONG_KEY, KNOWN = range(EASY + HARD, EASY + HARD + 3), range(EASY + HARD + 3, EASY + HARD + 23)
"""Places of items whose key is wrong, and of those that models know by the letter of their published order."""
OPTIONS = ("cat", "dog", "fox", "owl")
ABLE = (0.9, 0.8, 0.7, 0.6, 0.5)


def place_of(question: Any) -> int:
    return int(re.findall(r"\d+", question.text)[0])


def as_able(model: int) -> Callable[..., str]:
    """Return replies: right on the easy task, by luck on the hard one, by ability on the third; without the picture and
    in any order, the letter that is published on items that are known.
    """

    def reply(question: Any, content_id: str) -> str:
        place = place_of(question)
        luck = np.random.default_rng((model, place)).random()
        if place in KNOWN:
            return "(B)"
        by_text = {choice.text: choice.key for choice in question.choices}
        if not question.pictures or EASY <= place < EASY + HARD:
            return f"({'ABCD'[int(np.random.default_rng((model, place, len(question.pictures))).integers(4))]})"
        if place in WRONG_KEY:
            return f"({by_text['fox']})"
        right = luck < (1.0 if place < EASY else ABLE[model])
        return f"({by_text['dog']})" if right else f"({by_text[('cat', 'fox', 'owl')[int(luck * 1000) % 3]]})"

    return reply


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Release, Path]:
    from handmade_bench import Bench

    folder, bench = tmp_path_factory.mktemp("health"), Bench()
    for place in range(EASY + HARD + MIXED):
        task = "easy" if place < EASY else "hard" if place < EASY + HARD else "mixed"
        bench.add(f"q{place}", task=task, options=OPTIONS, answer="B", explanation="It barks, as one hears at once.")
    release = bench.release(folder / "release")
    for model in range(len(ABLE)):
        for protocol in ("vanilla", "blind", "circular"):
            evaluate(release, PerQuestion(f"m{model}", as_able(model)), protocol=protocol, out=folder / "results")
    return release, folder / "results"


@pytest.fixture(scope="module")
def health(scored: tuple[Release, Path]) -> Health:
    release, results = scored
    return health_of(release, [results])


def test_states_of_tasks_follow_from_what_was_planted(health: Health) -> None:
    assert health.systems == ["m0", "m1", "m2", "m3", "m4"]
    assert {scope.task: scope.state for scope in health.tasks} == {
        "easy": "saturated", "hard": "at_chance", "mixed": "telling",
    }  # fmt: skip
    easy, hard, mixed = health.tasks
    assert (easy.all_right, easy.all_wrong, easy.told_apart, easy.pairs) == (EASY, 0, 0, 10)
    assert easy.worth == 0
    assert easy.reached == 1
    assert mixed.told_apart > 0
    assert mixed.all_right + mixed.all_wrong + mixed.telling == MIXED
    assert health.whole.worth == pytest.approx(mixed.worth or 0, rel=0.1)  # items at chance count nothing
    assert hard.chance == 0.25


def test_worth_is_counted_from_shares_of_right_systems(health: Health) -> None:
    sheet = health.runs.sheet.of_models(health.runs.systems)
    of_mixed = np.array(sheet.items.column("task").to_pylist()) == "mixed"
    p = sheet.right[:, of_mixed].mean(axis=0)
    assert health.tasks[2].worth == pytest.approx((4 * p * (1 - p) * 5 / 4).sum())  # one item a cluster


def test_suspected_keys_are_those_of_the_command_on_the_same_results(
    scored: tuple[Release, Path], health: Health, capsys: Any
) -> None:
    release, results = scored
    assert invoke(["evaluate", "suspects", str(results), "--release", str(release.path), "--json"]) == 0
    suspects = json.loads(capsys.readouterr().out)["suspects"]
    assert [issue["item_id"] for issue in suspects] == [issue.item_id for issue in health.runs.issues.found]
    assert {issue["item_id"] for issue in suspects} >= ids_of(health, WRONG_KEY)
    reachable = health.tasks[2].reachable
    assert reachable is not None
    assert 0.9 < reachable < 1


def ids_of(health: Health, places: Any) -> set[str]:
    by_place = {int(r.item.question[1:]): r.item.item_id for r in health.release.items(pictures_of=())}
    return {by_place[place] for place in places}


def test_what_models_know_without_pictures_and_in_one_order_is_found(health: Health) -> None:
    blind, order, canary, hidden, completion, older = health.signs
    known = ids_of(health, KNOWN)
    assert blind.is_found
    assert known <= set(blind.items)
    assert len(set(blind.items) - known) <= 6  # a tenth of those named is expected
    assert order.is_found
    assert {model.model for model in order.models if model.is_found} == {"m0", "m1", "m2", "m3", "m4"}
    assert len(known & set(order.items)) >= 18
    assert (canary.looked_at, canary.is_found) == (True, False)
    assert hidden.looked_at
    assert not hidden.is_found
    assert (completion.looked_at, older.looked_at) == (False, False)
    by_id = {each.id: each for each in health.advice if each.kind == "item"}
    assert all(by_id[item_id].action in {"check_key", "replace"} for item_id in known & set(order.items))
    assert {by_id[item_id].action for item_id in ids_of(health, range(EASY))} <= {"retire", "harden"}


def test_nothing_is_said_of_what_no_run_shows(scored: tuple[Release, Path]) -> None:
    release, results = scored
    health = health_of(
        release, [path for path in results.iterdir() if path.name.startswith("m0") and "@" not in path.name]
    )
    assert health.systems == ["m0"]
    assert (health.whole.reachable, health.whole.reached, health.whole.worth) == (None, None, None)
    assert {scope.state for scope in health.tasks} == {"not_looked_at"}
    assert health.advice == ()
    unseen = {sign.name: sign for sign in health.signs if not sign.looked_at}
    assert unseen.keys() == {"without_pictures", "published_order", "completion", "older_items"}
    assert "--protocol blind" in (unseen["without_pictures"].command or "")
    assert all(sign.document()["found"] is None for sign in unseen.values())
    printed = "\n".join(summary_lines(health))
    assert "not looked at: needs a run without pictures" in printed
    assert all(len(line) <= 100 for line in printed.splitlines())


def test_runs_without_pictures_alone_judge_no_key_and_no_task(scored: tuple[Release, Path]) -> None:
    release, results = scored
    health = health_of(release, [path for path in results.iterdir() if path.name.endswith("@blind")])
    assert health.systems == []
    assert (health.whole.accuracy, health.whole.wrong_keys, health.whole.worth) == (None, None, None)
    assert {scope.state for scope in health.tasks} == {"not_looked_at"}
    assert {each.action for each in health.advice} == {"harden"}
    assert health.document()["suspects"] is None
    assert health.signs[0].is_found


def test_a_canary_and_a_hidden_text_in_a_reply_are_found(bench: Any, tmp_path: Path) -> None:
    long = "Its shadow falls to the left of the lamp, so that the light must come from the right."
    for number in range(8):
        bench.add(f"q{number}", answer="B", explanation=long)
    release = bench.release(tmp_path / "release")
    replies = {2: f"{release.canary} (B)", 3: "The shadow falls to the left of the lamp, so that the light: (B)"}
    quoting = PerQuestion("m", lambda question, _: replies.get(place_of(question), "(B)"))
    evaluate(release, quoting, out=tmp_path / "out")
    signs = {sign.name: sign for sign in health_of(release, [tmp_path / "out"]).signs}
    items = [released.item for released in release.items(pictures_of=())]
    by_question = {item.question: item.item_id for item in items}
    assert signs["canary"].items == (by_question["q2"],)
    assert signs["hidden_texts"].items == (by_question["q3"],)


def test_older_items_count_only_where_dates_are_stated(bench: Any, tmp_path: Path) -> None:
    for number in range(80):
        item = bench.add(f"q{number}", answer="B", pictures=[np.full((4, 4, 3), number, dtype=np.uint8)])
        record = bench.records[item.root_image_id]
        year = 2020 if number < 40 else 2025
        source = Source(uri=f"{number}.png", date=f"{year}-05-01")
        bench.records[item.root_image_id] = record.model_copy(update={"source": source})
    release = bench.release(tmp_path / "release")

    def knows_old(question: Any, _: str) -> str:
        return "(B)" if place_of(question) < 40 or place_of(question) % 2 else "(A)"

    evaluate(release, PerQuestion("m", knows_old), out=tmp_path / "out")
    facts = tmp_path / "models.csv"
    facts.write_text("model,date,cutoff\nm,2024-06,2023\n", encoding="utf-8")
    health = health_of(release, [tmp_path / "out"], dates=read_model_dates(facts))
    older = health.signs[-1]
    assert older.is_found
    assert older.models[0].value == pytest.approx(0.5)
    assert [(str(system.date), system.is_best) for system in health.dated] == [("2024-06-01", True)]
    facts.write_text("model,cutoff\nm,soon\n", encoding="utf-8")
    with pytest.raises(DataError, match="cutoff is 'soon', not a date"):
        read_model_dates(facts)


def test_the_advice_goes_into_a_campaign_and_a_table(health: Health, tmp_path: Path) -> None:
    count = write_advice(health, tmp_path / "advice.jsonl")
    tasks = read_review_tasks(tmp_path / "advice.jsonl").tasks
    assert [task.item_id for task in tasks] == [each.id for each in health.advice if each.kind == "item"]
    assert len(tasks) == count
    assert tasks[0].about == {"action": "check_key", "reason": "suspected_key"}
    write_advice(health, tmp_path / "advice.csv")
    lines = (tmp_path / "advice.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "kind,id,task,action,codes,reasons"
    assert len(lines) == 1 + len(health.advice)
    assert any(line.startswith("task,easy,easy,replace,saturated,") for line in lines)
    with pytest.raises(BenchwrightError, match=r"\.jsonl or \.csv"):
        write_advice(health, tmp_path / "advice.txt")
    command = ["review", "open", str(tmp_path / "advice.jsonl"), "--release", str(health.release.path)]
    assert invoke([*command, "--workspace", str(tmp_path / "work")]) == 0


def test_page_and_command_say_the_same(
    scored: tuple[Release, Path], health: Health, tmp_path: Path, capsys: Any
) -> None:
    release, results = scored
    page = tmp_path / "health.html"
    command = ["evaluate", "health", str(release.path), str(results), "--page", str(page), "--json"]
    assert invoke(command) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["whole"]["told_apart"] == health.whole.told_apart
    assert [scope["state"] for scope in document["tasks"]] == ["saturated", "at_chance", "telling"]
    shown = ReportPage(page)
    cells = [cell.text for cell in shown.all("span", class_="state saturated")]
    assert cells == ["saturated"]
    first = page.read_bytes()
    write_health(health, page)
    assert page.read_bytes() == first
    assert "http://" not in page.read_text(encoding="utf-8").replace("http://www.w3.org/", "")


def test_results_of_another_release_are_named(scored: tuple[Release, Path], bench: Any, tmp_path: Path) -> None:
    bench.add("other")
    other = bench.release(tmp_path / "other", version="2.0")
    with pytest.raises(
        BenchwrightError, match=r"none of these results belongs to by-hand 2\.0 .* they belong to by-hand 1\.0"
    ):
        health_of(other, [scored[1]])


def test_a_mean_over_clusters_of_one_is_students(scored: Any) -> None:
    values = np.random.default_rng(3).normal(0.2, 1, 30)
    mean = clustered_mean(values, np.arange(30))
    students = ttest_1samp(values, 0, alternative="greater")
    assert mean is not None
    assert mean.p_above == pytest.approx(students.pvalue)
    assert mean.interval == pytest.approx(tuple(ttest_1samp(values, 0).confidence_interval()))
    doubled = clustered_mean(np.repeat(values, 2), np.repeat(np.arange(30), 2))
    assert doubled is not None
    assert doubled.interval == pytest.approx(mean.interval)  # a copy of each item says nothing new


def test_items_are_named_only_above_what_decoys_reach() -> None:
    targets = np.array([5.0] * 20 + [1.0] * 80 + [np.nan])
    decoys = np.array([5.0] + [1.0] * 79 + [0.0] * 20)
    assert above_decoys(targets, decoys).tolist() == [True] * 20 + [False] * 81
    assert not above_decoys(decoys, decoys).any()
