"""Page, command and export show the same figures of one campaign, each with its basis, or none."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest

pytest.importorskip("streamlit")

from benchwright.annotation.agreement.coefficients import STATISTICS
from benchwright.annotation.app.people_pages.annotator_figures import quality_row
from benchwright.annotation.app.wording.curator_texts import TEXTS
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.exchange.export import export_everything
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.field_agreement import field_agreement
from benchwright.annotation.progress.label_fields import label_fields_of
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.cli.main import invoke
from benchwright.records import Item
from benchwright.steps import CampaignContext
from benchwright.workspace.workspace import Workspace

pytestmark = [pytest.mark.both_databases, pytest.mark.slow]

MakeItems = Callable[..., list[Item]]
WORDS = ("accept", "reject")


def decided(workspace: Path, make_items: MakeItems, now: datetime, *, shared: int, alone: int) -> Path:
    """Let two annotators decide that many tasks together, half of them alike, and each of three that many alone."""
    space = Workspace.create(workspace)
    space.save_settings({})
    context = CampaignContext(seed=1, stage="verify", workspace=workspace, store_url=space.store_url)
    Verify(rule="at_least(2, of=3)").advance(make_items(jigsaw=shared + 3 * alone), context)
    with open_store(space.store_url) as store:
        for name in ("ann", "ben", "cas"):
            store.upsert_annotator(name)
        tasks = [task.id for task in store.tasks("verify")]
        for number, task in enumerate(tasks[:shared]):
            store.decide("verify", task, "ann", Submission("accept"), now=now)
            store.decide("verify", task, "ben", Submission(WORDS[number % 2]), now=now)
        for number, task in enumerate(tasks[shared:]):
            store.decide("verify", task, ("ann", "ben", "cas")[number % 3], Submission(WORDS[number % 2]), now=now)
    return workspace


@pytest.fixture(params=[(0, 5), (1, 12), (4, 10), (24, 2)], ids="{0[0]} shared".format)
def workspace(request: pytest.FixtureRequest, tmp_path: Path, make_items: MakeItems, now: datetime) -> Path:
    shared, alone = request.param
    return decided(tmp_path / "workspace", make_items, now, shared=shared, alone=alone)


def of_page(store: ReviewStore) -> tuple[dict, list]:
    overview = Overview(store, store.campaign("verify"))
    asked = label_fields_of(overview.campaign)[0]
    [(_, whole)] = field_agreement(overview, asked).by["all"]
    return whole.to_json(), overview.qualities(overview.label_columns(asked))


_SHORT = ("compared", "percent", "krippendorff_alpha")


def _ratings_file(path: Path, annotations: Path) -> Path:
    """Write exported decisions like other tools' ratings."""
    rows = [f"{row['item_id']},{row['annotator']},{row['decision']}" for row in pq.read_table(annotations).to_pylist()]
    path.write_text("\n".join(["unit,rater,label", *rows]) + "\n", encoding="utf-8")
    return path


def test_pages_commands_and_export_say_the_same(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(command: str) -> dict:
        assert invoke(["review", command, "--workspace", str(workspace), "--json"]) == 0
        document: dict = json.loads(capsys.readouterr().out)
        return document

    with open_store(Workspace(workspace).store_url) as store:
        page, qualities = of_page(store)
        export_everything(store, tmp_path / "all", formats=("parquet",))
    command = told("agreement")
    assert {name: command[name] for name in page} == page
    kept = told("kept")["overall"]
    assert {name: kept[name] for name in _SHORT} == pytest.approx({name: page[name] for name in _SHORT}, abs=1e-6)
    ratings = _ratings_file(tmp_path / "ratings.csv", tmp_path / "all" / "annotations.parquet")
    assert invoke(["review", "agreement", "--ratings", str(ratings), "--json"]) == 0
    of_file = json.loads(capsys.readouterr().out)
    alike = ("compared", *(name for name in STATISTICS if name != "gwet_ac1"))  # AC1 counts labels that nobody gave
    assert {name: of_file[name] for name in alike} == pytest.approx({name: page[name] for name in alike})
    assert told("annotators")["annotators"] == [one.to_json() for one in qualities]
    rows = [row for row in pq.read_table(tmp_path / "all" / "agreement.parquet").to_pylist() if row["by"] == "all"]
    first = {row["statistic"]: row for row in rows if row["aspect"] == "decision"}
    for name in STATISTICS:
        low, high = page["ci"][name] or (None, None)
        of_export = (first[name]["compared"], first[name]["value"], first[name]["ci_low"], first[name]["ci_high"])
        assert of_export == pytest.approx((page["compared"], page[name], low, high), abs=1e-6), name
    exported = {
        row["annotator"]: row for row in pq.read_table(tmp_path / "all" / "annotator_quality.parquet").to_pylist()
    }
    for one in qualities:
        document = one.to_json()
        for column in ("shared_units", "estimated_accuracy", "alpha_without", "alpha_without_units", "timed"):
            assert exported[one.rater][column] == pytest.approx(document[column], abs=1e-6), column


def test_no_figure_is_without_evidence_and_none_without_its_count(workspace: Path) -> None:
    with open_store(Workspace(workspace).store_url) as store:
        page, qualities = of_page(store)
    assert all(low < high for low, high in filter(None, page["ci"].values()))
    assert (page["ci"]["percent"] is not None) == (page["compared"] >= 10)
    for one in qualities:
        row = quality_row(one, has_gold=False, is_timed=True)
        assert (one.estimated_accuracy is not None) == (one.shared >= 10), asdict(one)
        assert str(one.shared) in row[TEXTS["estimated"]]
        assert row[TEXTS["too_fast"]] == TEXTS["undefined"]  # these decisions came without a browser's clock
        assert row[TEXTS["alpha_without"]] == TEXTS["undefined"] or "tasks" in row[TEXTS["alpha_without"]]
