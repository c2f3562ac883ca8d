"""The papers' printed cells can be recomputed from the papers' own files.

Facts held here: every cell of MVP-Bench and BLINK that `expected.json` lists, with its numerator and denominator;
every prompt that II-Bench actually sent; and equal results from plain and gzipped files.
"""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from benchwright.cli.main import invoke
from benchwright.evaluation.published.benchmarks import Benchmark, recount

pytestmark = pytest.mark.slow

MVP_MODELS = ("llava_v1.5_7b", "deepseek_vl_7b", "MiniGPT-4-v1-7B", "GPT4o")
BLINK_MODELS = ("GPT4V", "GeminiProVision", "llava_v1.5_13b")


def cells(benchmark: Benchmark, data: Path, model: str, **settings: Any) -> dict[str, dict[str, float]]:
    counted: dict[str, dict[str, float]] = recount(benchmark, data, model, **settings).document()["cells"]
    return counted


def expected(data: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((data / "expected.json").read_text(encoding="utf-8"))
    return document


@pytest.mark.parametrize("model", MVP_MODELS)
def test_every_reproducible_cell_of_mvp_bench_comes_out(published_data: Path, model: str) -> None:
    data = published_data / "mvp_bench"
    wanted, recounted = expected(data)["models"][model], cells("mvp-bench", data, model)
    assert len(wanted) >= 30
    counted = {name: (recounted[name]["numerator"], recounted[name]["denominator"]) for name in wanted}
    assert counted == {name: (cell["num"], cell["den"]) for name, cell in wanted.items()}
    far = {
        name: recounted[name]["value"]
        for name, cell in wanted.items()
        if abs(recounted[name]["value"] - cell["paper"]) > 0.011
    }
    assert far == {}


@pytest.mark.parametrize(
    ("model", "settings", "changed"),
    [
        pytest.param("GPT4o", {"reading": "judge"}, {"aAcc_Ll", "aAcc_Lm", "aAcc_N", "iAcc_N", "iAcc_NM", "aAcc_S_low"}, id="a judged answer"),
        pytest.param(
            "deepseek_vl_7b", {"reading": "judge"},
            {"qAcc_Lh", "qAcc_Lm", "aAcc_Lh", "aAcc_Lm", "mAcc", "iAcc_N", "iAcc_NM", "aAcc_N", "aAcc_S_high", "pAcc_I2"},
            id="an answer read by hand",
        ),
        pytest.param("MiniGPT-4-v1-7B", {"vanilla": "one-pass"}, {"CI_vanilla_Ll", "CI_vanilla_Lh", "SI_vanilla"}, id="the first rotation"),
    ],
)  # fmt: skip
def test_without_the_papers_departure_exactly_these_cells_miss(
    published_data: Path, model: str, settings: dict[str, Any], changed: set[str]
) -> None:
    data = published_data / "mvp_bench"
    wanted, counted = expected(data)["models"][model], cells("mvp-bench", data, model, **settings)
    assert {name for name, cell in wanted.items() if abs(counted[name]["value"] - cell["paper"]) > 0.011} == changed


def test_an_answer_read_by_hand_is_an_option(published_data: Path) -> None:
    data = published_data / "mvp_bench"
    by_hand = cells("mvp-bench", data, "deepseek_vl_7b", reading="rule", by_hand={"1718": "no"})
    published = cells("mvp-bench", data, "deepseek_vl_7b")
    assert [name for name in published if not name.startswith("pAcc") and by_hand[name] != published[name]] == []


@pytest.mark.parametrize("model", BLINK_MODELS)
def test_every_cell_of_blink_comes_out(published_data: Path, model: str) -> None:
    data = published_data / "blink"
    wanted, recounted = expected(data)["models"][model], cells("blink", data, model)
    assert recounted["val_total"]["value"] == pytest.approx(wanted["val_total"]["paper"], abs=0.006)
    counted = {
        name: (cell["numerator"], cell["denominator"]) for name, cell in recounted.items() if name != "val_total"
    }
    assert counted == {f"val/{task}": (cell["num"], cell["den"]) for task, cell in wanted["val_tasks"].items()}


@pytest.mark.parametrize(("model", "settled"), [("GPT4V", 2725), ("GeminiProVision", 3369), ("llava_v1.5_13b", 1146)])
def test_the_rule_settles_as_many_rows_of_blink_as_the_repository_and_reads_them_alike(
    published_data: Path, model: str, settled: int
) -> None:
    from benchwright.evaluation.published.blink import read_choice, read_outputs

    rows = list(read_outputs(published_data / "blink", model, ("val", "test")))
    read = [(read_choice(row, "rule"), row.choice) for row in rows]
    assert len(rows) == 3807
    assert sum(choice is not None for choice, _ in read) == settled
    assert [pair for pair in read if pair[0] not in {None, pair[1]}] == []


def test_the_stored_choices_of_blink_can_be_counted_where_there_are_no_outputs(
    published_data: Path, tmp_path: Path
) -> None:
    for name in ("val_answers.json", "saved_val_predictions"):
        source = published_data / "blink" / name
        copy = shutil.copytree if source.is_dir() else shutil.copyfile
        copy(source, tmp_path / name)
    assert cells("blink", tmp_path, "GPT4V")["val_total"]["value"] == pytest.approx(51.09, abs=0.006)
    assert cells("blink", tmp_path, "GeminiProVision")["val_total"]["value"] == pytest.approx(45.16, abs=0.006)


def test_every_prompt_that_ii_bench_sent_is_rendered_to_the_byte(published_data: Path) -> None:
    recounted = recount("ii-bench", published_data / "ii_bench", "yi-vl-6b-chat")
    matches = {
        name: (share.part, share.of) for name, share in recounted.cells.items() if name.startswith("prompt_match")
    }
    assert matches == {f"prompt_match/{mode}": (250, 250) for mode in ("none", "cot", "domain", "emotion", "rhetoric")}
    assert recounted.prompts["domain"].as_now == 245
    other_labels = recounted.prompts["domain"].other_labels
    assert {labels: len(ids) for labels, ids in other_labels.items()} == {("Politics", "Others"): 5}
    assert recounted.unmatched_prompts == 0


def test_misses_and_errors_of_ii_bench_are_counted_of_all_questions(published_data: Path) -> None:
    counted = cells("ii-bench", published_data / "ii_bench", "yi-vl-6b-chat")
    rates = {name: cell for name, cell in counted.items() if not name.startswith("prompt_match")}
    assert set(rates) == {
        f"{rate}/{mode}" for rate in ("miss", "error") for mode in ("none", "cot", "domain", "emotion", "rhetoric")
    }
    assert {(cell["numerator"], cell["denominator"]) for cell in rates.values()} == {(0, 250)}


@pytest.mark.parametrize(
    ("benchmark", "folder", "model"),
    [
        ("mvp-bench", "mvp_bench", "llava_v1.5_7b"),
        ("blink", "blink", "GPT4V"),
        ("ii-bench", "ii_bench", "yi-vl-6b-chat"),
    ],
)
def test_plain_files_give_the_cells_of_gzipped_ones_also_under_another_name(
    published_data: Path, tmp_path: Path, benchmark: Benchmark, folder: str, model: str
) -> None:
    source = published_data / folder
    for path in sorted(source.rglob("*")):
        if path.is_file() and path.parent.name not in {"dev", "test"}:
            target = tmp_path / str(path.relative_to(source)).replace(model, "another").removesuffix(".gz")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes())
    assert cells(benchmark, tmp_path, "another") == cells(benchmark, source, model)


def test_people_see_the_printed_values_beside_the_cells(
    published_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["evaluate", "published", "mvp-bench", "--data", str(published_data / "mvp_bench"), "--model", "GPT4o"]
    assert invoke(arguments) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["pAcc_E1", "59.46", "22", "of", "37", "59.46", "1", "of", "4"] in lines
    assert ["SI_vanilla", "77.27", "323", "of", "418", "77.27", "2", "of", "4"] in lines


@pytest.mark.parametrize(
    ("model", "readings"),
    [
        ("llava_v1.5_7b", ("rule, then judge", "gold word, pairs as in the file", "one pass")),
        ("deepseek_vl_7b", ("rule, then judge, else no", "gold word, pairs as in the file", "one pass")),
        ("MiniGPT-4-v1-7B", ("rule, then judge", "gold word, pairs as in the file", "first rotation")),
        ("GPT4o", ("rule", "gold word, pairs as in the file", "one pass")),
    ],
)
def test_the_readings_that_give_the_printed_tables_are_found_and_one_printed_value_is_a_misprint(
    published_data: Path, model: str, readings: tuple[str, ...]
) -> None:
    recounted = recount("mvp-bench", published_data / "mvp_bench", model)
    chosen = {family.family: family.chosen for family in recounted.families if len(family.reproduced) > 1}
    assert tuple(chosen.values()) == readings
    missing = [
        (name, printed.value)
        for name, cell in recounted.readings.items()
        for printed in cell.printed
        if not cell.giving(printed.value)
    ]
    assert missing == ([("aAcc_Lm", 80.0)] if model == "deepseek_vl_7b" else [])


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def _model_of_other_readings(published_data: Path, place: Path) -> Path:
    """Give the first rotation other answers than the one pass, and drop the judge, under a new name."""
    source, target = published_data / "mvp_bench", place / "model_prediction"
    target.mkdir(parents=True)
    shutil.copytree(source / "data", place / "data")
    rows = _rows(source / "model_prediction" / "MiniGPT-4-v1-7B_evaluated.jsonl.gz")
    one_pass = [{"question_id": row["question_id"], "output": row["prediction"]} for row in rows]
    evaluated = [{**row, "extracted (GPT)": "Yes"} for row in rows]
    rotated = _rows(source / "model_prediction" / "mcq_llava_v1.5_7b.jsonl.gz")
    for name, written in (("made", one_pass), ("made_evaluated", evaluated), ("mcq_made", rotated)):
        (target / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in written), encoding="utf-8")
    return place


def test_readings_of_a_model_that_was_not_at_hand_are_found_from_what_is_printed_of_it(
    published_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = _model_of_other_readings(published_data, tmp_path)
    unknown = recount("mvp-bench", data, "made")
    assert [cell.printed for cell in unknown.families] == [0, 0, 0, 0]
    printed = {
        name: cell.shares[reading]
        for name, cell in unknown.readings.items()
        for reading in ("rule", "rule, pairs by question", "first rotation")
        if reading in cell.shares
    }
    paper = {name: {"paper": round(100 * share.part / share.of, 2)} for name, share in printed.items()}
    paper["qAcc_Ll"] = {"paper": 99.99}
    (data / "expected.json").write_text(json.dumps({"models": {"made": paper}}), encoding="utf-8")
    recounted = recount("mvp-bench", data, "made")
    chosen = {family.family: family.chosen for family in recounted.families}
    assert chosen["tables 2 and 3, yes/no"] == "rule"
    assert chosen["table 5"] == "rule, pairs by question"
    assert chosen["VanillaEval"] == "first rotation"
    assert {name: recounted.cells[name] for name in printed} == printed
    arguments = ["evaluate", "published", "mvp-bench", "--data", str(data), "--model", "made", "--json"]
    assert invoke(arguments) == 0
    out, err = capsys.readouterr()
    cell = json.loads(out)["readings"]["qAcc_Ll"]
    assert cell["printed"] == [{"table": "of expected.json", "value": 99.99, "readings": []}]
    assert (cell["tried"], cell["reading"]) == (4, "rule")
    assert "qAcc_Ll: table of expected.json prints 99.99, which no reading of 4 gives" in err


def test_where_nothing_is_printed_the_first_reading_is_taken_and_told(
    published_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = _model_of_other_readings(published_data, tmp_path)
    assert invoke(["evaluate", "published", "mvp-bench", "--data", str(data), "--model", "made"]) == 0
    err = capsys.readouterr().err
    assert "VanillaEval: no printed values of made; read by 'one pass', the first of 4" in err


def test_prompts_with_another_earlier_label_are_learnt_and_those_that_match_none_are_listed(
    published_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "yi-vl-6b-chat_test_domain.jsonl"
    rows = _rows(published_data / "ii_bench" / "results" / f"{name}.gz")
    renamed = [row["questions"][0] for row in rows if "Key words: Others\n" in row["questions"][0]["prompt"]]
    for question in renamed[:3]:
        question["prompt"] = question["prompt"].replace("Key words: Others\n", "Key words: History\n")
    (tmp_path / "results").mkdir()

    def write() -> None:
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / "results" / name.replace("yi-vl-6b-chat", "made")).write_text(text, encoding="utf-8")

    write()
    arguments = ["evaluate", "published", "ii-bench", "--data", str(tmp_path), "--model", "made", "--json"]
    assert invoke(arguments) == 0
    prompts = json.loads(capsys.readouterr().out)["prompts"]["domain"]
    assert prompts["unmatched"] == []
    learnt = {(match["told"], match["now"]): match["questions"] for match in prompts["other_labels"]}
    assert learnt["History", "Others"] == [question["id"] for question in renamed[:3]]
    assert len(learnt["Politics", "Others"]) == 5
    renamed[3]["prompt"] = renamed[3]["prompt"].replace("Key words: Others\n", "Key words: Others, or perhaps not\n")
    renamed[4]["prompt"] += " "
    write()
    assert invoke(arguments) == 1
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert document["prompts"]["domain"]["unmatched"] == [renamed[3]["id"], renamed[4]["id"]]
    assert document["cells"]["prompt_match/domain"]["numerator"] == 248
    assert renamed[3]["id"] in err
