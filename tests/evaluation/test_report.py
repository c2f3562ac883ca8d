"""The report states the same as the scores and the release.

- The table has the summary's numbers, dashes where a model was not asked, stars on the best figures.
- The head names release, license, canary, simulated annotators and annotators' agreement.
- Every item is present with its pictures once, its key, its marks as layers, and the outcome of each reply.
- The page fetches nothing, runs one script, and has the same bytes every time.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from report_page import ReportPage

from benchwright.evaluation.report.writing import write_report
from benchwright.evaluation.results.score import Figure, read_scores
from benchwright.evaluation.results.summary import endings_taken
from benchwright.evaluation.run import evaluate
from benchwright.release import Release

pytestmark = pytest.mark.slow

RATHER_WHITE = np.full((90, 140, 3), 230, dtype=np.uint8)


@pytest.fixture
def release(bench: Any, tmp_path: Path) -> Release:
    """Five items of three tasks in two splits; one picture is shown by two items, one has a mark."""
    bench.add("Which <image 1>?", pictures=[RATHER_WHITE], answer="B", marks={0: [("A", (50.0, 40.0))]})
    bench.add("Which again?", pictures=[RATHER_WHITE], answer="A", split="val")
    bench.add(
        "Which piece?", task="pieces", pictures=[RATHER_WHITE // 2, RATHER_WHITE // 3], options=[1, "none"], answer="A"
    )
    bench.add("Who is it?", task="who", options=("Ann", "Bob", "not in the picture"), answer=None, refusal="C")
    bench.add("Who else?", task="who", options=("Ann", "Bob"), answer="B")
    return bench.release(
        tmp_path / "release",
        licence="CC0-1.0",
        agreement={"verify": {"simulated": True, "rule": "unanimous(2)", "kept": 5, "agreement": {"percent": 0.75}}},
    )


@pytest.fixture
def results(release: Release, bench: Any, predictions_file: Callable[..., Path], tmp_path: Path) -> Path:
    """Results of two baselines, and of a model with a reply of every kind."""
    out = tmp_path / "results"
    for model in ("constant:A", "constant:B"):
        evaluate(release, model, out=out)
    replies = ["(B)", "It could be A or B.", "A", "I cannot help with that.", ""]
    rows = [{"item_id": item.item_id, "reply": reply} for (item, _), reply in zip(bench.items, replies, strict=True)]
    evaluate(release, f"predictions:{predictions_file(rows, 'odd.jsonl')}", out=out)
    return out


def page_of(results: Path, release: Release, **settings: Any) -> ReportPage:
    return ReportPage(write_report(results, release, **settings).path)


def test_the_table_has_the_numbers_of_the_scores(results: Path, release: Release) -> None:
    head, *rows = page_of(results, release).rows()
    assert [re.sub(r" n = .*", "", cell) for cell in head[:6]] == [
        "model",
        "rank",
        "all asked",
        "naming",
        "pieces",
        "who",
    ]
    assert head[2].endswith("n = 5")
    for score, row in zip(read_scores(results), rows, strict=False):
        assert row[0] == score.model
        for cell, name in zip(row[2:6], ("accuracy", *(f"accuracy/{task}" for task in score.tasks)), strict=True):
            figure = score.metrics[name]
            assert figure.value is not None
            assert figure.ci is not None
            assert re.sub("★", "", cell).split() == [
                f"{figure.value:.2f}",
                f"[{figure.ci[0]:.2f},",
                f"{figure.ci[1]:.2f}]",
            ]
        taken = endings_taken(read_scores(results))
        assert taken == ["answered", "miss", "refused"]
        assert row[6:] == [str(score.ended[name]) for name in taken]
    assert rows[-1][0] == "chance"
    assert rows[-1][2] == "0.40"
    text = (results / "report.html").read_text(encoding="utf-8")
    assert "No item ended in these ways, which have no column: filtered, cut off, empty, tool calls, errors." in text


def test_stars_stand_at_the_best_of_each_column_but_not_where_all_are_equal(results: Path, release: Release) -> None:
    rows = page_of(results, release).rows()[1:4]
    assert [["★" in cell for cell in row[2:6]] for row in rows] == [
        [False, False, True, False],
        [False, False, False, True],
        [False, False, True, False],
    ]


def test_models_that_are_not_told_apart_share_a_rank_and_others_do_not(bench: Any, tmp_path: Path) -> None:
    for number in range(40):
        bench.add(f"q{number}", answer="A" if number == 0 else "B")
    release = bench.release(tmp_path / "r")
    for model in ("constant:A", "constant:B", "constant:C"):
        evaluate(release, model, out=tmp_path / "out")
    page = page_of(tmp_path / "out", release)
    assert [row[:2] for row in page.rows()[1:4]] == [
        ["constant:B", "1 a"],
        ["constant:A", "2–3 b"],
        ["constant:C", "2–3 b"],
    ]


def test_the_page_says_how_its_intervals_were_made(bench: Any, tmp_path: Path) -> None:
    for number in range(60):
        bench.add(
            f"q{number}",
            answer="AB"[number % 2],
            task="naming" if number < 50 else "counting",
            group_keys=(f"image:{number // 2 if number < 50 else number}",),
        )
    release = bench.release(tmp_path / "r")
    evaluate(release, "constant:A", out=tmp_path / "out")
    page = page_of(tmp_path / "out", release)
    titles = [e.attributes.get("title", "") for e in page.all("small") if "interval" in e.attributes.get("title", "")]
    # All items, then those of "counting", which are single, then those of "naming".
    assert ["with the effective number" in title for title in titles] == [True, False, True]
    [footer] = page.all("footer")
    assert "with the effective number" in footer.text
    assert "Bonett" not in footer.text


def test_a_task_that_a_model_cannot_take_has_a_dash_and_its_own_n_stands_in_the_cell(
    bench: Any, tmp_path: Path
) -> None:
    wide = np.arange(40 * 60 * 3, dtype=np.uint8).reshape(40, 60, 3)
    bench.add(task="jigsaw", pictures=[wide, wide[:20, :30], wide[20:, 30:]], options=[1, 2], answer="A")
    bench.add(task="naming")
    release = bench.release(tmp_path / "r")
    for model in ("edge_continuity", "random"):
        evaluate(release, model, out=tmp_path / "out")
    rows = page_of(tmp_path / "out", release).rows()
    assert [row[0] for row in rows[1:3]] == ["random", "edge_continuity"]  # who was asked less stands last
    assert rows[2][2].endswith("n = 1")
    assert rows[2][4] == "–"
    assert [row[1] for row in rows[1:3]] == ["–", "–"]  # one item lets no rank be told
    assert "★" not in "".join(rows[2])  # nobody else was asked as much as the other model


def test_the_head_names_release_licence_canary_and_simulated_annotators(results: Path, release: Release) -> None:
    page = page_of(results, release)
    [h1] = page.all("h1")
    assert h1.text == "by-hand 1.0"
    [header] = page.all("header")
    for text in (
        release.release_id,
        release.content_id,
        release.canary,
        "CC0-1.0",
        "test (4), val (1)",
        "vanilla",
        "Simulated annotators.",
        "rule unanimous(2)",
        "75% of pairs of answers agree",
        "This page holds answers; do not publish it where models train.",
    ):
        assert text in header.text


def test_where_people_vetted_the_items_no_warning_stands(bench: Any, tmp_path: Path) -> None:
    bench.add()
    release = bench.release(tmp_path / "r", agreement={"verify": {"simulated": False, "kept": 1}})
    evaluate(release, "random", out=tmp_path / "out")
    assert "imulated" not in page_of(tmp_path / "out", release).source.partition("<main>")[0].partition("</style>")[2]


def test_cards_say_what_became_of_each_reply(results: Path, release: Release, bench: Any) -> None:
    page = page_of(results, release)
    assert page.json("settings")["models"][2].startswith("predictions:odd")
    cards = {card["id"]: card for card in page.json("cards")}
    became = [cards[item.item_id]["replies"][2]["outcome"] for item, _ in bench.items]
    assert became == ["right", "miss", "right", "refusal", "miss"]
    assert [cards[item.item_id]["split"] for item, _ in bench.items] == ["test", "val", "test", "test", "test"]
    card = cards[bench.items[3][0].item_id]
    assert [option["right"] for option in card["options"]] == [False, False, True]
    assert card["unanswerable"]
    assert cards[bench.items[2][0].item_id]["options"][0]["picture"] == 1
    assert cards[bench.items[0][0].item_id]["question"] == ["Which ", 1, "?"]


def test_every_picture_is_in_the_page_once_and_marks_are_layers_of_their_own(
    results: Path, release: Release, bench: Any
) -> None:
    page = page_of(results, release)
    cards = {card["id"]: card for card in page.json("cards")}
    first, second = (cards[item.item_id]["pictures"][0] for item, _ in bench.items[:2])
    assert first["picture"] == second["picture"]
    assert first["marks"] is not None
    assert second["marks"] is None
    uris = [e.attributes["href"] for e in page.all("image")] + [uri for uri in page.json("pictures") if uri]
    assert len(uris) == len(set(uris)) == 6
    assert page.source.count("data:image/") - page.source.count("data:image/svg") == 6
    kinds = {uri.split(";")[0] for uri in uris if uri}
    assert kinds == {"data:image/webp", "data:image/png"}


def test_without_script_the_first_items_stand_in_the_page(bench: Any, tmp_path: Path) -> None:
    for number in range(30):
        bench.add(f"Question number {number}?")
    release = bench.release(tmp_path / "r")
    evaluate(release, "random", out=tmp_path / "out")
    page = page_of(tmp_path / "out", release)
    assert len(page.json("cards")) == 30
    assert len(list(page.all("li", class_="card"))) == 24
    assert sum(uri is None for uri in page.json("pictures")) == len(list(page.all("image"))) == 24
    [note] = page.all("p", id="degraded")
    assert note.text == "Without JavaScript this page shows the first 24 of its 30 items, without filters."


def test_of_too_many_items_a_sample_is_shown_and_said(bench: Any, tmp_path: Path) -> None:
    for number in range(30):
        bench.add(f"Question {number}?", task="naming" if number % 5 else "rare")
    release = bench.release(tmp_path / "r")
    evaluate(release, "random", out=tmp_path / "out")
    page = page_of(tmp_path / "out", release, max_items=10)
    tasks = [card["task"] for card in page.json("cards")]
    assert (tasks.count("naming"), tasks.count("rare")) == (8, 2)
    assert "10 of 30 items: a sample" in " ".join(page.source.split())
    assert page.rows()[1][2].startswith("0.")  # the scores stay those of all items
    assert "n = 30" in page.rows()[0][2]


def test_a_page_stays_near_five_megabytes_unless_another_number_of_items_is_wanted(bench: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for number in range(60):
        grain = rng.integers(0, 256, (384, 384, 3), dtype=np.uint8)  # more than 80 kB as WebP
        bench.add(f"q{number}", task=f"task_{number % 3}", pictures=[grain])
    release = bench.release(tmp_path / "release")
    evaluate(release, "random", out=tmp_path / "out")
    page = write_report(tmp_path / "out", release)
    assert 24 <= page.shown < 60
    assert 4e6 < page.size_bytes < 6e6
    assert write_report(tmp_path / "out", release, max_items=60).shown == 60


def test_no_items_are_shown_if_none_are_wanted(results: Path, release: Release) -> None:
    page = page_of(results, release, max_items=0)
    assert page.json("cards") == page.json("pictures") == []
    assert not list(page.all("section", id="items"))


def test_the_page_can_fetch_nothing_and_runs_one_script(results: Path, release: Release) -> None:
    page = page_of(results, release)
    [policy] = page.all("meta", **{"http-equiv": "Content-Security-Policy"})
    scripts = [e for e in page.all("script") if "type" not in e.attributes]
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256("".join(scripts[0].texts).encode()).digest()).decode()
    directives = dict(part.strip().split(" ", 1) for part in (policy.attributes["content"] or "").split(";"))
    assert directives["default-src"] == "'none'"
    assert directives["img-src"] == "data:"
    assert directives["script-src"] == f"'sha256-{digest}'"
    for element in page.elements:
        assert not [name for name in element.attributes if name.startswith("on")]
        for name in ("src", "href", "xlink:href", "action"):
            assert re.match(r"#|data:image/|$", element.attributes.get(name) or "")
    assert not list(page.all("link"))
    assert not re.search(r"@import|url\((?!#)", page.source)


def test_charts_have_names_colours_of_the_theme_and_ids_of_their_own(results: Path, release: Release) -> None:
    page = page_of(results, release)
    charts = [e for e in page.all("svg", role="img") if "class" not in e.attributes]
    assert [chart.attributes["aria-label"] for chart in charts] == [
        "Accuracy by task",
        "Profile over tasks",
        "Outcomes of the questions",
        "What models know, and know that they do not know",
        "Difficulty of the items",
    ]
    ids = [e.attributes["id"] for e in page.elements if "id" in e.attributes]
    assert len(ids) == len(set(ids))
    drawn = page.source.partition('id="plots"')[2].partition('id="items"')[0]
    assert "var(--ink)" in drawn
    assert not re.search(r"<metadata|<style", drawn)
    for reference in re.findall(r"url\(#([^)]*)\)", page.source):
        assert reference in ids


def test_every_chart_has_its_numbers_beside_it_and_can_be_saved(results: Path, release: Release) -> None:
    page = page_of(results, release)
    figures = page.source.split('<figure class="chart" id="plot-')[1:]
    assert len(figures) == 5
    accuracy = figures[0]
    for score in read_scores(results):
        figure = score.metrics["accuracy"]
        assert figure.ci is not None
        assert f"<td>{figure.value:.2f} [{figure.ci[0]:.2f}, {figure.ci[1]:.2f}]</td>" in accuracy
    for figure_source in figures:
        assert "<summary>Numbers</summary>" in figure_source
        [data] = re.findall(r'download="[a-z]+\.svg" href="data:image/svg\+xml;base64,([^"]*)"', figure_source)
        root = ElementTree.fromstring(base64.b64decode(data))
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert not any("var(" in value for element in root.iter() for value in element.attrib.values())


def test_a_profile_needs_three_tasks(bench: Any, tmp_path: Path) -> None:
    bench.add(task="one")
    bench.add(task="two")
    release = bench.release(tmp_path / "r")
    evaluate(release, "random", out=tmp_path / "out")
    assert "plot-profile" not in page_of(tmp_path / "out", release).source


def test_people_stand_beside_the_models(results: Path, release: Release, bench: Any, tmp_path: Path) -> None:
    """Two of three were right on the first item, none of one on the second: (2/3 + 0) / 2 for the task."""
    items = {
        bench.items[0][0].item_id: {"asked": 3, "right": 2},
        bench.items[1][0].item_id: {"asked": 1, "right": 0},
    }
    answers = {"simulated": False, "annotators": 4, "answers_per_item": 3, "items": items}
    noise = {**answers, "simulated": True}
    asked_release = bench.release(tmp_path / "asked", human_baseline={"people": answers, "pretended": noise})
    for model in ("random", "constant:A"):
        evaluate(asked_release, model, out=tmp_path / "asked-out")
    page = page_of(tmp_path / "asked-out", asked_release)
    [people] = [row for row in page.rows() if row[0] == "human: people"]
    assert [cell.split(" ")[0] for cell in people[2:6]] == ["0.33", "0.33", "–", "–"]
    cards = {card["id"]: card["people"] for card in page.json("cards")}
    assert cards[bench.items[0][0].item_id] == {"asked": 3, "right": 2}
    assert cards[bench.items[2][0].item_id] is None
    assert "people: 4 people without the key, up to 3 per item, on 2 of the items" in page.source


def test_simulated_people_are_called_so(bench: Any, tmp_path: Path) -> None:
    item = bench.add()
    answers = {
        "simulated": True,
        "annotators": 2,
        "answers_per_item": 2,
        "items": {item.item_id: {"asked": 2, "right": 1}},
    }
    release = bench.release(tmp_path / "r", human_baseline={"people": answers})
    evaluate(release, "random", out=tmp_path / "out")
    page = page_of(tmp_path / "out", release)
    assert "Simulated people." in page.source
    assert "human (simulated)" in [row[0] for row in page.rows()]


def test_many_models_get_a_panel_each(bench: Any, predictions_file: Callable[..., Path], tmp_path: Path) -> None:
    for task in ("one", "two", "three"):
        bench.add(task=task)
    release = bench.release(tmp_path / "r")
    for number in range(9):
        rows = [{"item_id": item.item_id, "answer": "ABC"[number % 3]} for item, _ in bench.items]
        evaluate(release, f"predictions:{predictions_file(rows, f'm{number}.jsonl')}", out=tmp_path / "out")
    page = page_of(tmp_path / "out", release)
    accuracy = page.source.partition('id="plot-accuracy"')[2].partition("</figure>")[0]
    assert sum(f"predictions:m{number}" in accuracy for number in range(9)) == 9
    assert "One panel for each model." in accuracy


def test_equal_results_give_equal_bytes_whatever_the_hash_seed(results: Path, release: Release, tmp_path: Path) -> None:
    first_page = write_report(results, release, out=tmp_path / "here.html").path
    code = "import sys; from benchwright.cli.main import invoke; sys.exit(invoke(sys.argv[1:]))"
    for seed in ("1", "77"):
        page = tmp_path / f"there-{seed}.html"
        words = ["evaluate", "report", str(results), "--release", str(release.path), "--out", str(page), "--json"]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": "Asia/Tokyo"}
        subprocess.run([sys.executable, "-c", code, *words], check=True, env=environment, capture_output=True)
        assert page.read_bytes() == first_page.read_bytes()


def test_figures_without_a_value_are_dashes() -> None:
    from benchwright.evaluation.report.content.score_table import _figure

    assert _figure({"accuracy/x": Figure(value=None, ci=None, n=0)}, "accuracy/x") is None
