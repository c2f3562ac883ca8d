"""Replies in an audit: wrong keys, ambiguity, power and scores appear in its findings, or what to add for them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchwright.audit import AuditSettings, audit
from benchwright.audit.check import AuditCheck
from benchwright.audit.checks.item_faults import ExplainedKeys
from benchwright.audit.checks.keys import AmbiguousItems, SuspectedKeys, UnreadReplies
from benchwright.audit.checks.scores import ScoresWithout, StatisticalPower
from benchwright.audit.findings.finding import Finding
from benchwright.audit.findings.report import AuditReport
from benchwright.audit.findings.verdict import kinds_of
from benchwright.audit.source.source_replies import replies_of_source
from benchwright.cli.main import invoke
from benchwright.question_files.questions.asked_question import ModelReply
from benchwright.replies.model_replies import KeyedItem

pytestmark = pytest.mark.slow

ITEMS, WRONG = 80, 4
CHECKS: list[AuditCheck] = [
    ExplainedKeys(),
    UnreadReplies(),
    SuspectedKeys(),
    AmbiguousItems(),
    StatisticalPower(),
    ScoresWithout(),
]
MODELS = {"best": 0.95, "good": 0.9, "fair": 0.85, "weak": 0.75, "poor": 0.7}


def write(path: Path, columns: tuple[str, ...], rows: Iterable[Iterable[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows([columns, *rows])
    return path


def bench(folder: Path) -> tuple[Path, tuple[tuple[str, Path], ...]]:
    """Return questions with four wrong keys, one contradicted by an explanation, and five models' replies."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 4, ITEMS)
    key = truth.copy()
    key[:WRONG] = (truth[:WRONG] + 1) % 4
    questions = [
        (f"q{n}", f"What is number {n}?", "an oak", "a pine", "an elm", "a fir", "ABCD"[key[n]],
         f"Look at the leaves. The answer is {'ABCD'[truth[n]]}." if n in {1, 50} else "Leaves tell.")
        for n in range(ITEMS)
    ]  # fmt: skip
    file = write(folder / "trees.csv", ("id", "question", "A", "B", "C", "D", "answer", "explanation"), questions)
    replies = []
    for model, ability in MODELS.items():
        right = rng.random(ITEMS) < ability
        given = np.where(right, truth, (truth + rng.integers(1, 4, ITEMS)) % 4)
        rows = [(f"q{n}", "no idea" if n == 70 else f"I say ({'ABCD'[g]}).") for n, g in enumerate(given)]
        replies.append((model, write(folder / f"{model}.csv", ("id", "reply"), rows)))
    return file, tuple(replies)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> AuditReport:
    folder = tmp_path_factory.mktemp("trees")
    file, replies = bench(folder)
    people = [(f"q{n}", f"p{k}", "B" if (k < 5) == (n == 79) or n != 79 else "C") for n in (78, 79) for k in range(10)]
    votes = write(folder / "people.csv", ("id", "annotator", "answer"), people)
    settings = AuditSettings(replies=replies, people=(votes,), workers=1)
    return audit(file, folder / "out", settings, checks=CHECKS)


def found(report: AuditReport, kind: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.kind == kind]


def test_wrong_keys_are_found_with_what_speaks_against_them(report: AuditReport) -> None:
    suspects = [finding for finding in found(report, "suspected_key") if finding.severity == "high"]
    assert [finding.evidence["rank"] for finding in suspects] == [*range(1, len(suspects) + 1)]
    assert {f"q{n}" for n in range(WRONG)} <= {finding.items[0] for finding in suspects[:6]}
    first = suspects[0]
    assert len(first.evidence["gave_favoured"]) >= 3
    assert first.evidence["options"][first.evidence["favoured"]] in {"an oak", "a pine", "an elm", "a fir"}
    assert first.summary.startswith(f"The key is {first.evidence['key']}, but ")


def test_severity_says_how_sure_it_is_that_a_key_is_wrong(report: AuditReport) -> None:
    suspects = {each.evidence["probability"]: each.severity for each in found(report, "suspected_key")}
    assert {severity for probability, severity in suspects.items() if probability >= 0.9} == {"high"}
    assert {severity for probability, severity in suspects.items() if probability < 0.5} <= {"low"}
    assert {severity for probability, severity in suspects.items() if 0.5 <= probability < 0.9} <= {"medium"}


def test_an_explanation_that_names_another_option_is_a_finding_of_its_own(report: AuditReport) -> None:
    assert [finding.items for finding in found(report, "explanation_contradicts_key")] == [("q1",)]


def test_scores_stand_with_and_without_the_items_found_and_with_keys_set_right(report: AuditReport) -> None:
    (effect,) = found(report, "score_effect")
    best = effect.evidence["all"]["models"]["best"]
    assert best["with"]["n"] == ITEMS
    assert best["without"]["value"] > best["with"]["value"]
    assert best["corrected"]["value"] > best["with"]["value"]
    assert effect.evidence["by_kind"]["explanation_contradicts_key"]["items"] == 1
    rows = dict(row.split(": ", 1) for row in effect.evidence["rows"])
    assert rows.keys() == effect.evidence["all"]["models"].keys()
    assert rows["best"].startswith(f"{best['with']['value']:.1%} with, {best['without']['value']:.1%} without ")
    assert f"; {best['corrected']['value']:.1%} with keys set right" in rows["best"]
    changed = max(
        effect.evidence["all"]["models"], key=lambda name: abs(effect.evidence["all"]["models"][name]["change"])
    )
    assert f"accuracy changes most for {changed}: {rows[changed]}" in effect.summary


def test_the_page_shows_power_and_score_effects_as_tables(report: AuditReport) -> None:
    assert report.page is not None
    page = report.page.read_text(encoding="utf-8")
    (effect,) = found(report, "score_effect")
    best = effect.evidence["all"]["models"]["best"]
    row = page.partition('<th scope="row" class="text">best</th>')[2].partition("</tr>")[0]
    assert f"<td>{100 * best['with']['value']:.1f} %</td>" in row
    assert f"<td>{100 * best['corrected']['value']:.1f} %</td>" in row
    power = page.partition('<th scope="row" class="text">all items</th>')[2].partition("</tr>")[0]
    assert f"<td>{ITEMS}</td>" in power
    assert "of 10</td>" in power
    assert "&#34;too_close&#34;" not in page


def test_kinds_stand_apart_by_severity_so_that_possible_ones_do_not_count_as_likely(report: AuditReport) -> None:
    suspects = [kind for kind in kinds_of(report.findings, ITEMS) if kind.kind == "suspected_key"]
    assert [kind.severity for kind in suspects] == sorted({kind.severity for kind in suspects})
    assert sum(len(kind.findings) for kind in suspects) == len(found(report, "suspected_key"))
    assert all({finding.severity for finding in kind.findings} == {kind.severity} for kind in suspects)


def test_power_is_counted_from_the_replies(report: AuditReport) -> None:
    (power,) = found(report, "statistical_power")
    assert power.evidence["all"]["pairs_of_models"] == 10
    assert 0.05 < power.evidence["all"]["least_difference"] < 0.3
    assert power.certainty == "likely"


def test_replies_that_name_no_option_are_shown(report: AuditReport) -> None:
    notes = {finding.evidence["model"]: finding.evidence for finding in found(report, "unread_replies")}
    assert notes["good"]["without_an_option"] == 1
    assert notes["good"]["texts"] == {"q70": "no idea"}


def test_a_model_under_two_names_counts_once_and_two_that_are_right_count_twice(tmp_path: Path) -> None:
    file, replies = bench(tmp_path)
    by_name = dict(replies)
    half = by_name["weak"].read_text(encoding="utf-8").splitlines(keepends=True)[: ITEMS // 2]
    (tmp_path / "half.csv").write_text("".join(half), encoding="utf-8")
    with file.open(encoding="utf-8", newline="") as handle:
        keys = [(row["id"], row["answer"]) for row in csv.DictReader(handle)]
    perfect = write(tmp_path / "perfect.csv", ("id", "reply"), keys)
    given = (
        ("best", by_name["best"]), ("again", by_name["best"]), ("weak", by_name["weak"]), ("half", tmp_path / "half.csv"),
        ("perfect", perfect), ("perfect too", perfect),
    )  # fmt: skip
    report = audit(file, tmp_path / "out", AuditSettings(replies=given, workers=1), checks=CHECKS)
    twice = [finding.evidence for finding in found(report, "model_given_twice")]
    assert [(each["model"], each["counted_as"], each["replies"]) for each in twice] == [
        ("again", "best", ITEMS), ("half", "weak", ITEMS // 2 - 1)
    ]  # fmt: skip
    (effect,) = found(report, "score_effect")
    assert effect.evidence["all"]["models"].keys() == {"best", "weak", "perfect", "perfect too"}


def test_models_that_err_each_in_their_own_way_are_not_one(report: AuditReport) -> None:
    assert found(report, "model_given_twice") == []


def skipped(report: AuditReport) -> dict[str, str]:
    return {check.name: check.why for check in report.checks if check.state == "skipped"}


def test_without_replies_checks_say_what_to_give_and_power_is_assumed(tmp_path: Path) -> None:
    file = write(tmp_path / "q.csv", ("id", "question", "A", "B", "answer"), [("1", "Which?", "oak", "elm", "B")] * 30)
    report = audit(file, tmp_path / "out", AuditSettings(workers=1), checks=CHECKS)
    why = skipped(report)
    assert set(why) == {"explanations", "replies", "suspected_keys", "ambiguous_items", "score_effects"}
    assert "--replies NAME=FILE" in why["suspected_keys"]
    (power,) = found(report, "statistical_power")
    assert power.evidence["basis"].startswith("assumed: both models near an accuracy of 50%")
    assert power.certainty == "possible"


def test_the_command_takes_replies_by_name_and_refuses_those_of_other_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, replies = bench(tmp_path)
    options: list[str] = [part for name, path in replies[:3] for part in ("--replies", f"{name}={path}")]
    run: list[Any] = ["audit", str(file), "--out", str(tmp_path / "out"), "--workers", "1"]
    assert invoke([*run, *options, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    gave = [each["evidence"]["gave_favoured"] for each in document["findings"] if each["kind"] == "suspected_key"]
    assert {name for names in gave for name in names} <= {"best", "good", "fair"}
    assert gave
    other = write(tmp_path / "other.csv", ("id", "reply"), [("x1", "A")])
    assert invoke([*run, "--replies", f"me={other}"]) == 2
    assert "of its 1 row none names an item" in capsys.readouterr().err
    assert invoke([*run, "--replies", f"me={tmp_path / 'absent.csv'}"]) == 2
    assert "absent.csv does not exist" in capsys.readouterr().err


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the questions, and the replies of three models in a folder beside them."""
    folder = tmp_path_factory.mktemp("beside")
    _, replies = bench(folder)
    (folder / "outputs").mkdir()
    for model, path in replies:
        if model in {"best", "good", "fair"}:
            path.rename(folder / "outputs" / path.name)
        else:
            path.unlink()
    return folder


def test_replies_that_stand_beside_the_questions_are_used_without_being_given(beside: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    report = audit(beside, tmp_path, AuditSettings(workers=1), checks=CHECKS, shown=lines.append)
    (line,) = (line for line in lines if line.startswith("replies"))
    assert line == f"replies of models from 3 files next to the questions: best {ITEMS}, fair {ITEMS}, good {ITEMS}"
    assert {"q0", "q1", "q2", "q3"} & {finding.items[0] for finding in found(report, "suspected_key")}
    (effect,) = found(report, "score_effect")
    assert set(effect.evidence["all"]["models"]) == {"best", "fair", "good"}


def test_replies_that_are_given_join_those_beside_the_questions_and_stand_for_one_of_that_name(
    beside: Path, tmp_path: Path
) -> None:
    rows = [(f"q{n}", "no idea") for n in range(ITEMS)]
    given = write(tmp_path / "given.csv", ("id", "reply"), rows)
    other = write(tmp_path / "other.csv", ("id", "reply"), [(f"q{n}", "ABCD"[n % 4]) for n in range(ITEMS)])
    settings = AuditSettings(replies=(("more", other), ("good", given)), workers=1)
    report = audit(beside, tmp_path / "out", settings, checks=CHECKS)
    (effect,) = found(report, "score_effect")
    models = effect.evidence["all"]["models"]
    assert set(models) == {"best", "fair", "good", "more"}
    assert models["good"]["with"]["value"] == 0
    assert models["more"]["with"]["n"] == models["best"]["with"]["n"]


def test_a_letter_that_the_source_took_a_reply_for_counts_before_its_text() -> None:
    items = [KeyedItem(name, ("an oak", "a pine"), 0) for name in "abcde"]
    replies = [
        ModelReply("m", "a", "I am torn, (B) or so", "(A)"),
        ModelReply("m", "b", "(B) a pine", "Z"),
        ModelReply("m", "c", "", "a pine"),
        ModelReply("m", "d", "no idea", None),
        ModelReply("m", "elsewhere", "A", None),
    ]
    (read,) = replies_of_source(replies, items)
    assert read.letters == {"a": 0, "b": 1, "c": 1, "d": -1}
    assert read.texts == {"d": "no idea"}
    assert read.elsewhere == 1


def test_the_models_that_mvp_bench_was_published_with_speak_on_its_keys(published_data: Path, tmp_path: Path) -> None:
    report = audit(published_data / "mvp_bench", tmp_path, AuditSettings(workers=1), checks=CHECKS)
    (effect,) = found(report, "score_effect")
    scored = {model: values["with"] for model, values in effect.evidence["all"]["models"].items()}
    assert set(scored) == {"GPT4o", "MiniGPT-4-v1-7B", "deepseek_vl_7b", "llava_v1.5_7b"}
    assert {value["n"] for value in scored.values()} == {len(report.audited.keyed)}
    assert len(found(report, "suspected_key")) > 20
