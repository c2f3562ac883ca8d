"""Files from other evaluation programs are scored like our own: the same letters, by our ids or the source's."""

from __future__ import annotations

import json
import logging
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from handmade_bench import Bench

from benchwright.errors import DataError
from benchwright.evaluation.run import evaluate
from benchwright.release import Release

OPTIONS = ("the left one", "the right one", "neither")
SAID = ("b", "The left one.", "I think it is (C).", "no idea", "")
LETTERS = ["B", "A", "C", None, None]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    bench = Bench()
    for number in range(len(SAID)):
        bench.add(f"Which one, {number}?", options=OPTIONS, answer="B", attributes={"source_id": f"q{number}"})
    return bench.release(tmp_path_factory.mktemp("tools") / "release")


def _ids(release: Release) -> list[str]:
    """Return the items' ids in the order of the replies."""
    by_own = {released.item.attributes["source_id"]: released.item.item_id for released in release.items()}
    return [by_own[f"q{number}"] for number in range(len(SAID))]


def _lines(rows: Sequence[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _vlmevalkit_tsv(ids: list[str]) -> bytes:
    head = "index\tquestion\tA\tB\tC\tanswer\titem_id\tprediction\n"
    rows = (
        f"{n}\tWhich?\t{chr(9).join(OPTIONS)}\tB\t{i}\t{r}\n" for n, (i, r) in enumerate(zip(ids, SAID, strict=True))
    )
    return (head + "".join(rows)).encode()


def _vlmevalkit_xlsx(ids: list[str]) -> bytes:
    from io import BytesIO

    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["index", "A", "B", "C", "answer", "prediction"])
    for name, reply in zip(ids, SAID, strict=True):
        book.active.append([name, *OPTIONS, "B", reply])
    buffer = BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _lmms_eval(ids: list[str]) -> bytes:
    return _lines([
        {"doc_id": n, "doc": {"item_id": i, "options": OPTIONS}, "target": "B", "resps": [[f"thinking ... {r}"]],
         "filtered_resps": [r], "accuracy": 0.0} for n, (i, r) in enumerate(zip(ids, SAID, strict=True))
    ])  # fmt: skip


def _samples(ids: list[str]) -> list[dict[str, Any]]:
    return [
        {"id": i, "epoch": 1, "choices": list(OPTIONS), "target": "B", "output": {"completion": r}}
        for i, r in zip(ids, SAID, strict=True)
    ]  # fmt: skip


def _inspect_json(ids: list[str]) -> bytes:
    return json.dumps({"version": 2, "eval": {"model": "m"}, "samples": _samples(ids)}).encode()


def _inspect_archive(ids: list[str]) -> bytes:
    from io import BytesIO

    with zipfile.ZipFile(buffer := BytesIO(), "w") as archive:
        archive.writestr("header.json", json.dumps({"eval": {"model": "m"}}))
        for sample in _samples(ids):
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    return buffer.getvalue()


def _helm_predictions(ids: list[str]) -> bytes:
    trials = [(0, SAID), (1, ["A"] * len(SAID))]
    return json.dumps([
        {"instance_id": i, "predicted_text": f" {r}" if r else r, "train_trial_index": n, "stats": {"exact_match": 0.0}}
        for n, said in trials for i, r in zip(ids, said, strict=True)
    ]).encode()  # fmt: skip


def _helm_states(ids: list[str]) -> bytes:
    states = [
        {"instance": {"id": i, "input": {"text": "Which?"}, "split": "test"}, "train_trial_index": 0,
         "output_mapping": dict(zip("ABC", OPTIONS, strict=True)), "request": {"model": "lab/m"},
         "result": {"success": True, "completions": [{"text": r}]}} for i, r in zip(ids, SAID, strict=True)
    ]  # fmt: skip
    return json.dumps({"adapter_spec": {}, "request_states": states}).encode()


WRITERS: dict[str, tuple[str, Callable[[list[str]], bytes]]] = {
    "vlmevalkit": ("m_Bench.tsv", _vlmevalkit_tsv), "vlmevalkit_sheet": ("m_Bench.xlsx", _vlmevalkit_xlsx),
    "lmms_eval": ("samples.jsonl", _lmms_eval),
    "inspect": ("log.json", _inspect_json), "inspect_archive": ("log.eval", _inspect_archive),
    "helm_predictions": ("display_predictions.json", _helm_predictions),
    "helm_states": ("scenario_state.json", _helm_states),
    "mapping": ("m.json", lambda ids: json.dumps(dict(zip(ids, SAID, strict=True))).encode()),
}  # fmt: skip


def _scored(release: Release, path: Path, out: Path) -> dict[str, tuple[str, str | None]]:
    """Return state and letter by the source's id of each item."""
    evaluate(release, f"predictions:{path}", out=out)
    [table] = out.rglob("predictions.parquet")
    return {row["source_id"]: (row["state"], row["letter"]) for row in pq.read_table(table).to_pylist()}


@pytest.mark.parametrize("by_own_id", [False, True], ids=["by our id", "by the source's id"])
@pytest.mark.parametrize("tool", WRITERS)
def test_what_other_programs_write_is_scored_by_its_ids(
    tool: str, by_own_id: bool, release: Release, tmp_path: Path
) -> None:
    name, write = WRITERS[tool]
    path = tmp_path / name
    path.write_bytes(write([f"q{n}" for n in range(len(SAID))] if by_own_id else _ids(release)))
    found = _scored(release, path, tmp_path / "out")
    assert [found[f"q{n}"][1] for n in range(len(SAID))] == LETTERS


def test_options_in_another_order_are_found_by_their_words(release: Release, tmp_path: Path) -> None:
    rows = [{"id": f"q{n}", "choices": OPTIONS[::-1], "prediction": "A"} for n in range(len(SAID))]
    path = tmp_path / "p.jsonl"
    path.write_bytes(_lines(rows))
    assert set(_scored(release, path, tmp_path / "out").values()) == {("answered", "C")}


def test_a_request_that_failed_is_an_error_and_no_miss(release: Release, tmp_path: Path) -> None:
    log = json.loads(_inspect_json(_ids(release)))
    log["samples"][0] |= {"error": {"message": "Provider returned error"}, "output": {"completion": ""}}
    log["samples"].append(log["samples"][1] | {"epoch": 2})
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    assert _scored(release, path, tmp_path / "out")["q0"] == ("error", None)


def test_further_epochs_are_counted_and_told(
    release: Release, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = json.loads(_inspect_json(_ids(release)))
    log["samples"] += [sample | {"epoch": 2} for sample in log["samples"]]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    with caplog.at_level(logging.WARNING):
        assert evaluate(release, f"predictions:{path}").asked == len(SAID)
    assert "5 rows left out, such as log.json: sample 6 (epoch 2; only the first counts)" in caplog.text


def _rows() -> list[dict[str, Any]]:
    return [{"id": f"q{n}", "prediction": "A", "A": "the left one", "B": OPTIONS[1], "C": OPTIONS[2]} for n in range(5)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: rows.pop(3), "no prediction for 1 of the items asked"),
        (lambda rows: rows.append(dict(rows[1])), "line 6: item .* already has a prediction in line 2"),
        (lambda rows: rows.append(rows[0] | {"id": "q99"}), r"line 6: item q99 is missing from release .* \(1 such row\)"),
        (lambda rows: [row.update(id="x" + row["id"]) for row in rows], "has none of its 5 item ids"),
        (lambda rows: rows[2].update(B="a cat"), "line 3: the options in this row are not those of the item"),
        (lambda rows: rows[2].update(prediction=["A"]), r"line 3: prediction is a list, not a text \(1 such row\)"),
        (lambda rows: [row.update(model="mn"[n % 2]) for n, row in enumerate(rows)], "replies of 'm', 'n'; give each"),
        (lambda rows: [row.update(answer=row.pop("prediction")) for row in rows], "next to options, 'answer' contains"),
    ],
)  # fmt: skip
def test_a_file_that_does_not_fit_is_refused_in_words(
    change: Callable[[list[dict[str, Any]]], object], words: str, release: Release, tmp_path: Path
) -> None:
    change(rows := _rows())
    path = tmp_path / "p.jsonl"
    path.write_bytes(_lines(rows))
    with pytest.raises(DataError, match=words):
        evaluate(release, f"predictions:{path}")


def test_a_column_of_answers_may_hold_small_letters_and_options_words(release: Release, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    said = ["b", "the left one", "(C)", "", "B"]
    path.write_text("item_id,answer\n" + "".join(f"q{n},{text}\n" for n, text in enumerate(said)))
    assert [letter for _, letter in sorted(_scored(release, path, tmp_path / "out").values(), key=str)].count(None) == 1
    found = _scored(release, path, tmp_path / "again")
    assert [found[f"q{n}"][1] for n in range(5)] == ["B", "A", "C", None, "B"]
