"""Annotators edit items whose words an audit doubts, others check them, and the next release contains them."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from audited_benches import clean_rows, write_pictures
from walks import in_process, run_json

from benchwright.annotation.campaigns.on_releases.reviews import open_tasks
from benchwright.annotation.store.review_store import open_store
from benchwright.cli.main import invoke
from benchwright.errors import DataError
from benchwright.exports.correct import correct_release
from benchwright.questions.edits import ItemEdits
from benchwright.records import Item
from benchwright.release import Release, verify_release
from benchwright.release.format.errata import parse_errata, read_errata, released_errata, spelled
from benchwright.workspace.workspace import Workspace

pytestmark = pytest.mark.slow
SPELT, KEY_ONLY, GONE, FINE, OPEN_NOTE, TWO_EDITS, REFUSED = "q0", "q1", "q2", "q3", "q4", "q5", "q6"
ASKED = (SPELT, KEY_ONLY, GONE, FINE, OPEN_NOTE, TWO_EDITS, REFUSED)
ACCEPT = {"decision": "accept"}
ASKS = "Which thing standz near the chair?"


@dataclass
class Bench:
    folder: Path

    @property
    def workspace(self) -> Path:
        return self.folder / "w"

    @property
    def release(self) -> Release:
        return Release.open(self.workspace / "releases" / "my-quiz-1.0")

    def items(self, release: Release) -> dict[str, Item]:
        return {str(each.item.attributes["source_id"]): each.item for each in release.items()}

    def audit(self) -> dict[str, Any]:
        words = ["audit", self.folder / "my_quiz.csv", "--out", self.folder / "out", "--workers", "1"]
        opened: dict[str, Any] = run_json(*words, "--set-right", self.workspace)["set_right"]
        return opened

    def decide(self, by: str, decisions: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
        """Import decisions of one annotator by the items' own ids, on the current versions."""
        place = ("--workspace", self.workspace, "--campaign", "audit-edits")
        tasks = self.folder / f"tasks-{len(list(self.folder.glob('tasks-*')))}.csv"
        run_json("review", "export", *place, "--out", tasks)
        own = {item.item_id: name for name, item in self.items(self.release).items()}
        with tasks.open(encoding="utf-8", newline="") as handle:
            shown = {own[row["item_id"]]: row for row in csv.DictReader(handle)}
        filled = self.folder / f"filled-{tasks.stem}.csv"
        columns = ["annotator", "item_id", "version", "decision", "reason", "note"]
        edits = ["new_question", "new_choices", "new_right", "new_explanation"]
        with filled.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, [*columns, *edits], restval="")
            writer.writeheader()
            for name, decision in decisions.items():
                kept = {column: shown[name][column] for column in ("item_id", "version")}
                writer.writerow({"annotator": by} | kept | dict(decision))
        # Exit code 1 where a row is refused.
        return {**json.loads(in_process("review", "import", filled, *place, "--json").stdout), "shown": shown}


def letter_other_than(letter: str) -> str:
    return "BCDA"["ABCD".index(letter)]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("quiz")
    rows = clean_rows(24)
    for row in rows:
        row["explanation"] = "" if row["id"] != SPELT else "It is nearest to the chair."
    for row in rows[: len(ASKED)]:
        row["question"] = ASKS
    write_pictures(folder, rows)
    with (folder / "my_quiz.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    bench = Bench(folder)
    bench.audit()
    return bench


@pytest.fixture(scope="module")
def rounds(bench: Bench) -> dict[str, Any]:
    """The imports' output, by annotator, after all rounds were decided."""
    items = bench.items(bench.release)
    mended = {"decision": "revise", "new_question": "Which thing stands near the chair?", "note": "Spelt wrong."}
    first = {name: dict(mended) for name in (SPELT, TWO_EDITS, REFUSED)}
    first[SPELT]["new_explanation"] = "Nothing else is so near to the chair."
    first[KEY_ONLY] = {"decision": "revise", "new_right": letter_other_than(str(items[KEY_ONLY].answer))}
    reject = {"decision": "reject", "reason": "ambiguous;wording"}
    note = {"decision": "revise", "note": "Name the chair."}
    done = {"ann": bench.decide("ann", {**first, GONE: reject, FINE: ACCEPT, OPEN_NOTE: note})}
    also = dict.fromkeys((SPELT, TWO_EDITS, REFUSED, KEY_ONLY, FINE), ACCEPT)
    done["bob"] = bench.decide("bob", {**also, GONE: {**reject, "reason": "ambiguous"}, OPEN_NOTE: note})
    again = {"decision": "revise", "new_choices": "A: the brass anchor", "note": "A was no thing."}
    second = dict.fromkeys((SPELT, KEY_ONLY), ACCEPT) | {TWO_EDITS: again, REFUSED: reject}
    done["own"] = bench.decide("ann", second)
    done["cat"] = bench.decide("cat", second)
    done["dan"] = bench.decide("dan", second | {TWO_EDITS: ACCEPT})
    for name in ("eve", "fay"):
        done[name] = bench.decide(name, {TWO_EDITS: ACCEPT})
    return done


@pytest.fixture(scope="module")
def corrected(bench: Bench, rounds: dict[str, Any]) -> dict[str, Any]:
    replies = bench.folder / "replies.jsonl"
    items = bench.items(bench.release).values()
    replies.write_text("\n".join(json.dumps({"item_id": item.item_id, "answer": "A"}) for item in items), "utf-8")
    run_json("evaluate", "score", bench.release.path, replies, "--out", bench.folder / "results")
    [results] = (path.parent for path in (bench.folder / "results").rglob("score.json"))
    words = ["set-right", bench.workspace, "--version", "1.1", "--out", bench.folder / "quiz-1.1"]
    done: dict[str, Any] = run_json(*words, "--results", results)
    return done


def test_doubted_words_go_to_people_who_may_edit_them(bench: Bench) -> None:
    [campaign] = bench.audit()["campaigns"]
    assert campaign == {"name": "audit-edits", "kind": "verify", "tasks": 7, "new": 0, "annotators": 2}
    lines = (bench.workspace / "audit" / "audit-edits.jsonl").read_text(encoding="utf-8").splitlines()
    beside = json.loads(lines[1])["beside"]
    assert [text["label"] for text in beside] == ["The audit found: misspelled words"]
    # What was found in this item, of seven items with the same fault.
    assert beside[0]["text"].startswith("Words in no word list.\n")
    assert beside[0]["text"].endswith("\nwords: question: standz (stand?)")


def test_whoever_edited_an_item_judges_no_version_of_it(rounds: dict[str, Any]) -> None:
    assert rounds["ann"]["refused"] == rounds["bob"]["refused"] == []
    assert len(rounds["own"]["refused"]) == 4
    assert rounds["cat"]["refused"] == rounds["dan"]["refused"] == []


def test_later_rounds_show_the_new_words_and_what_was_found(rounds: dict[str, Any]) -> None:
    row = rounds["cat"]["shown"][SPELT]
    assert row["question"] == "Which thing stands near the chair?"
    assert "misspelled words" in row["beside"]
    assert "Explanation: Nothing else is so near to the chair." in row["beside"]


def test_the_release_has_the_accepted_versions(bench: Bench, corrected: dict[str, Any]) -> None:
    assert verify_release(bench.folder / "quiz-1.1").ok
    before, after = bench.items(bench.release), bench.items(Release.open(bench.folder / "quiz-1.1"))
    assert set(before) - set(after) == {GONE, REFUSED}
    changed = {name for name, item in after.items() if item.content_hash != before[name].content_hash}
    assert changed == {SPELT, KEY_ONLY, TWO_EDITS}
    spelt, twice = after[SPELT], after[TWO_EDITS]
    assert (spelt.question, spelt.explanation) == (
        "Which thing stands near the chair?", "Nothing else is so near to the chair."
    )  # fmt: skip
    assert (twice.question, twice.choices[0].text) == ("Which thing stands near the chair?", "the brass anchor")
    for item in (spelt, twice):
        old = next(each for each in before.values() if each.item_id == item.item_id)
        assert (item.revision, item.operation_id, item.images) == (old.revision + 1, old.operation_id, old.images)
        assert item.written_by["question"] == "person"
        assert item.evidence["revisions"][0]["changed"]["question"]["from"] == ASKS
    assert after[KEY_ONLY].answer == letter_other_than(str(before[KEY_ONLY].answer))


def test_each_edit_has_its_erratum(bench: Bench, corrected: dict[str, Any]) -> None:
    errata = {erratum["source_id"]: erratum for erratum in corrected["errata"]}
    assert {name: (each["finding"], each["became"]) for name, each in errata.items()} == {
        SPELT: ("wording", "edited"), TWO_EDITS: ("wording", "edited"), KEY_ONLY: ("key_wrong", "key_set"),
        GONE: ("ambiguous", "left_out"), REFUSED: ("ambiguous", "left_out"),
    }  # fmt: skip
    assert errata[SPELT]["edits"] == {
        "question": "Which thing stands near the chair?", "explanation": "Nothing else is so near to the chair."
    }  # fmt: skip
    assert errata[TWO_EDITS]["edits"].keys() == {"question", "choices"}
    assert errata[TWO_EDITS]["reasons"] == ["A was no thing.", "Spelt wrong."]
    assert all((each["agreed"], each["asked"]) == (2, 2) for each in errata.values())
    assert corrected["undecided"] == [OPEN_NOTE]
    assert corrected["open"] == 0


def test_the_comparison_shows_both_and_edited_items_are_to_be_asked(bench: Bench, corrected: dict[str, Any]) -> None:
    page = Path(corrected["page"]).read_text(encoding="utf-8")
    assert "<del>standz</del>" in page
    assert "<ins>stands</ins>" in page
    assert "erratum, texts edited (2 of 2 annotators: wording: Spelt wrong.)" in page
    [score] = corrected["scores"]
    assert score["to_ask"] == 2
    assert score["kept"] == corrected["items"] - 2


def test_the_file_of_errata_makes_the_same_release_elsewhere(
    bench: Bench, corrected: dict[str, Any], tmp_path: Path
) -> None:
    errata = bench.workspace / "audit" / "errata-1.1.json"
    assert json.loads(errata.read_bytes())["version"] == 2
    words = ["release", "correct", bench.release.path, "--errata", errata, "--version", "1.1", "--out", tmp_path / "r"]
    again = run_json(*words)
    assert again["errata"] == {"edited": 2, "key_set": 1, "left_out": 2}
    assert again["release_id"] == corrected["release_id"]
    assert released_errata(Release.open(tmp_path / "r")) == released_errata(Release.open(bench.folder / "quiz-1.1"))


def test_opening_the_tasks_again_keeps_the_versions_that_people_made(
    bench: Bench, corrected: dict[str, Any], tmp_path: Path
) -> None:
    with open_store(Workspace(bench.workspace).store_url) as store:
        before = {(task.item_id, task.content_hash) for task in store.tasks("audit-edits", states=("open", "done"))}
    opened = open_tasks(bench.workspace / "audit" / "audit-edits.jsonl", bench.release.path, bench.workspace)
    with open_store(Workspace(bench.workspace).store_url) as store:
        after = {(task.item_id, task.content_hash) for task in store.tasks("audit-edits", states=("open", "done"))}
    assert opened.new == 0
    assert after == before


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ({"choices": {"Z": "a third"}}, r"item .* has no choice 'Z' .*ask the annotators again"),
        ({"question": "What is on <image 7>"}, r"the question places image 7; it has 1.*ask the annotators again"),
    ],
)
def test_edits_that_an_item_cannot_take_are_refused(
    bench: Bench, corrected: dict[str, Any], tmp_path: Path, edits: dict[str, Any], words: str
) -> None:
    [erratum] = (
        each
        for each in read_errata(bench.workspace / "audit" / "errata-1.1.json")
        if each.edits and "explanation" in each.edits.to_json()
    )
    wrong = erratum.model_copy(update={"edits": ItemEdits.model_validate(edits)})
    with pytest.raises(DataError, match=words):
        correct_release(bench.release, [wrong], version="1.2", out=tmp_path / "r")


def test_an_erratum_with_edits_says_so(bench: Bench, corrected: dict[str, Any]) -> None:
    erratum = next(each for each in read_errata(bench.workspace / "audit" / "errata-1.1.json") if each.edits)
    for update in ({"finding": "ambiguous"}, {"edits": ItemEdits()}):
        with pytest.raises(DataError, match="edits go with the finding `wording`, and must change something"):
            parse_errata(spelled([erratum.model_copy(update=update)]), title="errata.json")


def test_the_results_of_such_a_campaign_are_named_where_they_are(
    bench: Bench, corrected: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["review", "results", "--workspace", str(bench.workspace), "--campaign", "audit-edits"]
    assert invoke(words) == 2
    assert "`benchwright set-right`" in capsys.readouterr().err
