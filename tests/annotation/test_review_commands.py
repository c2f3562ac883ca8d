"""`benchwright review status | agreement | export | import`: output, exit codes, messages."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.simulated.annotators import SimulatedAnnotators
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.review_store import open_store
from benchwright.cli.main import invoke
from benchwright.drawing import draw_prompts
from benchwright.images import decode_rgb, encode_png
from benchwright.records import Choice, Item, ItemImage, VisualPrompt
from benchwright.steps import CampaignContext
from benchwright.workspace.workspace import Workspace

pytestmark = pytest.mark.slow

MakeItems = Callable[..., list[Item]]


class Said:
    """The result of a command line."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def document(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def review(capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    def call(*arguments: object) -> Said:
        code = invoke(["review", *map(str, arguments)])
        return Said(code, *capsys.readouterr())

    return call


@pytest.fixture
def workspace(tmp_path: Path, make_items: MakeItems) -> Path:
    """Return a workspace whose campaign `verify` waits for two people on each of three items."""
    space = Workspace.create(tmp_path / "work")
    space.save_settings({"images": str(tmp_path), "state": "waiting"})
    context = CampaignContext(seed=1, stage="verify", workspace=space.root, store_url=space.store_url)
    Verify().advance(make_items(jigsaw=3), context)
    return space.root


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def ids(workspace: Path) -> list[str]:
    with open_store(Workspace(workspace).store_url) as store:
        return [task.item_id for task in store.tasks("verify", states=("open", "done"))]


# status


def test_status_counts_tasks_and_slots_by_campaign(review: Callable[..., Said], workspace: Path) -> None:
    said = review("status", "--workspace", workspace, "--json")
    assert (said.code, said.err) == (0, "")
    assert said.document == {
        "campaigns": [
            {
                "name": "verify", "kind": "verify", "rule": "unanimous(2)", "simulated": False,
                "tasks": {"open": 3, "done": 0, "retired": 0},
                "slots": {"free": 6, "leased": 0, "submitted": 0},
                "annotators": 0,
                "outcomes": {"accept": 0, "reject": 0, "revise": 0, "no_agreement": 0, "begun": 0, "untouched": 3},
                "decisions_by_day": {},
                "rounds": [{"round": 1, "items": 3, "passed": 0, "revised": 0, "dropped": 0, "waiting": 0, "open": 3}],
            }
        ]
    }  # fmt: skip
    assert "verify: 0 of 3 tasks done under unanimous(2)" in review("status", "--workspace", workspace).out


def test_status_says_where_annotators_are_simulated(
    review: Callable[..., Said], tmp_path: Path, make_items: MakeItems
) -> None:
    space = Workspace.create(tmp_path / "work")
    context = CampaignContext(seed=1, stage="verify", workspace=space.root, store_url=space.store_url)
    Verify(simulate=SimulatedAnnotators(annotators=2)).advance(make_items(jigsaw=2), context)
    assert "2 simulated annotators" in review("status", "--workspace", space.root).out
    for command in ("agreement", "annotators"):
        said = review(command, "--workspace", space.root).out
        assert said.startswith("the annotators are simulated: no person decided anything here\n"), command
    assert review("agreement", "--workspace", space.root, "--json").document["simulated"] is True


def test_agreement_of_a_campaign_without_decisions_measures_nothing(
    review: Callable[..., Said], workspace: Path
) -> None:
    assert review("agreement", "--workspace", workspace).out == "no decisions yet\n"
    assert review("annotators", "--workspace", workspace).out == "no decisions yet\n"
    document = review("agreement", "--workspace", workspace, "--json").document
    assert (document["units"], document["percent"], document["simulated"]) == (0, None, False)


def test_reading_commands_make_no_store(review: Callable[..., Said], tmp_path: Path) -> None:
    space = Workspace.create(tmp_path / "work")
    said = review("status", "--workspace", space.root)
    assert said.code == 2
    assert "has no review store; run a recipe" in said.err
    assert not (space.root / "review.sqlite").exists()


# agreement


def test_agreement_of_a_ratings_file_is_one_document(review: Callable[..., Said], tmp_path: Path) -> None:
    path = write(tmp_path / "r.csv", "unit,rater,label", "1,a,x", "1,b,x", "2,a,y", "2,b,x", "3,a,y", "3,b,y")
    said = review("agreement", "--ratings", path, "--json")
    assert (said.code, said.err) == (0, "")
    # By hand: marginals (1/3, 2/3) and (2/3, 1/3), so chance is 4/9; pooled shares are 1/2 each.
    assert {key: value for key, value in said.document.items() if key != "ci"} == {
        "units": 3, "raters": 2, "compared": 3, "percent": pytest.approx(2 / 3), "cohen_kappa": pytest.approx(0.4),
        "fleiss_kappa": pytest.approx(1 / 3), "krippendorff_alpha": pytest.approx(1 - 2 / 3.6),
        "gwet_ac1": pytest.approx(1 / 3),
    }  # fmt: skip
    assert sorted(said.document["ci"]) == sorted(set(said.document) - {"units", "raters", "compared", "ci"})


def test_agreement_prints_undefined_where_it_is(review: Callable[..., Said], tmp_path: Path) -> None:
    said = review("agreement", "--ratings", write(tmp_path / "r.csv", "unit,rater,label", "1,a,x", "1,b,x"))
    assert "krippendorff_alpha  undefined" in said.out
    assert said.out.startswith("1 unit, 1 of them compared, 2 raters\npercent             1.000\n")
    assert "no 95 % intervals" in said.out


def test_ordinal_agreement_counts_how_far_apart_labels_are(review: Callable[..., Said], tmp_path: Path) -> None:
    lines = ["unit,rater,label", "1,a,1", "1,b,1", "2,a,3", "2,b,2", "3,a,3", "3,b,3", "4,a,1", "4,b,1"]
    path = write(tmp_path / "r.csv", *lines)
    nominal, ordinal = (
        review("agreement", "--ratings", path, "--json", *more).document["krippendorff_alpha"]
        for more in ((), ("--ordinal",))
    )
    assert nominal < ordinal < 1


def test_agreement_of_a_campaign_is_over_its_decisions_so_far(review: Callable[..., Said], workspace: Path) -> None:
    rows = [f"{name},{item},accept" for item in ids(workspace)[:2] for name in ("ann", "ben")]
    path = write(workspace / "d.csv", "annotator,item_id,decision", *rows)
    review("import", path, "--workspace", workspace)
    document = review("agreement", "--workspace", workspace, "--json").document
    assert (document["units"], document["raters"], document["percent"]) == (2, 2, 1.0)
    assert (document["krippendorff_alpha"], document["gwet_ac1"]) == (None, 1.0)


def test_a_bad_ratings_file_exits_2_with_one_line(review: Callable[..., Said], tmp_path: Path) -> None:
    path = write(tmp_path / "r.csv", "unit,rater,label", "1,a,x", "1,a,y")
    said = review("agreement", "--ratings", path)
    assert (said.code, said.out) == (2, "")
    assert said.err.count("\n") == 1
    assert f"{path}, line 3: rater 'a' rated unit '1' on line 2 already" in said.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["--ratings", "r.csv", "--campaign", "verify"], "give either --ratings or", id="both"),
        pytest.param(
            ["--ratings", "r.csv", "--by", "task"], "--field and --by are for a campaign", id="parts of a file"
        ),
        pytest.param(["--ratings", "r.csv", "--ordinal", "--sets"], "either numbers", id="two metrics"),
    ],
)
def test_agreement_refuses_what_does_not_go_together(
    review: Callable[..., Said], arguments: list[str], words: str
) -> None:
    said = review("agreement", *arguments)
    assert said.code == 2
    assert words in said.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param(["--ordinal"], "'decision' has no order", id="ordinal decisions"),
        pytest.param(["--sets"], "'decision' is a single code", id="sets of decisions"),
        pytest.param(["--field", "mood"], "has no 'mood'", id="an unknown field"),
    ],
)
def test_decisions_are_compared_only_as_what_they_are(
    review: Callable[..., Said], workspace: Path, options: list[str], words: str
) -> None:
    said = review("agreement", "--workspace", workspace, *options)
    assert said.code == 2
    assert words in said.err


def decide(review: Callable[..., Said], workspace: Path) -> None:
    """Have ann and ben agree on one item, and differ on the next, with a reason."""
    one, other = ids(workspace)[:2]
    rows = [
        f"ann,{one},accept,,",
        f"ben,{one},accept,,",
        f"ann,{other},accept,,",
        f"ben,{other},reject,unclear,blurred",
    ]
    path = write(workspace / "d.csv", "annotator,item_id,decision,reason,note", *rows)
    assert review("import", path, "--workspace", workspace).code == 0


def test_agreement_by_part_and_of_reasons(review: Callable[..., Said], workspace: Path) -> None:
    decide(review, workspace)
    document = review("agreement", "--workspace", workspace, "--by", "task", "--by", "time", "--json").document
    assert [(part["by"], part["units"]) for part in document["parts"]] == [("task", 2), ("time", 2)]
    assert document["parts"][0]["percent"] == document["percent"] == 0.5
    assert document["parts"][0]["ci"]["percent"] == document["ci"]["percent"]
    reasons = review("agreement", "--workspace", workspace, "--field", "reasons", "--json").document
    assert (reasons["percent"], reasons["units"]) == (0.5, 2)
    text = review("agreement", "--workspace", workspace, "--by", "task", "--leave-one-out").out
    assert "task jigsaw: 2 units, 2 of them compared, 2 raters; alpha 0.000, percent 0.500" in text
    assert "without ann: 2 units, 0 of them compared, 1 rater; alpha undefined, percent undefined" in text


def test_status_says_what_became_of_tasks_by_part(review: Callable[..., Said], workspace: Path) -> None:
    decide(review, workspace)
    [campaign] = review("status", "--workspace", workspace, "--by", "task", "--json").document["campaigns"]
    assert campaign["outcomes"] == {
        "accept": 1, "reject": 0, "revise": 0, "no_agreement": 1, "begun": 0, "untouched": 1,
    }  # fmt: skip
    assert campaign["parts"] == [{"by": "task", "part": "jigsaw", "tasks": 3, "outcomes": campaign["outcomes"]}]
    assert list(campaign["decisions_by_day"].values()) == [4]
    assert (
        "jigsaw: 1 accept, 0 reject, 0 revise, 1 no agreement"
        in review("status", "--workspace", workspace, "--by", "task").out
    )


def test_reasons_are_listed_with_items_and_notes(review: Callable[..., Said], workspace: Path) -> None:
    assert "no reasons given yet" in review("reasons", "--workspace", workspace).out
    decide(review, workspace)
    document = review("reasons", "--workspace", workspace, "--json").document
    assert document == {
        "campaign": "verify",
        "reasons": [
            {
                "decision": "reject", "reason": "unclear", "times": 1,
                "examples": [{"item_id": ids(workspace)[1], "note": "blurred"}],
            }
        ],
    }  # fmt: skip


def test_assigning_says_who_may_decide_and_tables_keep_to_it(review: Callable[..., Said], workspace: Path) -> None:
    with open_store(Workspace(workspace).store_url) as store:
        for name in ("ann", "ben"):
            store.upsert_annotator(name)
    assert review("assign", "--workspace", workspace).out == "verify: everybody\n"
    document = review("assign", "ann", "--workspace", workspace, "--json").document
    assert document == {"campaigns": [{"name": "verify", "is_for_assigned": True, "assigned": ["ann"]}]}
    path = write(
        workspace / "d.csv",
        "annotator,item_id,decision",
        *(f"{one},{ids(workspace)[0]},accept" for one in ("ann", "ben")),
    )
    said = review("import", path, "--workspace", workspace)
    assert said.code == 1
    assert "line 3: annotator 'ben' is not assigned to campaign 'verify'" in said.out
    assert review("assign", "ann", "--off", "--workspace", workspace).out == "verify: nobody\n"
    assert review("assign", "--everybody", "--workspace", workspace).out == "verify: everybody\n"
    assert "name the annotators" in review("assign", "--off", "--workspace", workspace).err
    assert review("assign", "dora", "--workspace", workspace).code == 2


def test_everything_is_exported_by_one_command(review: Callable[..., Said], workspace: Path) -> None:
    decide(review, workspace)
    out = workspace / "everything"
    said = review(
        "export", "--all", "--pseudonyms", "--format", "csv", "--out", out, "--workspace", workspace, "--json"
    )
    assert said.document["tables"]["annotations"] == {"rows": 4, "files": ["annotations.csv"]}
    assert "annotator-2" in (out / "annotations.csv").read_text(encoding="utf-8")
    assert (
        "annotations: 4 rows" in review("export", "--all", "--out", workspace / "again", "--workspace", workspace).out
    )
    assert review("export", "--pseudonyms", "--out", workspace / "t.csv", "--workspace", workspace).code == 2
    assert review("export", "--all", "--images", out, "--out", out, "--workspace", workspace).code == 2


def test_a_misspelt_campaign_is_answered_with_the_nearest(review: Callable[..., Said], workspace: Path) -> None:
    said = review("agreement", "--workspace", workspace, "--campaign", "verfiy")
    assert said.code == 2
    assert "no campaign 'verfiy'; did you mean 'verify'?" in said.err


# export and import


def test_a_filled_in_export_closes_the_campaign(
    review: Callable[..., Said], workspace: Path, make_items: MakeItems
) -> None:
    out = workspace / "tasks.csv"
    said = review("export", "--workspace", workspace, "--out", out, "--json")
    document = said.document
    takes = document.pop("takes")
    assert (said.code, document) == (0, {"campaign": "verify", "tasks": 3, "out": str(out)})
    assert takes["decision"] == "accept, reject, revise"
    assert takes["reason"].startswith("wrong_answer, several_answers, unclear, ")
    with out.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert rows[0]["takes"] == " | ".join(f"{column}: {words}" for column, words in takes.items())
    assert rows[0]["question"] == "Which piece fits?"
    assert rows[0]["choices"] == "A: the left one | B: the right one"
    assert rows[0]["answer"] == "B"
    for annotator in ("ann", "ben"):
        filled = workspace / f"{annotator}.csv"
        with filled.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, list(rows[0]))
            writer.writeheader()
            for row in rows:
                decision = "reject" if row is rows[2] else "Accept"
                reason = " unclear; bad_image " if row is rows[2] else ""
                writer.writerow(row | {"annotator": annotator, "decision": decision, "reason": reason})
        assert review("import", filled, "--workspace", workspace).code == 0
    context = CampaignContext(1, "verify", workspace, Workspace(workspace).store_url)
    verdicts = Verify().advance(make_items(jigsaw=3), context)
    assert verdicts.waiting is None
    assert verdicts.outcomes[rows[2]["item_id"]].reason == "rejected"
    assert verdicts.outcomes[rows[2]["item_id"]].evidence["reasons"] == {"bad_image": 2, "unclear": 2}


def test_export_names_pictures_marks_and_image_choices(
    review: Callable[..., Said], tmp_path: Path, workspace: Path
) -> None:
    space = Workspace(workspace)
    grey = np.full((120, 90, 3), 128, np.uint8)
    shown, piece = space.objects.put(encode_png(grey)), space.objects.put(b"picture two")
    ring = VisualPrompt(kind="ring", image_id=shown, points=((30.4, 71.5),), label="REF")
    item = Item(
        item_id="a" * 32, task="odd", kind="multiple_choice", question="=HYPERLINK(\"http://x\")",
        images=(ItemImage(image_id=shown, role="view", prompts=(ring,)), ItemImage(image_id=piece, role="choice")),
        choices=(Choice(key="A", image_id=piece), Choice(key="B", text="none")), answer="A",
        root_image_id=shown, operation_id="0" * 32, made_from=shown,
    )  # fmt: skip
    Verify().advance([item], CampaignContext(1, "odd", workspace, space.store_url))
    folder, out = tmp_path / "pictures", tmp_path / "odd.csv"
    said = review("export", "--workspace", workspace, "--campaign", "odd", "--out", out, "--images", folder)
    assert said.code == 0
    with out.open(encoding="utf-8", newline="") as handle:
        (row,) = csv.DictReader(handle)
    assert row["question"] == '\'=HYPERLINK("http://x")'
    assert row["choices"] == "A: <image 2> | B: none"
    assert row["marks"] == "image 1: ring REF at (30, 72)"
    marked, copied = (Path(name) for name in row["images"].split(" | "))
    assert copied.read_bytes() == b"picture two"
    assert (decode_rgb(marked) == draw_prompts(grey, [ring])).all()
    assert not (decode_rgb(marked) == grey).all()
    assert {path.suffix for path in folder.iterdir()} == {".png"}


def test_export_says_which_picture_is_not_there(review: Callable[..., Said], workspace: Path) -> None:
    arguments = ("export", "--workspace", workspace, "--out", workspace / "tasks.csv")
    said = review(*arguments, "--images", workspace / "pictures")
    assert said.code == 2
    assert "run the recipe again" in said.err
    assert not (workspace / "tasks.csv").exists()
    assert review(*arguments).code == 0


def test_export_never_overwrites(review: Callable[..., Said], workspace: Path) -> None:
    out = write(workspace / "tasks.csv", "a person's work")
    said = review("export", "--workspace", workspace, "--out", out)
    assert said.code == 2
    assert "already exists with other content; it may hold decisions" in said.err
    assert out.read_text() == "a person's work\n"
    out.unlink()
    for _ in range(2):  # given again, it is done
        assert review("export", "--workspace", workspace, "--out", out).code == 0


def test_a_name_that_nobody_has_is_refused_where_people_have_accounts(
    review: Callable[..., Said], workspace: Path
) -> None:
    one, two, three = ids(workspace)
    with open_store(Workspace(workspace).store_url) as store:
        Accounts(store).add("benedict", "annotator", now=datetime(2026, 3, 1, tzinfo=UTC))
    rows = (f"benedikt,{one},accept", f"benedict,{one},accept", f"zoe,{two},accept", f"Benedict,{three},accept")
    path = write(workspace / "decisions.csv", "annotator,item_id,decision", *rows)
    said = review("import", path, "--workspace", workspace, "--json")
    assert (said.code, said.document["new"], said.document["new_annotators"]) == (1, 1, [])
    reasons = {row["line"]: row["reason"] for row in said.document["refused"]}
    assert "did you mean 'benedict'?" in reasons[2]
    assert "--new-annotators" in reasons[4]
    assert "'benedict' is known; spell the two alike" in reasons[5]
    again = review("import", path, "--workspace", workspace, "--new-annotators", "--json")
    assert again.document["new_annotators"] == ["Benedict", "benedikt", "zoe"]


def test_all_that_is_wrong_with_a_row_is_told_at_once(review: Callable[..., Said], workspace: Path) -> None:
    one, two, _ = ids(workspace)
    header = "annotator,item_id,decision,reason,note"
    rows = (f"ann,{one},maybe,ugly; dull,", f",{'f' * 32},accept,,", f"ann,{two},,unclear,")
    said = review("import", write(workspace / "d.csv", header, *rows), "--workspace", workspace, "--json")
    first, second, third = (row["reason"] for row in said.document["refused"])
    for words in ("decision 'maybe' is not one of", "reason 'dull' is not one of", "reason 'ugly'"):
        assert words in first
    assert second.startswith("no annotator; item 'ffff")
    assert third == "reason is filled in, but decision is not"


def test_a_cell_that_is_too_long_refuses_its_row_and_no_other(review: Callable[..., Said], workspace: Path) -> None:
    one, two, _ = ids(workspace)
    rows = (f"ann,{one},accept,{'x' * 300_000}", f"ann,{two},accept,")
    path = write(workspace / "d.csv", "annotator,item_id,decision,note", *rows)
    said = review("import", path, "--workspace", workspace, "--json")
    assert said.document["new"] == 1
    assert [row["line"] for row in said.document["refused"]] == [2]
    assert "(300000 characters) is longer than 10000" in said.document["refused"][0]["reason"]


def test_all_columns_that_are_wrong_are_told_at_once(review: Callable[..., Said], workspace: Path) -> None:
    path = write(workspace / "d.csv", "anotator,item_id,verdict,reason,reason", "x,y,z,,")
    said = review("import", path, "--workspace", workspace)
    for words in (
        "no column 'annotator', 'decision'",
        "where it says 'anotator'",
        "'reason' appears 2 times",
        "'verdict'",
    ):
        assert words in said.err


def test_import_takes_good_rows_and_reports_the_others_with_line_and_reason(
    review: Callable[..., Said], workspace: Path
) -> None:
    one, two, three = ids(workspace)
    path = write(
        workspace / "decisions.csv",
        "annotator,item_id,decision,reason,note",
        f"ann,{one},accept,,",
        f"ann,{one},accept,,",
        f"ann,{one},reject,,",
        f"ann,{two},maybe,,",
        f"ann,{'f' * 32},accept,,",
        f"ann,{two},reject,ugly,",
        f"ann,{two},,,",
        f",{two},accept,,",
        f"simulated-1,{two},accept,,",
        f"ben,{one},reject,unclear,blurred",
        f"cas,{one},accept,,",
        f"ben,{two},accept",
        f"ben,{three},accept,,a\0b",
        f"ben,{three},accept,,",
    )
    said = review("import", path, "--workspace", workspace, "--json")
    assert said.code == 1
    document = said.document
    refused = document.pop("refused")
    assert document.pop("new_annotators") == ["ann", "ben"]
    assert document == {"campaign": "verify", "rows": 14, "new": 3, "unchanged": 1, "blank": 1, "paused": []}
    expected = {
        4: "annotator 'ann' already decided 'accept' on this item",
        5: "decision 'maybe' is not one of accept, reject",
        6: "is not a current task of campaign 'verify'",
        7: "reason 'ugly' is not one of wrong_answer",
        9: "no annotator",
        10: "only names of simulated annotators begin with",
        12: "all unanimous(2) decisions are in",
        13: "3 cells where there are 5 columns",
        14: "holds a null character",
    }
    assert [row["line"] for row in refused] == list(expected)
    for row in refused:
        assert expected[row["line"]] in row["reason"]
    with open_store(Workspace(workspace).store_url) as store:
        found = {(d.annotator, d.item_id): (d.decision, d.reasons, d.note) for d in store.decisions("verify")}
    assert found == {
        ("ann", one): ("accept", (), None),
        ("ben", one): ("reject", ("unclear",), "blurred"),
        ("ben", three): ("accept", (), None),
    }


def test_importing_a_file_twice_changes_nothing(review: Callable[..., Said], workspace: Path) -> None:
    path = write(workspace / "d.csv", "annotator,item_id,decision", *(f"ann,{item},accept" for item in ids(workspace)))
    first, second = (review("import", path, "--workspace", workspace, "--json").document for _ in range(2))
    assert (first["new"], first["unchanged"]) == (3, 0)
    assert (second["new"], second["unchanged"]) == (0, 3)


def test_a_file_with_wrong_columns_goes_in_not_at_all(review: Callable[..., Said], workspace: Path) -> None:
    path = write(workspace / "d.csv", "annotator,item_id,decision,raeson", f"ann,{ids(workspace)[0]},accept,")
    said = review("import", path, "--workspace", workspace)
    assert said.code == 2
    assert "column 'raeson' is unknown; did you mean 'reason'?" in said.err
    assert review("status", "--workspace", workspace, "--json").document["campaigns"][0]["slots"]["submitted"] == 0


def test_people_cannot_add_to_a_simulated_campaign(
    review: Callable[..., Said], tmp_path: Path, make_items: MakeItems
) -> None:
    space = Workspace.create(tmp_path / "work")
    context = CampaignContext(seed=1, stage="verify", workspace=space.root, store_url=space.store_url)
    items = make_items(jigsaw=1)
    Verify(simulate=SimulatedAnnotators(annotators=2)).advance(items, context)
    path = write(tmp_path / "d.csv", "annotator,item_id,decision", f"ann,{items[0].item_id},accept")
    said = review("import", path, "--workspace", space.root)
    assert said.code == 1
    assert "campaign 'verify' is for simulated annotators" in said.out
