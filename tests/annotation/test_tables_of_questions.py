"""Questions and reviews in tables, CSV or XLSX: their cells, the import, and all mistakes at once."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.campaigns.write.step import Write
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.store.review_store import open_store
from benchwright.errors import DataError
from benchwright.records import ImageRecord, Item
from benchwright.steps import CampaignContext

from .filled_tables import FORMATS, exported, filled, imported

pytestmark = pytest.mark.slow

openpyxl = pytest.importorskip("openpyxl", reason="needs the extra `tables`")

PICTURES = ["a" * 64, "b" * 64, "c" * 64]
TASK = Write(
    task="table_manners", questions={"at_least": 1, "at_most": 2}, options=3, labels={"difficulty": ["easy", "hard"]}
)
QUESTION = {
    "annotator": "ann", "writing": "written", "ask_1": "Which of the cups is chipped?", "right_1": "The blue one",
    "wrong_1": "The red one | The tall one", "difficulty_1": "hard",
}  # fmt: skip


@pytest.fixture
def ctx(context: CampaignContext) -> CampaignContext:
    return context._replace(stage="write")


def open_tasks(ctx: CampaignContext) -> None:
    images = [
        ImageRecord(image_id=each, width=40, height=30, media_type="image/png", size_bytes=9, root_image_id=each)
        for each in PICTURES
    ]
    assert TASK.advance(images, ctx).waiting is not None


def test_a_table_shows_the_ids_of_the_source_and_takes_them(
    ctx: CampaignContext, now: datetime, tmp_path: Path
) -> None:
    store_settings = {"kind": "verify", "rule": "majority(1)", "slots_per_task": 1, "settings": {}, "seed": 1}
    choices = [{"key": "A", "text": "a pot"}, {"key": "B", "text": "a lid"}]
    work = [
        TaskInput(f"{n:032x}", f"content-{n}", {"task": "jigsaw", "kind": "multiple_choice", "question": "Which?",
                  "choices": choices, "answer": "A", "attributes": {"source_id": f"d.csv:{n}", "stated_id": str(n)}})
        for n in range(2)
    ]  # fmt: skip
    with open_store(ctx.store_url) as store:
        form = CampaignForm(decisions=["accept", "reject"])
        store.upsert_campaign(ctx.stage, form=form, **store_settings)
        store.upsert_tasks(ctx.stage, work)
    rows = exported(ctx, tmp_path / "tasks.csv")
    assert [row["source_id"] for row in rows] == ["d.csv:0", "d.csv:1"]
    by_source = [{"annotator": "ann", "source_id": "d.csv:0", "decision": "accept"}]
    assert imported(ctx, filled(tmp_path / "own.csv", by_source), now).new == 1
    stated = [{"annotator": "ann", "item_id": "1", "decision": "reject"}]
    assert imported(ctx, filled(tmp_path / "stated.csv", stated), now).new == 1
    with open_store(ctx.store_url) as store:
        assert {each.item_id: each.decision for each in store.decisions(ctx.stage)} == {
            work[0].item_id: "accept", work[1].item_id: "reject",
        }  # fmt: skip


@pytest.mark.parametrize("suffix", FORMATS)
def test_questions_that_were_filled_in_come_back_with_their_emoji_and_a_second_time_change_nothing(
    suffix: str, ctx: CampaignContext, now: datetime, tmp_path: Path
) -> None:
    open_tasks(ctx)
    rows = exported(ctx, tmp_path / f"tasks.{suffix}")
    assert [row["item_id"] for row in rows] == PICTURES
    emoji = {
        "right_1": "The \U0001f535 one \U0001f469\u200d\U0001f373",
        "wrong_1": "The \U0001f534 one | The \U0001f7e2 one",
    }
    path = filled(tmp_path / f"filled.{suffix}", [rows[0] | QUESTION | emoji, rows[1] | QUESTION])
    first = imported(ctx, path, now)
    assert (first.new, first.refused) == (2, ())
    with open_store(ctx.store_url) as store:
        fields = next(each.fields for each in store.decisions("write") if each.item_id == PICTURES[0])
    assert fields is not None
    assert fields["questions"][0] == {
        "ask": QUESTION["ask_1"], "right": emoji["right_1"], "difficulty": "hard",
        "wrong": ["The \U0001f534 one", "The \U0001f7e2 one"],
    }  # fmt: skip
    assert imported(ctx, path, now).unchanged == 2


def test_the_header_of_a_spreadsheet_says_what_each_column_takes_and_closed_sets_are_offered(
    ctx: CampaignContext, tmp_path: Path
) -> None:
    open_tasks(ctx)
    exported(ctx, tmp_path / "tasks.xlsx")
    book = openpyxl.load_workbook(tmp_path / "tasks.xlsx")
    sheet, words = book.worksheets
    notes = {head.value: head.comment.text for head in sheet[1] if head.comment is not None}
    assert notes["difficulty_1"] == "easy, hard"
    assert notes["wrong_1"].startswith("2 lines of text")
    letters = {head.value: head.column_letter for head in sheet[1]}
    offered = {str(rule.sqref).split("2:")[0]: rule.formula1 for rule in sheet.data_validations.dataValidation}
    place = offered[letters["difficulty_1"]].partition("!")[2].replace("$", "")
    assert [cell.value for cell in words[place][0]] == ["easy", "hard"]
    assert letters["ask_1"] not in offered
    assert sheet.freeze_panes == "B2"


BAD: tuple[tuple[str, dict[str, Any], tuple[str, ...]], ...] = (
    ("an option that is the answer", {"wrong_1": "the blue one | The tall one"}, ("'the blue one' reads the same as 'The blue one'",)),
    ("a question about no picture", {"item_id": ""}, ("item '' is not a current task",)),
    ("a question about another picture", {"item_id": "d" * 64}, ("is not a current task",)),
    ("no annotator and no question", {"annotator": "", "ask_1": ""}, ("no annotator", "'ask'", "is not filled in")),
    ("100,000 characters", {"ask_1": "Which? " + "x" * 100_000}, ("100007 characters", "longer than 10000")),
    ("500 characters", {"ask_1": "Which " + "x" * 494}, ("at most 300 characters", "it has 500")),
    ("three mistakes at once", {"right_1": "", "wrong_1": "One", "difficulty_1": "soft"},
     ("'right'", "2 lines; it has 1", "'soft' is not one of easy, hard")),
)  # fmt: skip


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_bad_row_is_told_with_all_its_mistakes_and_good_ones_go_in(
    suffix: str, ctx: CampaignContext, now: datetime, tmp_path: Path
) -> None:
    open_tasks(ctx)
    [row, other, _] = exported(ctx, tmp_path / f"tasks.{suffix}")
    # A spreadsheet program keeps 32,767 characters of a cell.
    bad = [case for case in BAD if suffix == "csv" or case[0] != "100,000 characters"]
    rows = [row | QUESTION | change for _, change, _ in bad]
    told = imported(ctx, filled(tmp_path / f"filled.{suffix}", [*rows, other | QUESTION]), now)
    assert (told.rows, told.new, len(told.refused)) == (len(bad) + 1, 1, len(bad)), told.refused
    for (name, _, parts), refused in zip(bad, told.refused, strict=True):
        assert all(part.casefold() in refused.why.casefold() for part in parts), (name, refused.why)


@pytest.mark.parametrize("suffix", FORMATS)
def test_all_that_is_wrong_with_a_header_is_told_at_once_and_nothing_goes_in(
    suffix: str, ctx: CampaignContext, now: datetime, tmp_path: Path
) -> None:
    open_tasks(ctx)
    row = exported(ctx, tmp_path / f"tasks.{suffix}")[0] | QUESTION
    columns = ["item_id", "anotator", "ask_1", "right1", "colour"]
    path = filled(tmp_path / f"filled.{suffix}", [row], columns)
    with pytest.raises(DataError) as refused:
        imported(ctx, path, now)
    for part in (
        "'annotator', 'writing'",
        "'annotator' where it says 'anotator'",
        "did you mean 'right_1'?",
        "'colour'",
    ):
        assert part in str(refused.value)
    with open_store(ctx.store_url) as store:
        assert store.decisions("write") == []


@pytest.mark.parametrize(
    "data", [pytest.param(b"PK\x03\x04 not a zip", id="broken"), pytest.param(b"item_id,annotator\n", id="CSV")]
)
def test_what_only_calls_itself_a_spreadsheet_is_refused_in_one_line(
    data: bytes, ctx: CampaignContext, now: datetime, tmp_path: Path
) -> None:
    open_tasks(ctx)
    (tmp_path / "filled.xlsx").write_bytes(data)
    with pytest.raises(
        DataError, match=r"filled\.xlsx cannot be read as a spreadsheet .* save it as \.xlsx, \.tsv or \.csv"
    ):
        imported(ctx, tmp_path / "filled.xlsx", now)


def test_a_text_that_begins_like_a_formula_stays_a_text(context: CampaignContext, tmp_path: Path) -> None:
    ctx = context._replace(stage="review")
    Review().advance([item("=SUM(A1) is written in the picture: what is it?")], ctx)
    [row] = exported(ctx, tmp_path / "tasks.xlsx")
    assert row["question"].startswith("=SUM(A1)")
    sheet = openpyxl.load_workbook(tmp_path / "tasks.xlsx").worksheets[0]
    assert all(cell.data_type != "f" for line in sheet.iter_rows() for cell in line)


def item(question: str) -> Item:
    return Item.model_validate(
        {
            "item_id": "5" * 32, "task": "table_manners", "kind": "multiple_choice", "question": question,
            "images": [{"image_id": PICTURES[0], "role": "reference"}], "root_image_id": PICTURES[0],
            "choices": [{"key": "A", "text": "a cat"}, {"key": "B", "text": "a dog"}], "answer": "B",
            "explanation": "It barks.", "operation_id": "0" * 32, "made_from": PICTURES[0],
        }
    )  # fmt: skip


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_review_goes_by_two_tables_answers_without_the_key_and_then_votes(
    suffix: str, context: CampaignContext, now: datetime, tmp_path: Path
) -> None:
    ctx = context._replace(stage="review")
    review = Review(rule="at_least(2, of=2)")
    assert review.advance([item("Which animal barks?")], ctx).waiting is not None
    [row] = exported(ctx, tmp_path / f"answers.{suffix}")
    assert row["answer"] == ""
    answers = [row | {"annotator": "ann", "decision": "b"}, row | {"annotator": "bob", "decision": "C"}]
    told = imported(ctx, filled(tmp_path / f"a.{suffix}", answers), now)
    assert (told.new, [refused.line for refused in told.refused]) == (1, [3])
    imported(ctx, filled(tmp_path / f"b.{suffix}", [row | {"annotator": "bob", "decision": "B"}]), now)

    votes = exported(ctx, tmp_path / f"votes.{suffix}", votes=True)
    assert [(vote["annotator"], vote["answer"]) for vote in votes] == [("ann", "B"), ("bob", "B")]
    yes = {"accurate": "yes", "reasonable": "yes", "difficult": "Yes"}
    bad = {**votes[0], "accurate": "maybe", "reasonable": "", "difficult": "yes"}
    told = imported(ctx, filled(tmp_path / f"c.{suffix}", [bad, votes[1] | yes]), now)
    assert told.new == 1
    assert all(part in told.refused[0].why for part in ("'maybe' is not one of yes, no", "'reasonable'"))
    imported(ctx, filled(tmp_path / f"d.{suffix}", [votes[0] | yes]), now)
    verdicts = review.advance([item("Which animal barks?")], ctx)
    assert verdicts.waiting is None
    assert verdicts.summary["kept"] == 1
