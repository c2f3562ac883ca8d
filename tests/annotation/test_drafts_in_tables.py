"""Drafts in tables, CSV or XLSX: cells hold them, marked as drafts, and the import identifies each text's author.

- An unchanged cell is an accepted draft, a changed one an edited, an emptied one a discarded.
- A row does not count before the annotator fills in the first cell.
- A task without a draft says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from benchwright.annotation.campaigns.describe.step import Describe
from benchwright.annotation.campaigns.write.step import Write
from benchwright.annotation.store.review_store import open_store
from benchwright.questions.drafts import DraftAttack, DraftedDescription, DraftedQuestion, QuestionDrafts
from benchwright.questions.implication import Implication
from benchwright.records import ImageRecord
from benchwright.steps import AnyRecord, CampaignContext

from .filled_tables import FORMATS, exported, filled, imported

openpyxl = pytest.importorskip("openpyxl", reason="needs the extra `tables`")

MODEL, EDITED = "model:tiny-vlm", "person, from model:tiny-vlm"
DRAFTED, FAILED = "a" * 64, "b" * 64
WRITE = Write(
    task="table_manners",
    questions={"at_least": 1, "at_most": 4},
    options=3,
    labels={"level": ["easy", "hard"]},
    drafted_by=["draft_questions"],
)
COLD = DraftedQuestion(
    ask="How cold does the thermometer say it is? \U0001f976", right="-5 degrees", wrong=["+5 degrees", "=0"],
    labels={"level": ["easy"]}, prompt="plain",
    attacks=[DraftAttack(attack="too_easy", by="model:breaker", result="held", says="finds it hard")],
)  # fmt: skip
CUP = DraftedQuestion(
    ask="Which cup is chipped?", right="The blue one", wrong=["The red one", "The tall one"], prompt="dry"
)
LAMP = DraftedQuestion(ask="What colour is the lamp?", right="Green", wrong=["Red", "White"], prompt="plain")
OWN = {"ask": "Which fruit lies in the bowl?", "right": "A pear", "wrong": ["A fig", "A plum"], "level": "hard"}


def image(image_id: str) -> ImageRecord:
    return ImageRecord(
        image_id=image_id, width=40, height=30, media_type="image/png", size_bytes=9, root_image_id=image_id
    )


@pytest.fixture
def ctx(context: CampaignContext) -> CampaignContext:
    drafts = {
        DRAFTED: QuestionDrafts(by=MODEL, questions=[COLD, CUP, LAMP]),
        FAILED: QuestionDrafts(by=MODEL, failed={"plain": "no_json: the reply holds no JSON object"}),
    }
    values = {image_id: each.model_dump_json() for image_id, each in drafts.items()}
    return context._replace(stage="write", values={"draft_questions.drafts": values})


def stated_in(ctx: CampaignContext) -> Mapping[str, Any]:
    with open_store(ctx.store_url) as store:
        [decision] = store.decisions(ctx.stage)
    assert decision.fields is not None
    return decision.fields


@pytest.mark.parametrize("suffix", FORMATS)
def test_drafts_stand_in_the_cells_marked_as_drafts(suffix: str, ctx: CampaignContext, tmp_path: Path) -> None:
    assert WRITE.advance([image(DRAFTED), image(FAILED)], ctx).waiting is not None
    path = tmp_path / f"tasks.{suffix}"
    by_id = {row["item_id"]: row for row in exported(ctx, path)}
    row = by_id[DRAFTED]
    assert (row["ask_1"], row["wrong_2"], row["level_1"]) == (COLD.ask, "The red one\nThe tall one", "easy")
    assert row["right_1"] == ("'-5 degrees" if suffix == "csv" else "-5 degrees")
    assert (row["writing"], row["annotator"], row["ask_4"]) == ("", "", "")
    assert row["drafts"].splitlines() == [
        "question 1: draft by tiny-vlm, prompt plain, not accepted yet; breaker on too easy: no (finds it hard)",
        "question 2: draft by tiny-vlm, prompt dry, not accepted yet",
        "question 3: draft by tiny-vlm, prompt plain, not accepted yet",
    ]
    assert by_id[FAILED]["drafts"] == "tiny-vlm drafted nothing: no_json: the reply holds no JSON object"
    assert by_id[FAILED]["ask_1"] == ""
    if suffix == "xlsx":
        head, *cells = openpyxl.load_workbook(path).worksheets[0].iter_rows()
        at = {cell.value: place for place, cell in enumerate(head)}
        drafted = next(line for line in cells if line[at["item_id"]].value == DRAFTED)
        assert drafted[at["ask_1"]].font.italic
        assert not drafted[at["item_id"]].font.italic


@pytest.mark.parametrize("suffix", FORMATS)
def test_what_comes_back_says_which_drafts_were_accepted_edited_and_discarded(
    suffix: str, ctx: CampaignContext, now: datetime, tmp_path: Path
) -> None:
    WRITE.advance([image(DRAFTED)], ctx)
    [row] = exported(ctx, tmp_path / f"tasks.{suffix}")
    untouched = imported(ctx, filled(tmp_path / f"untouched.{suffix}", [row]), now)
    assert (untouched.blank, untouched.refused) == (1, ())
    row |= {"annotator": "ann", "writing": "written", "wrong_2": "The red one | The wide one", "level_2": "hard"}
    row |= {f"{part}_3": "" for part in OWN}
    row |= {f"{part}_4": value if isinstance(value, str) else " | ".join(value) for part, value in OWN.items()}
    path = filled(tmp_path / f"filled.{suffix}", [row])
    done = imported(ctx, path, now)
    assert (done.new, done.refused) == (1, ())
    fields = stated_in(ctx)
    assert [entry["ask"] for entry in fields["questions"]] == [COLD.ask, CUP.ask, OWN["ask"]]
    assert fields["questions"][0]["right"] == "-5 degrees"
    origins = {place: (origin["from"], origin["changed"]) for place, origin in fields["drafts"].items()}
    assert origins == {"questions/1": ("questions/1", []), "questions/2": ("questions/2", ["wrong"])}
    assert imported(ctx, path, now).unchanged == 1
    verdicts = WRITE.advance([image(DRAFTED)], ctx)
    assert verdicts.waiting is None
    counts = {row["prompt"]: row for row in (verdicts.summary or {})["drafts"]["prompts"]}
    assert [counts["plain"][name] for name in ("shown", "accepted", "edited", "discarded")] == [2, 1, 0, 1]
    assert [counts["dry"][name] for name in ("shown", "accepted", "edited", "discarded")] == [1, 0, 1, 0]


def test_a_draft_that_moved_is_known_by_its_question_and_one_that_is_written_over_counts_as_edited(
    ctx: CampaignContext, now: datetime, tmp_path: Path
) -> None:
    WRITE.advance([image(DRAFTED)], ctx)
    [row] = exported(ctx, tmp_path / "tasks.csv")
    parts = ("ask", "right", "wrong", "level")
    row |= {f"{part}_1": row[f"{part}_2"] for part in parts}
    row |= {f"{part}_2": "" for part in parts}
    row |= {f"{part}_3": value if isinstance(value, str) else " | ".join(value) for part, value in OWN.items()}
    done = imported(
        ctx, filled(tmp_path / "f.csv", [row | {"annotator": "a", "writing": "written", "level_1": "hard"}]), now
    )
    assert done.refused == ()
    origins = {place: (each["from"], each["changed"]) for place, each in stated_in(ctx)["drafts"].items()}
    assert origins == {
        "questions/1": ("questions/2", []), "questions/2": ("questions/3", ["ask", "right", "wrong"]),
    }  # fmt: skip


def test_whoever_finds_nothing_to_ask_need_not_empty_the_drafts_and_a_change_without_the_headline_is_told(
    ctx: CampaignContext, now: datetime, tmp_path: Path
) -> None:
    WRITE.advance([image(DRAFTED)], ctx)
    [row] = exported(ctx, tmp_path / "tasks.csv")
    changed = imported(ctx, filled(tmp_path / "changed.csv", [row | {"ask_2": "Which cup is broken?"}]), now)
    assert [refused.why for refused in changed.refused] == ["ask_2 is filled in, but writing is not"]
    done = imported(ctx, filled(tmp_path / "n.csv", [row | {"annotator": "ann", "writing": "nothing"}]), now)
    assert (done.new, done.refused) == (1, ())
    assert stated_in(ctx) == {"writing": "nothing"}


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_description_comes_back_part_by_part(
    suffix: str, context: CampaignContext, now: datetime, tmp_path: Path
) -> None:
    described = DraftedDescription(
        prompt="plain",
        implication=Implication(
            image_type="single-panel comic", domain="life", emotion="positive", difficulty="easy",
            rhetoric=["metaphor", "others"], explanation="A race that nobody runs.", author=MODEL,
        ),
    )  # fmt: skip
    question = DraftedQuestion(
        ask="What does the finish stand for?", right="An end", wrong=["A", "B", "C", "D", "E"], prompt="plain"
    )
    drafts = QuestionDrafts(by=MODEL, questions=[question], description=described)
    values: dict[str, Any] = {"draft_descriptions.drafts": {DRAFTED: drafts.model_dump_json()}}
    ctx = context._replace(stage="describe", values=values)
    describe = Describe(drafted_by=["draft_descriptions"])
    images: list[AnyRecord] = [image(DRAFTED)]
    assert describe.advance(images, ctx).waiting is not None
    [row] = exported(ctx, tmp_path / f"tasks.{suffix}")
    assert (row["image_type"], row["rhetoric"], row["questions"]) == ("single_panel_comic", "metaphor; others", "one")
    row |= {"annotator": "ann", "implication": "conveys", "emotion": "neutral", "right_1": "The end"}
    assert imported(ctx, filled(tmp_path / f"filled.{suffix}", [row]), now).refused == ()
    [outcome] = describe.advance(images, ctx).outcomes.values()
    implication = Implication.model_validate_json(str(outcome.values["implication"]))
    assert implication.authors == {"explanation": MODEL, "labels": EDITED}
    assert implication.questions[0].authors == {"question": MODEL, "choices": EDITED}
