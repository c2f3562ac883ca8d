"""MVP-Bench's pairs from photographs to a release: without a model, and with scripted ones and tiny neural editors."""

from __future__ import annotations

import json
import re
import runpy
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from chat_server import ChatServer
from conftest import ROOT
from doc_pages import COMMANDS
from PIL import Image
from sane_answerer import SaneAnswerer
from tiny_diffusion import make_pipeline
from walks import executions, run_json, tree_digest

from benchwright.construction.manipulation.ideas.step import Ideas
from benchwright.construction.manipulation.manipulate import Manipulate
from benchwright.construction.manipulation.pair_items import PairItems
from benchwright.exports.freezing.step import Freeze
from benchwright.filters.items.second_answers import SecondAnswers
from benchwright.filters.pairs.answer_flip import AnswerFlip
from benchwright.filters.pairs.best_candidate import BestCandidate
from benchwright.filters.pairs.pair_gates import PairGates
from benchwright.pipeline import run_steps
from benchwright.records import Item
from benchwright.release import Release
from benchwright.terminal.output import JsonOption
from benchwright.workspace.run_results import FinishedRun

SHOWN = (
    "astronaut.png",
    "coffee.png",
    "chelsea.png",
    "flower.jpg",
    "camera.png",
    "china.jpg",
    "rocket.jpg",
    "hubble_deep_field.jpg",
    "moon.png",
)
THIRTEEN = {"B1", "B2", "B3", "B4", "R1", "R2", "R3", "I1", "I2", "E1", "E2", "S1", "S2"}


class Walked(NamedTuple):
    """A recipe that ran: what it said, and what it released."""

    document: dict[str, Any]
    recipe: Path
    images: Path
    workspace: Path
    items: list[Item]

    @property
    def release(self) -> Path:
        [found] = (self.workspace / "releases").iterdir()
        return found


def by_pair(items: list[Item]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for item in items:
        found.setdefault(item.evidence["pair"], []).append(item)
    return found


def text(item: Item, key: str | None) -> str | None:
    return next((choice.text for choice in item.choices if choice.key == key), None)


def assert_keys_are_opposite(items: list[Item]) -> None:
    for of_pair in by_pair(items).values():
        said: dict[str, dict[str, str | None]] = {}
        for item in of_pair:
            if item.kind == "yes_no":
                said.setdefault(item.question, {})[item.images[0].role] = text(item, item.answer)
        assert said
        assert all(sorted(map(str, keys.values())) == ["No", "Yes"] for keys in said.values())


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Walked:
    """The bundled recipe over some of its photographs, with simulated people in place of people."""
    folder = tmp_path_factory.mktemp("mvp-bench")
    runpy.run_path(str(ROOT / "examples" / "pairs" / "photographs.py"))["copy_photographs"](folder / "all")
    (folder / "photographs").mkdir()
    for name in SHOWN:
        (folder / "all" / name).rename(folder / "photographs" / name)
    bundled = (ROOT / "benchwright" / "recipes" / "mvp-bench.yaml").read_text(encoding="utf-8")
    recipe = bundled.replace("mvp-bench.facts.yaml", str(ROOT / "benchwright" / "recipes" / "mvp-bench.facts.yaml"))
    recipe = recipe.replace("candidates: 2", "max_side_px: 256").replace(
        "rule: unanimous(2)", "rule: unanimous(2)\n    simulate: {annotators: 3, error_rate: 0.05}"
    )
    (folder / "recipe.yaml").write_text(f"{recipe}shards: 2\n", encoding="utf-8")
    document = run_json("run", folder / "recipe.yaml", "--images", folder / "photographs", "--workspace", folder / "w")
    [release] = (folder / "w" / "releases").iterdir()
    items = [one.item for one in Release.open(release).items()]
    return Walked(document, folder / "recipe.yaml", folder / "photographs", folder / "w", items)


def test_photographs_give_pairs_without_a_model_of_which_at_most_a_fifth_are_effects(walked: Walked) -> None:
    assert walked.document["state"] == "done"
    pairs = by_pair(walked.items)
    assert len(pairs) >= 6
    assert {items[0].category for items in pairs.values()} == {"B4", "I1", "S1", "S2"}
    effects = [items for items in pairs.values() if items[0].evidence["way"] == "direct"]
    assert 0 < len(effects) <= len(pairs) / 5
    assert {item.level for items in effects for item in items} == {"low"}
    dropped = {row["reason"] for row in outcomes(walked, "best_candidate") if row["verdict"] == "drop"}
    assert "too_many_direct" in dropped


def test_what_is_missing_of_the_papers_categories_is_named(walked: Walked) -> None:
    found = run_json("release", "statistics", walked.release)["pairs"]
    assert found["gaps"] == {
        "categories": ["B1", "B2", "B3", "R1", "R2", "R3", "I2", "E1", "E2"],
        "aspects": ["Role", "Identity", "Emotion"],
    }
    assert found["whole_picture"]["value"] <= 0.2


def test_released_keys_are_opposite_and_the_natural_answer_is_a_distractor(walked: Walked) -> None:
    assert_keys_are_opposite(walked.items)
    ideas = {row["record_id"]: row["planned"] for row in outcomes(walked, "ideas")}
    for item in walked.items:
        if item.task == "pair_single_image":
            planned = next(one for one in json.loads(ideas[item.made_from]) if one["idea_id"] == item.evidence["idea"])
            wrong = {choice.text for choice in item.choices if choice.key != item.answer}
            assert planned["high"]["natural"].lower() in {str(text).lower() for text in wrong}
            assert len(item.choices) == 5


def outcomes(walked: Walked, stage: str) -> Iterator[dict[str, Any]]:
    return FinishedRun(workspace=walked.workspace, state="done", steps=()).outcomes(stage)


def test_table_one_counts_agreement_by_type_of_question(walked: Walked) -> None:
    table = run_json("review", "kept", "--workspace", walked.workspace)
    rows = {row["type"]: row for row in table["types"]}
    assert set(rows) == {"pair_yes_no", "pair_single_image", "pair_cross_image"}
    assert table["rule"] == "unanimous(2)"
    whole = [row["record_id"] for row in outcomes(walked, "whole_pairs")]
    assert sum(row["kept"] for row in rows.values()) == len(whole) >= len(walked.items)
    for row in rows.values():
        assert row["decided"] == row["total"] >= row["kept"] > 0
        assert 0.7 < row["percent"] <= 1
    assert table["overall"]["total"] == sum(row["total"] for row in rows.values())


def test_statistics_of_the_release_have_the_documented_fields_and_add_up(walked: Walked, tmp_path: Path) -> None:
    found = run_json("release", "statistics", walked.release, "--plot", tmp_path / "figure.svg")["pairs"]
    assert sum(one["items"] for one in found["types"]) == found["items"] == len(walked.items)
    assert sum(one["pairs"] for one in found["categories"]) == found["pairs"] == len(by_pair(walked.items))
    assert found["images_with_both_levels"]["value"] > 0.5
    assert found["words"]["natural"]["nouns"][0]["captions"] >= 2
    assert (tmp_path / "figure.svg").read_text(encoding="utf-8").startswith("<svg ")
    [document] = [one.document for one in COMMANDS["release statistics"].params if isinstance(one, JsonOption)]
    documented = set(re.findall(r'"(\w+)"', document.partition("pairs `{")[2]))

    def names(value: Any) -> set[str]:
        if isinstance(value, list):
            return set().union(*map(names, value))
        if not isinstance(value, dict):
            return set()
        return set(value).union(*map(names, value.values()))

    assert names({**found, "editors": {}}) == documented


@pytest.mark.parametrize("task", ["pair_yes_no", "pair_single_image", "pair_cross_image"])
def test_an_items_history_goes_from_the_source_file_to_the_release(walked: Walked, task: str) -> None:
    item = next(item for item in walked.items if item.task == task and item.category == "S1")
    chain = run_json("trace", item.item_id, "--workspace", walked.workspace)["chain"]
    kinds = [link["what"] for link in chain]
    for link in ("file", "source image", "made image", "item made", "released"):
        assert link in kinds
    assert {"ideas", "manipulate", "pair_gates.judge", "verify"} <= {str(link.get("step")) for link in chain}


@pytest.mark.workers
def test_running_again_runs_nothing_and_another_number_of_workers_changes_no_byte(
    walked: Walked, tmp_path: Path
) -> None:
    before = executions(walked.workspace)
    run_json("run", walked.recipe, "--images", walked.images, "--workspace", walked.workspace)
    assert executions(walked.workspace) == before
    alone = tmp_path / "alone"
    run_json("run", walked.recipe, "--images", walked.images, "--workspace", alone, "--workers", "1")
    assert tree_digest(alone) == tree_digest(walked.workspace)


def test_the_contact_sheet_shows_every_pair(walked: Walked, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = runpy.run_path(str(ROOT / "examples" / "pairs" / "contact_sheet.py"))
    shown = script["pairs_of"](walked.release)
    assert 0 < len(shown) <= len(by_pair(walked.items))
    script["main"](str(walked.release), str(tmp_path / "pairs.jpg"))
    with Image.open(tmp_path / "pairs.jpg") as page:
        assert page.width == 1314
    assert f"{len(shown)} pairs" in capsys.readouterr().out


class Modelled(NamedTuple):
    """A run with models, and what they were asked."""

    done: FinishedRun
    workspace: Path
    model: SaneAnswerer
    server: ChatServer


@pytest.fixture(scope="module")
def modelled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Modelled]:
    """One photograph through scripted models that are sane and diffusion models that are tiny."""
    pytest.importorskip("diffusers")
    folder = tmp_path_factory.mktemp("models")
    server = ChatServer()
    model = SaneAnswerer()
    server.behave = lambda words, attempt, handler: model.look(server.bodies[-1])
    (folder / "photographs").mkdir()
    pixels = np.random.default_rng(5).integers(0, 256, (96, 128, 3)).astype(np.uint8)
    Image.fromarray(pixels).save(folder / "photographs" / "woman.png")
    done = run_steps(steps(folder, server), images=folder / "photographs", workspace=folder / "w", workers=1, seed=2)
    yield Modelled(done, folder / "w", model, server)
    server.close()


def steps(folder: Path, server: ChatServer) -> list[Any]:
    chat = {"model": "sane", "base_url": server.url}
    settings: list[tuple[Any, dict[str, Any]]] = [
        (Ideas, {"grounder": {"backend": "endpoint", "chat": chat}, "writer": {"backend": "endpoint", "chat": chat}, "concurrency": 1}),
        (Manipulate, {
            "backend": "diffusion", "candidates": 2, "masks": {"by": "rectangle", "subject_margin": 1.0},
            "inpaint": {"weights": str(make_pipeline("sd_inpaint", folder / "inpaint")), "steps": 2, "side_px": 64},
            "instruct": {"weights": str(make_pipeline("instruct_pix2pix", folder / "instruct")), "steps": 2, "side_px": 64},
            "edges": {"min_window_px": 64}, "hardware": {"device": "cpu"},
        }),
        (PairItems, {"writer": "endpoint", "chat": chat, "cross_image": "both"}),
        (PairGates, {"max_shift_px": None}),
        (AnswerFlip, {"chat": chat, "concurrency": 1}),
        (SecondAnswers, {"chat": chat, "concurrency": 1}),
        (BestCandidate, {}),
        (Freeze, {"name": "pairs", "version": "1.0"}),
    ]  # fmt: skip
    return [step.model_validate(given) for step, given in settings]


def released(modelled: Modelled) -> list[Item]:
    return [one.item for one in Release.open(modelled.workspace / modelled.done.artifacts["release"]).items()]


def test_thirteen_categories_have_complete_pairs_and_questions(modelled: Modelled) -> None:
    pairs = by_pair(released(modelled))
    assert {items[0].category for items in pairs.values()} == THIRTEEN
    assert len(pairs) == 13
    for items in pairs.values():
        kinds = Counter((item.task, item.level) for item in items)
        assert kinds == {
            ("pair_yes_no", "low"): 2, ("pair_yes_no", "high"): 2, ("pair_single_image", "high"): 1,
            ("pair_cross_image", "low"): 2, ("pair_cross_image", "high"): 2,
        }  # fmt: skip
    assert_keys_are_opposite([item for items in pairs.values() for item in items])


def test_thirteen_distinct_prompts_were_asked(modelled: Modelled) -> None:
    assert set(modelled.model.prompts) == THIRTEEN
    assert len(set(modelled.model.prompts.values())) == 13


def test_each_pair_says_which_editor_really_ran(modelled: Modelled) -> None:
    editors = {item.category: item.evidence["editor"] for item in released(modelled)}
    assert {category for category, editor in editors.items() if editor == "instruct_pix2pix"} == {"E2", "S2"}
    assert {editor for category, editor in editors.items() if category not in {"E2", "S2"}} == {"sd_inpaint"}
    for item in released(modelled):
        assert re.search(r'"weights": "[0-9a-f]{64}"', json.dumps(item.evidence["made_with"]))


def test_of_two_candidates_one_is_kept_and_the_other_is_recorded(modelled: Modelled) -> None:
    rows = list(modelled.done.outcomes("best_candidate"))
    dropped = [row for row in rows if row["verdict"] == "drop"]
    assert {row["reason"] for row in dropped} == {"better_candidate"}
    assert len(dropped) == len(rows) / 2 == 13 * 9


def test_the_models_were_asked_about_both_pictures_and_about_every_option(modelled: Modelled) -> None:
    flips = [row for row in modelled.done.outcomes("answer_flip.answers") if row["yes_on"]]
    assert {(row["yes_on"], row["natural"], row["manipulated"]) for row in flips} == {
        ("natural", "yes", "no"), ("manipulated", "no", "yes"),
    }  # fmt: skip
    assert {row["control_natural"] == row["control_manipulated"] for row in flips} == {True}
    singles = {item.item_id for item in released(modelled) if item.task == "pair_single_image"}
    asked = [row for row in modelled.done.outcomes("second_answers.answers") if row["record_id"] in singles]
    assert len(asked) == 13
    assert {row["key_said"] for row in asked} == {"yes"}
    assert {tuple(row["also_right"]) for row in asked} == {()}


def test_the_papers_metrics_come_out_and_who_always_says_yes_gets_half_the_answers_and_no_question(
    modelled: Modelled, tmp_path: Path
) -> None:
    release = modelled.workspace / modelled.done.artifacts["release"]
    found = run_json("evaluate", "run", release, "--model", "constant:A", "--protocol", "mvp-bench", "--out", tmp_path)
    values = {name: one["value"] for name, one in found["metrics"].items()}
    assert values["mvp_bench/aAcc"] == values["mvp_bench/aAcc/low"] == values["mvp_bench/aAcc/high"] == 0.5
    assert values["mvp_bench/qAcc"] == values["mvp_bench/mAcc"] == 0
    assert {name.rpartition("/")[2] for name in values if name.startswith("mvp_bench/pAcc/")} == THIRTEEN
    assert found["metrics"]["mvp_bench/cross_image/vanilla"]["n"] == 4 * 13
    assert found["metrics"]["mvp_bench/single_image/vanilla"]["n"] == 13


def test_questions_that_a_model_wrote_say_so(modelled: Modelled) -> None:
    writers = {item.task: item.written_by["question"] for item in released(modelled)}
    assert writers == {
        "pair_yes_no": "model:sane", "pair_single_image": "model:sane", "pair_cross_image": "template",
    }  # fmt: skip
