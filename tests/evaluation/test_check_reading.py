"""The reader's certificate: people's labels of a sample give its error, and the score with that error in its interval."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchwright.cli.main import invoke
from benchwright.evaluation.results.reading import LabelledReply, corrected_accuracy, reading_errors
from benchwright.evaluation.run import evaluate
from benchwright.statistics.score_interval import score_interval

SIZES = {("one", True): 500, ("two", True): 220, ("one", False): 200, ("two", False): 80}
ITEMS = sum(SIZES.values())


def draw(rng: np.random.Generator, *, errs: bool) -> tuple[float, list[LabelledReply]]:
    """Return the counted accuracy of a model that is right on 70 % of the items, and 120 labels.

    If the reader errs, it reads another letter in 3 % and a letter of none in 2 %, and misses nine of ten letters that
    it says are not there; if it does not, what it misses has none. Nothing unread is right then.
    """
    right, labelled = 0, []
    for (task, is_read), size in SIZES.items():
        gives = rng.random(size) < (0.98 if is_read else 0.9) if errs else np.full(size, is_read)
        true = np.where(rng.random(size) < 0.7, "A", "B")
        read = np.where(rng.random(size) < (0.03 if errs else 0), np.where(true == "A", "B", "A"), true)
        right += int(np.sum(read == "A")) if is_read else 0
        for k in range(60 * size // sum(n for (_, other), n in SIZES.items() if other == is_read)):
            labelled.append(
                LabelledReply(task, str(read[k]) if is_read else None, str(true[k]) if gives[k] else None, "A")
            )
    return right / ITEMS, labelled


def test_the_interval_covers_the_true_score_as_often_as_it_says() -> None:
    true = sum(0.7 * (0.98 if is_read else 0.9) * size for (_, is_read), size in SIZES.items()) / ITEMS
    rng, covered, widths = np.random.default_rng(38), 0, []
    for _ in range(200):
        counted, labelled = draw(rng, errs=True)
        ci = tuple(score_interval(counted * ITEMS, ITEMS))
        found = corrected_accuracy(counted, ci, ITEMS, SIZES, labelled)
        assert found.ci is not None
        covered += found.ci[0] <= true <= found.ci[1]
        widths.append(found.ci[1] - found.ci[0])
        assert not ci[0] <= true <= ci[1], "the counted score alone is far from it"
    assert 184 <= covered <= 199
    assert np.mean(widths) < 0.15


def test_a_reader_without_errors_leaves_the_score() -> None:
    counted, labelled = draw(np.random.default_rng(1), errs=False)
    ci = tuple(score_interval(counted * ITEMS, ITEMS))
    found = corrected_accuracy(counted, ci, ITEMS, SIZES, labelled)
    assert found.value == counted
    assert found.ci is not None
    assert found.ci[0] < ci[0] < ci[1] < found.ci[1]
    everything = [
        LabelledReply(task, "A" if is_read else None, "A" if is_read else None, "A")
        for (task, is_read), size in SIZES.items()
        for _ in range(size)
    ]
    assert corrected_accuracy(counted, ci, ITEMS, SIZES, everything).ci == pytest.approx(ci)
    assert {share.ci for share in reading_errors([(SIZES, everything)]).values()} == {(0.0, 0.0)}
    errors = reading_errors([(SIZES, labelled)])
    assert {share.value for share in errors.values()} == {0.0}
    assert all(share.ci is not None and share.ci[1] > 0 for share in errors.values())


def test_errors_count_as_many_replies_as_they_stand_for() -> None:
    sizes = {("one", True): 90, ("one", False): 10}
    labelled = [
        LabelledReply("one", "A", "A", "A"), LabelledReply("one", "A", "B", "A"),
        LabelledReply("one", "A", None, "A"), LabelledReply("one", "B", "B", "A"),
        LabelledReply("one", None, "A", "A"), LabelledReply("one", None, None, "A"),
    ]  # fmt: skip
    errors = reading_errors([(sizes, labelled)])
    assert {kind: share.value for kind, share in errors.items()} == pytest.approx(
        {"wrong_letter": 0.225, "missed_letter": 0.05, "letter_of_none": 0.225}
    )
    found = corrected_accuracy(0.6, (0.5, 0.7), 100, sizes, labelled)
    assert found.value == pytest.approx(0.6 - 0.45 + 0.05)


@pytest.mark.parametrize("rate", [0.0015, 0.004, 0.02])
def test_the_interval_of_a_rare_error_covers_it_as_often_as_it_says(rate: float) -> None:
    sizes, covered = {("one", True): 100_000, ("one", False): 0}, 0
    counts = np.random.default_rng(7).binomial(100, rate, size=10_000)
    for wrong, times in zip(*np.unique(counts, return_counts=True), strict=True):
        labelled = [LabelledReply("one", "A", "B" if k < wrong else "A", "A") for k in range(100)]
        ci = reading_errors([(sizes, labelled)])["wrong_letter"].ci
        assert ci is not None
        covered += int(times) * (ci[0] <= rate <= ci[1])
    assert covered >= 9_450  # Wilson's: 8,600 at the first rate


def test_too_few_labels_give_no_score() -> None:
    labelled = [LabelledReply("one", "A", "A", "A")] * 5
    assert corrected_accuracy(0.5, (0.4, 0.6), ITEMS, SIZES, labelled).value is None


Sampled = tuple[Path, Path]


@pytest.fixture
def scored(bench: Any, predictions_file: Any, tmp_path: Path) -> Path:
    """Forty items keyed B in two tasks and two models; `wordy` gives B in ten ways that no reader reads."""
    for number in range(40):
        bench.add(f"q{number}", task=("first", "second")[number % 2])
    release = bench.release(tmp_path / "release")
    for model, reply in (
        ("plain", lambda k: "(B)" if k < 30 else "(A)"),
        ("wordy", lambda k: "(B)" if k < 20 else "(A)" if k < 30 else "=It barks, whoever asks me." if k < 39 else ""),
    ):
        rows = [{"item_id": item.item_id, "reply": reply(k)} for k, (item, _) in enumerate(bench.items)]
        evaluate(release, f"predictions:{predictions_file(rows, f'{model}.jsonl')}", out=tmp_path / "out", name=model)
    return tmp_path


def drawn(scored: Path, *more: str) -> list[dict[str, str]]:
    place = ["--release", str(scored / "release"), "--out", str(scored / "check")]
    assert invoke(["evaluate", "check-reading", str(scored / "out"), *place, *more]) == 0
    with (scored / "check" / "replies.csv").open(encoding="utf-8-sig", newline="") as handle:
        return list(csv.DictReader(handle))


def fill(scored: Path, rows: list[dict[str, str]], label: Callable[[dict[str, str]], str]) -> str:
    path = scored / "check" / "replies.csv"
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, rows[0])
        writer.writeheader()
        writer.writerows({**row, "letter": label(row)} for row in rows)
    return str(path)


def as_people(row: dict[str, str]) -> str:
    return "b" if "barks" in row["reply"] else row["reader"].lower()


def test_half_of_a_sample_is_missed_replies_and_tasks_have_their_share(
    scored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = drawn(scored, "--n", "24", "--json")
    document = json.loads(capsys.readouterr().out)
    assert [(r["model"], r["replies"], r["drawn_read"], r["drawn_missed"]) for r in document["results"]] == [
        ("plain", 40, 12, 0),
        ("wordy", 39, 6, 6),
    ]
    assert Counter(row["task"] for row in rows if row["model"] == "plain") == {"first": 6, "second": 6}
    [missed, *_] = [row for row in rows if row["reader"] == "none"]
    assert (missed["options"], missed["letter"]) == ("A: cat\nB: dog\nC: parrot", "")
    assert missed["reply"] == "'=It barks, whoever asks me."


def test_the_labels_give_the_error_and_the_score_wherever_scores_are_shown(
    scored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = fill(scored, drawn(scored, "--n", "24"), as_people)
    capsys.readouterr()
    assert invoke(["evaluate", "check-reading", "--labels", path, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    plain, wordy = (result["reading"] for result in document["results"])
    assert (plain["accuracy"]["value"], wordy["accuracy"]["value"]) == (0.75, 0.725)
    assert wordy["errors"]["missed_letter"]["value"] == pytest.approx(9 / 39)
    assert document["errors"]["missed_letter"]["value"] == pytest.approx(9 / 79)
    out, release = str(scored / "out"), str(scored / "release")
    words = "score with the reader's error: 0.725 ["
    assert invoke(["evaluate", "summary", out]) == 0
    assert f"wordy: {words}" in capsys.readouterr().out
    assert invoke(["evaluate", "summary", out, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["wordy"]["outcomes"]["reading"] == wordy
    assert invoke(["evaluate", "report", out, "--release", release]) == 0
    assert "score with the reader&#39;s error: 0.725 [" in (scored / "out" / "report.html").read_text()


def test_a_result_that_was_scored_again_needs_another_sample(scored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = fill(scored, drawn(scored, "--n", "24"), as_people)
    assert invoke(["evaluate", "check-reading", "--labels", path]) == 0
    by_name = {json.loads(p.read_text())["name"]: p for p in (scored / "out").glob("*/score.json")}
    document = json.loads(by_name["wordy"].read_text())
    document["settings"]["reader"] += 1
    by_name["wordy"].write_text(json.dumps(document))
    predictions = by_name["wordy"].with_name("predictions.parquet")
    predictions.write_bytes(by_name["plain"].with_name("predictions.parquet").read_bytes())
    capsys.readouterr()
    assert invoke(["evaluate", "summary", str(scored / "out")]) == 0
    shown = capsys.readouterr().out
    assert "plain: score with the reader's error" in shown
    assert "wordy: score with the reader's error" not in shown
    assert invoke(["evaluate", "check-reading", "--labels", path]) == 2
    assert "has changed since the sample was drawn" in capsys.readouterr().err


def test_rows_of_no_use_are_named_and_the_others_count(scored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = drawn(scored, "--n", "24")
    cells = {rows[0]["id"]: "D", rows[1]["id"]: ""}
    path = fill(
        scored, [*rows, {**rows[2]}, {**rows[2], "id": "999"}], lambda row: cells.get(row["id"], as_people(row))
    )
    capsys.readouterr()
    assert invoke(["evaluate", "check-reading", "--labels", path, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["labelled"], document["blank"]) == (22, 1)
    assert [row["why"] for row in document["unused"]] == [
        "'D' is neither one of A, B, C nor 'none'",
        f"id {rows[2]['id']} occurs twice; the first row counts",
        "id '999' is not in the sample",
    ]


def test_a_sample_is_never_written_over_and_a_spreadsheet_does_too(
    scored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["--release", str(scored / "release"), "--out", str(scored / "sheet"), "--table", "xlsx"]
    assert invoke(["evaluate", "check-reading", str(scored / "out"), *place]) == 0
    assert invoke(["evaluate", "check-reading", str(scored / "out"), *place]) == 2
    assert "already contains 'replies.xlsx'" in capsys.readouterr().err
    assert invoke(["evaluate", "check-reading", "--labels", str(scored / "sheet" / "replies.xlsx")]) == 2
    assert "no row has a usable letter" in capsys.readouterr().err


def test_people_read_the_sample_in_the_review_app_and_their_majority_counts(
    scored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["--release", str(scored / "release"), "--out", str(scored / "check"), "--table", "tasks", "--n", "24"]
    assert invoke(["evaluate", "check-reading", str(scored / "out"), *place, "--json"]) == 0
    files = [Path(path) for path in json.loads(capsys.readouterr().out)["files"]]
    work = str(scored / "work")
    labels = []
    for path in files:
        lines = [json.loads(line) for line in path.read_text().splitlines()][1:]
        assert all(line["about"].keys() == {"id", "model"} for line in lines)  # nothing of what the reader read
        opened = ["review", "open", str(path), "--release", str(scored / "release"), "--workspace", work]
        assert invoke([*opened, "--annotators", "3"]) == 0
        for person in ("ann", "bo", "cy"):
            table = scored / f"{path.stem}-{person}.csv"
            answered(work, path.stem, lines, person, table)
        labels += ["--labels", str(path.with_suffix(".csv"))]
        results = ["review", "results", "--workspace", work, "--campaign", path.stem, "--out", labels[-1]]
        assert invoke(results) == 0
    capsys.readouterr()
    assert invoke(["evaluate", "check-reading", *labels, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    plain, wordy = (result["reading"] for result in document["results"])
    assert (plain["labelled"], wordy["labelled"], plain["accuracy"]["value"]) == (12, 11, 0.75)
    assert wordy["errors"]["missed_letter"]["value"] == pytest.approx(9 / 39)
    assert [row["why"] for row in document["unused"]] == ["people disagree (B 1, none 1, unclear 1)"]
    assert document["compared"] == 24
    assert document["agreement"] == pytest.approx((22 * 3 + 1) / 72)


def answered(work: str, campaign: str, lines: list[dict[str, Any]], person: str, table: Path) -> None:
    """Decide a campaign's tasks: all say what the reply says, but for one on which all differ and one with a dissenter."""
    rows = []
    for number, line in enumerate(lines):
        text = line["beside"][0]["text"]
        letter = "B" if "barks" in text else text.strip("()")
        row = {"item_id": line["item_id"], "annotator": person, "gives": "option", "letter": letter}
        if campaign == "reading-2" and "barks" in text and not any("barks" in r["text"] for r in rows):
            gives = {"ann": "option", "bo": "none", "cy": "unclear"}[person]
            row |= {"gives": gives, "letter": letter if gives == "option" else ""}
        elif campaign == "reading-1" and number == 0 and person == "cy":
            row |= {"gives": "none", "letter": ""}
        rows.append({**row, "text": text})
    with table.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, ["item_id", "annotator", "gives", "letter"], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    assert invoke(["review", "import", str(table), "--workspace", work, "--campaign", campaign]) == 0
