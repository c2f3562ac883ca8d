"""Annotators decide on an audit's findings, and a release states what changed and why."""

from __future__ import annotations

import csv
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from audited_benches import clean_rows, plant_faults, write_pictures, write_rows
from item_filters import OddKeys
from walks import run_json

from benchwright.audit.setting_right.correcting import set_right
from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError, DataError
from benchwright.pipeline import run_recipe
from benchwright.recipe import Recipe
from benchwright.records import Item
from benchwright.release import Release, verify_release

pytestmark = pytest.mark.slow
WRONG, TWICE = "q20", "q18"
"""Item of which four models give the same other option than its key; an id that two items have."""
ACCEPT = {"decision": "accept"}
COPY_ACROSS, COPY_OF_FILE, REPEATED, CONTRADICTING, KEYLESS = "q1", "q3", "q5", "q7", "q17"


def other_letter(letter: str) -> str:
    return "BCDA"["ABCD".index(letter)]


@dataclass
class Bench:
    """A faulty bench, audited, with campaigns on the findings."""

    folder: Path
    rows: dict[str, dict[str, str]]
    opened: dict[str, Any]

    @property
    def workspace(self) -> Path:
        return self.folder / "w"

    def audit(self, *options: str) -> dict[str, Any]:
        replies = [f"--replies=m{number}={self.folder / f'm{number}.jsonl'}" for number in range(4)]
        words = ["audit", self.folder / "quiz.csv", "--out", self.folder / "out", "--workers", "1", *replies]
        report: dict[str, Any] = run_json(*words, "--set-right", self.workspace, *options)
        return report

    def release(self) -> Release:
        return Release.open(Path(self.opened["set_right"]["release"]))

    def items(self, release: Release) -> dict[str, Item]:
        return {str(each.item.attributes["source_id"]): each.item for each in release.items()}

    def decide(
        self,
        campaign: str,
        decisions: Mapping[str, Mapping[str, str]],
        otherwise: Mapping[str, str],
        *,
        by: str = "ann",
    ) -> list[str]:
        """Export a campaign, decide all of it, import the decisions, and return the ids of its items."""
        tasks, filled = self.folder / f"{campaign}-{by}.csv", self.folder / f"{campaign}-{by}-filled.csv"
        place = ("--workspace", self.workspace, "--campaign", campaign)
        run_json("review", "export", *place, "--out", tasks)
        with tasks.open(encoding="utf-8", newline="") as handle:
            shown = list(csv.DictReader(handle))
        asked = [row["item_id"] for row in shown]
        given = [dict(decisions.get(row["item_id"], otherwise)) for row in shown]
        kept = [{name: row[name] for name in ("item_id", "version") if name in row} for row in shown]
        rows = [{"annotator": by} | each | decision for each, decision in zip(kept, given, strict=True)]
        with filled.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, sorted({name for row in rows for name in row}))
            writer.writeheader()
            writer.writerows(rows)
        assert run_json("review", "import", filled, *place)["refused"] == []
        return asked


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("quiz")
    rows = clean_rows(30)
    write_pictures(folder, rows)
    rows = plant_faults(folder, rows)
    by_id = {row["id"]: row for row in rows}
    for number in range(4):
        lines = []
        for place, row in enumerate(rows[:30]):
            answer = row["answer"] or "A"
            wrong = row["id"] == WRONG or place % 7 == number
            lines.append(json.dumps({"id": row["id"], "prediction": other_letter(answer) if wrong else answer}))
        (folder / f"m{number}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    write_rows(folder / "quiz.csv", rows)
    bench = Bench(folder, by_id, {})
    bench.opened = bench.audit("--annotators", "1")
    return bench


def test_items_that_errors_lose_on_the_way_to_people_are_named_and_nothing_is_frozen_without_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def with_odd_step(recipe: Recipe, **settings: Any) -> Any:
        steps = [step for _, step in recipe.steps]
        odd = OddKeys(diary=str(tmp_path / "diary"), max_place=5)  # cannot bear a seventh option
        return run_recipe(Recipe(recipe.header.name, [steps[0], odd, *steps[1:]], folder=recipe.folder), **settings)

    pictured = clean_rows(4)
    write_pictures(tmp_path, pictured)
    rows = [
        {
            "id": row["id"],
            "question": row["question"],
            "options": list("stuvwxyz"),
            "answer": letter,
            "image": row["image"],
        }
        for row, letter in zip(pictured, "ABGB", strict=True)
    ]
    (tmp_path / "quiz.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    place = ["--out", str(tmp_path / "out"), "--set-right", str(tmp_path / "w"), "--workers", "1", "--json"]
    with monkeypatch.context() as patched:
        patched.setattr("benchwright.pipeline.run_recipe", with_odd_step)
        assert invoke(["audit", str(tmp_path / "quiz.jsonl"), *place]) == 3
    said = capsys.readouterr().err
    assert "odd_keys.measure lost 1 to step_error" in said
    assert re.search(r"ValueError: .*\(item_filters\.py:\d+\)", said)
    assert "no campaign opened" in said
    assert (tmp_path / "out" / "audit.json").exists()
    assert not (tmp_path / "w" / "releases").exists() or not any((tmp_path / "w" / "releases").iterdir())
    invoke(["audit", str(tmp_path / "quiz.jsonl"), *place])
    opened = json.loads(capsys.readouterr().out)["set_right"]
    assert len(Release.open(Path(opened["release"]))) == len(rows)


@pytest.fixture(scope="module")
def decided(bench: Bench) -> dict[str, Any]:
    """The output of `set-right` after all decisions."""
    items = bench.items(bench.release())
    with pytest.raises(BenchwrightError, match=r"tasks still lack answers.*--decided-only"):
        set_right(bench.workspace, version="1.1", out=bench.folder / "quiz-1.1")
    assert not (bench.folder / "quiz-1.1").exists()
    said = {
        WRONG: {"finding": "key_wrong", "instead": other_letter(bench.rows[WRONG]["answer"]), "reason": "I counted."},
        COPY_OF_FILE: {"finding": "duplicate", "reason": "Same file as q2."},
        REPEATED: {"finding": "duplicate", "reason": "Asked twice."},
        CONTRADICTING: {"finding": "ambiguous", "reason": "Both can be defended."},
        "q11": {"finding": "picture_problem", "reason": "It is white."},
        KEYLESS: {"finding": "key_wrong", "instead": "A", "reason": "A is plain to see."},
    }
    right = {"finding": "key_right"}
    asked = bench.decide("audit-items", {items[own].item_id: each for own, each in said.items()}, right)
    assert {own for own, item in items.items() if item.item_id in asked} == {*said, "q6"}
    edits = {
        "q8": {"decision": "revise", "new_choices": "C: the brass anchor", "note": "A and C were the same."},
        "q9": {"decision": "reject", "reason": "wording", "note": "It names the answer."},
    }
    by_id = {items[own].item_id: each for own, each in edits.items()}
    asked = bench.decide("audit-edits", by_id, ACCEPT)
    assert {own for own, item in items.items() if item.item_id in asked} == {"q8", "q9", "q10"}
    assert bench.decide("audit-edits", {}, ACCEPT, by="bob") == [items["q8"].item_id]
    assert len(bench.decide("audit-pictures", {}, {"verdict": "same", "note": "Only smaller."})) == 1
    replies = bench.folder / "replies.jsonl"
    lines = [json.dumps({"item_id": item.item_id, "answer": "A"}) for item in items.values()]
    replies.write_text("\n".join(lines), encoding="utf-8")
    run_json("evaluate", "score", bench.release().path, replies, "--out", bench.folder / "results")
    [results] = (path.parent for path in (bench.folder / "results").rglob("score.json"))
    words = ["set-right", bench.workspace, "--version", "1.1", "--out", bench.folder / "quiz-1.1"]
    done: dict[str, Any] = run_json(*words, "--results", results)
    return done


def test_campaigns_are_on_whole_items_and_the_rest_is_named(bench: Bench) -> None:
    told = bench.opened["set_right"]
    assert {(each["name"], each["kind"], each["tasks"], each["new"]) for each in told["campaigns"]} == {
        ("audit-items", "errata", 7, 7), ("audit-edits", "verify", 3, 3), ("audit-pictures", "pair", 1, 1)
    }  # fmt: skip
    assert set(told["not_released"]) == {"q12", "q13"}
    assert told["not_asked"]["group_across_splits"] == 1


def test_a_task_shows_what_was_found_and_the_other_item(bench: Bench) -> None:
    lines = (bench.workspace / "audit" / "audit-items.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    tasks = {task["item_id"]: task for task in map(json.loads, lines)}
    beside = tasks[bench.items(bench.release())[REPEATED].item_id]["beside"]
    assert [text["label"] for text in beside] == ["The audit found: repeated question", "Item q4 (train)"]
    assert bench.rows["q4"]["question"] in beside[1]["text"]


def test_the_corrected_release_verifies_and_holds_what_was_decided(bench: Bench, decided: dict[str, Any]) -> None:
    after = bench.folder / "quiz-1.1"
    assert verify_release(after).ok
    before, corrected = bench.items(bench.release()), bench.items(Release.open(after))
    assert set(before) - set(corrected) == {COPY_ACROSS, COPY_OF_FILE, REPEATED, CONTRADICTING, "q9", "q11"}
    assert corrected[WRONG].right_key == other_letter(bench.rows[WRONG]["answer"])
    assert corrected[KEYLESS].right_key == "A"
    changed = {own for own, item in corrected.items() if item.content_hash != before[own].content_hash}
    assert changed == {WRONG, KEYLESS, "q8"}
    assert corrected["q8"].choices[2].text == "the brass anchor"
    assert decided["open"] == 0


def test_each_change_has_its_reason(bench: Bench, decided: dict[str, Any]) -> None:
    errata = {erratum["source_id"]: erratum for erratum in decided["errata"]}
    assert {own: erratum["finding"] for own, erratum in errata.items()} == {
        WRONG: "key_wrong", KEYLESS: "key_wrong", COPY_ACROSS: "duplicate", COPY_OF_FILE: "duplicate",
        REPEATED: "duplicate", CONTRADICTING: "ambiguous", "q8": "wording", "q9": "wording", "q11": "picture_problem",
    }  # fmt: skip
    assert errata[COPY_ACROSS]["reasons"] == ["Only smaller.", "The same picture as that of q0, which stays."]
    assert errata[WRONG]["reasons"] == ["I counted."]
    page = Path(decided["page"]).read_text(encoding="utf-8")
    for reason in ("1 of 1 annotator: duplicate: Asked twice.", "key wrong: I counted."):
        assert reason in page


def table_of(bench: Bench, folder: Path) -> Path:
    """Write the questions as a table of VLMEvalKit; the question of the wrong key once more with rotated options."""
    released = bench.items(bench.release()).keys() - {TWICE}
    rows = [{"index": own, **row} for own, row in bench.rows.items() if own in released]
    rotated = {**bench.rows[WRONG], "index": f"{1_000_000 + int(WRONG[1:])}"}
    for before, after in zip("ABCD", "BCDA", strict=True):
        rotated[after] = bench.rows[WRONG][before]
    rotated["answer"] = other_letter(bench.rows[WRONG]["answer"])
    for row in rows:
        row["index"] = row["index"].removeprefix("q")
    path = folder / "Quiz.tsv"
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, ["index", "question", *"ABCD", "answer"], delimiter="\t", extrasaction="ignore")
        writer.writeheader()
        writer.writerows([*rows, rotated])
    return path


def errata_by_index(bench: Bench, folder: Path) -> Path:
    """Copy the folder of the filter with the table's ids, `7` for `q7`, and return it."""
    copied = shutil.copytree(bench.folder / "quiz-1.1-errata", folder / "errata")
    lines = (copied / "errata.tsv").read_text(encoding="utf-8").splitlines()
    (copied / "errata.tsv").write_text("\n".join(line.removeprefix("q") for line in lines), encoding="utf-8")
    return copied


def test_the_errata_correct_a_table_of_vlmevalkit(bench: Bench, decided: dict[str, Any], tmp_path: Path) -> None:
    folder, table = errata_by_index(bench, tmp_path), table_of(bench, tmp_path)
    words = [sys.executable, str(folder / "errata_filter.py"), str(table), str(tmp_path / "Quiz_corrected.tsv")]
    subprocess.run(words, check=True, env={"PATH": ""}, timeout=60)
    with (tmp_path / "Quiz_corrected.tsv").open(encoding="utf-8", newline="") as handle:
        rows = {f"q{row['index']}": row for row in csv.DictReader(handle, delimiter="\t")}
    rotated = rows.pop(f"q{1_000_000 + int(WRONG[1:])}")
    corrected = bench.items(Release.open(bench.folder / "quiz-1.1"))
    corrected = {own: item for own, item in corrected.items() if own in bench.rows and own != TWICE}
    assert {own: row["answer"] for own, row in rows.items()} == {own: each.right_key for own, each in corrected.items()}
    assert {own: row["C"] for own, row in rows.items()} == {
        own: each.choices[2].text for own, each in corrected.items()
    }
    right = next(choice.text for choice in corrected[WRONG].choices if choice.key == corrected[WRONG].right_key)
    assert rotated[rotated["answer"]] == right
    assert Path(decided["filter"]) == bench.folder / "quiz-1.1-errata"


@pytest.mark.parametrize("form", ["{}", "({})", "number", "text"])
def test_the_errata_are_a_filter_of_lmms_eval(form: str, bench: Bench, decided: dict[str, Any], tmp_path: Path) -> None:
    import datasets

    def stated(letter: str | None, row: Mapping[str, str]) -> Any:
        given = letter or "A"
        return "ABCD".index(given) if form == "number" else row[given] if form == "text" else form.format(given)

    folder = Path(decided["filter"])
    spec = importlib.util.spec_from_file_location("errata_filter", folder / "errata_filter.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    own_ids = bench.rows.keys() & bench.items(bench.release()).keys() - {KEYLESS, TWICE}
    rows = [bench.rows[own] for own in sorted(own_ids)]
    split = datasets.Dataset.from_list([{"id": row["id"], "answer": stated(row["answer"], row)} for row in rows])
    filtered = module.process_docs(split)
    corrected = bench.items(Release.open(bench.folder / "quiz-1.1"))
    expected = {own: corrected[own] for own in own_ids & corrected.keys() - {"q8"}}  # q8 reads otherwise now
    assert dict(zip(filtered["id"], filtered["answer"], strict=True)) == {
        own: stated(item.right_key, bench.rows[own]) for own, item in expected.items()
    }
    assert filtered.features == split.features


def test_models_known_before_have_scores_by_both(bench: Bench, decided: dict[str, Any]) -> None:
    [score] = decided["scores"]
    before = bench.items(bench.release())
    keyed = [item for item in before.values() if item.right_key == "A"]
    assert score["before"] == pytest.approx(len(keyed) / len(before))
    assert before[KEYLESS].item_id in score["turned_right"]


def test_the_same_again_opens_nothing_twice_and_changes_no_release(bench: Bench, decided: dict[str, Any]) -> None:
    again = bench.audit()
    assert [each["new"] for each in again["set_right"]["campaigns"]] == [0, 0, 0]
    assert [each["tasks"] for each in again["set_right"]["campaigns"]] == [7, 3, 1]
    words = ["set-right", bench.workspace, "--version", "1.1", "--out", bench.folder / "quiz-1.1"]
    assert run_json(*words)["errata"] == decided["errata"]


def test_what_a_later_audit_finds_besides_comes_in_a_further_campaign(bench: Bench, decided: dict[str, Any]) -> None:
    from benchwright.audit import AuditSettings, audit
    from benchwright.audit.findings.finding import Finding
    from benchwright.audit.setting_right.campaigns import open_campaigns

    report = audit(bench.folder / "quiz.csv", bench.folder / "out", AuditSettings(workers=1), checks=[])
    # The worst finding says where an item goes: q22 to those who keep or drop it, q23 to those who may edit it.
    findings = (
        *(Finding("question_elsewhere", "medium", (own,), "A text has it.") for own in (WRONG, "q22")),
        Finding("misspelled_words", "low", ("q22", "q23"), "Words in no word list."),
    )
    opened = open_campaigns(
        type(report)(report.audited, report.checks, findings), bench.workspace, AuditSettings(workers=1)
    )
    counts = {each["name"]: (each["tasks"], each["new"]) for each in opened.campaigns}
    assert counts == {
        "audit-items": (7, 0), "audit-edits": (3, 0), "audit-items-2": (1, 1), "audit-edits-2": (1, 1),
        "audit-pictures": (1, 0),
    }  # fmt: skip
    place = bench.folder / "quiz-1.2"
    with pytest.raises(DataError, match=r"score\.json"):
        set_right(bench.workspace, version="1.2", out=place, results=[bench.folder / "out"], decided_only=True)
    assert not place.exists()
    with pytest.raises(BenchwrightError, match="2 tasks still lack answers"):
        set_right(bench.workspace, version="1.2", out=bench.folder / "quiz-1.2")
    done = set_right(bench.workspace, version="1.2", out=bench.folder / "quiz-1.2", decided_only=True)
    assert done.open == 2


def test_a_release_is_used_as_it_is(bench: Bench, tmp_path: Path) -> None:
    place = bench.release().path
    words = ["audit", place, "--out", tmp_path / "out", "--workers", "1", "--set-right", tmp_path / "w"]
    opened = run_json(*words)["set_right"]
    assert (opened["release"], opened["not_released"]) == (str(place), [])
    # Not the suspected key, since no replies are given, nor the file that stands twice: a release has it once.
    assert {(each["name"], each["tasks"], each["annotators"]) for each in opened["campaigns"]} == {
        ("audit-items", 5, 3), ("audit-edits", 4, 2), ("audit-pictures", 1, 1)
    }  # fmt: skip


def test_a_workspace_is_about_one_release(bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = write_rows(tmp_path / "other.csv", [bench.rows["q4"], bench.rows["q6"]])
    words = ["audit", other, "--pictures", bench.folder, "--out", tmp_path / "out", "--workers", "1"]
    assert invoke([*map(str, words), "--set-right", str(bench.workspace)]) == 2
    assert "give another workspace with --set-right" in capsys.readouterr().err
    assert not (tmp_path / "out").exists(), "nothing was audited"
    with pytest.raises(DataError, match=r"has no campaigns of an audit; `benchwright audit SOURCE --set-right"):
        set_right(tmp_path, version="1.1", out=tmp_path / "new")
