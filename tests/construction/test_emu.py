"""EMU's source images: grouped and checked, with boxes; missing images are counted and do not stop the reader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_server import ChatServer
from PIL import Image
from sane_model import SUBJECT, SaneModel

from benchwright.cli.main import invoke
from benchwright.construction.datasets.emu import read_emu
from benchwright.construction.item_parts.idea import unpacked
from benchwright.errors import DataError
from benchwright.facts import read_facts
from benchwright.files.numbered_lines import MAX_LINE_BYTES
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe


def line(index: Any, frame: str = "intent", boxes: Any = (), **more: Any) -> str:
    metadata = {} if index is None else {"index": index, "bboxes": list(boxes)}
    return json.dumps({"source": f"https://example.org/{index}.jpg", "edited": "https://example.org/e.jpg",
                       "frame": frame, "response": "to mock", "label": "harmless", "metadata": metadata, **more})  # fmt: skip


@pytest.fixture
def emu(tmp_path: Path) -> Path:
    (tmp_path / "EMU_Dataset").mkdir()
    (tmp_path / "Images" / "dev").mkdir(parents=True)
    lines = [
        line("88", boxes=[[10, 12, 60, 90]]),
        line("88", "subject1_effect", boxes=[[10, 12, 60, 90], [5, 5, 20, 20]]),
        line("89", "subject1_mental_state", boxes=[[-4, 0, 60, 90], [1, 2, 3]]),
        line("90"),
        line(7, "something_new"),
        line(None),
        line("../../etc/passwd"),
        '{"source": ',
        '"x"' + " " * (MAX_LINE_BYTES + 5),
        "",
    ]
    (tmp_path / "EMU_Dataset" / "emu_dev.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rng = np.random.default_rng(5)
    for index in ("88", "89", "7"):
        pixels = rng.integers(0, 256, (100, 80, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(tmp_path / "Images" / "dev" / f"{index}_s.jpg")
    (tmp_path / "Images" / "dev" / "7_s.jpg").write_bytes(b"gone")
    Image.fromarray(np.zeros((9, 9, 3), np.uint8)).save(tmp_path / "Images" / "dev" / "88_e.jpg")
    return tmp_path


def test_lines_of_one_index_are_one_image_and_losses_are_counted_by_reason(emu: Path) -> None:
    images, counts = read_emu(emu / "EMU_Dataset", emu / "Images")
    assert [(one.split, one.pair, one.path.name) for one in images] == [
        ("dev", "88", "88_s.jpg"),
        ("dev", "89", "89_s.jpg"),
    ]
    assert images[0].boxes == ((10, 12, 60, 90), (5, 5, 20, 20))
    assert images[0].url == "https://example.org/88.jpg"
    assert (images[1].boxes, images[1].size_wh) == ((), (80, 100))
    assert (counts.lines, counts.pairs) == (9, 4)
    assert counts.rows.read == counts.lines == counts.rows.used + sum(counts.rows.refused.values())
    assert counts.left_out == {
        "bad_index": 1, "box_malformed": 1, "box_outside": 1, "no_file": 1, "no_index": 1, "not_json": 2, "not_an_image": 1,
    }  # fmt: skip
    assert counts.frames == {
        "intent": 4, "something_new": 1, "subject1_effect": 1, "subject1_mental_state": 1,
    }  # fmt: skip


def test_a_folder_without_annotations_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"contains no emu_<split>\.jsonl"):
        read_emu(tmp_path, tmp_path)


@pytest.fixture
def brought(emu: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, dict[str, Any]]:
    words = ["construct", "emu", str(emu / "EMU_Dataset"), "--images", str(emu / "Images"), "--out", str(emu / "out")]
    assert invoke([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert invoke([*words, "--json"]) == 2
    assert "already exists; give a folder" in json.loads(capsys.readouterr().out)["error"]["message"]
    return emu / "out", document


def test_the_command_writes_an_image_folder_and_a_facts_file(brought: tuple[Path, dict[str, Any]]) -> None:
    out, document = brought
    assert sorted(path.name for path in (out / "images" / "dev").iterdir()) == ["88_s.jpg", "89_s.jpg"]
    assert (document["images"], document["pairs"], document["boxes"]) == (2, 4, 2)
    facts = read_facts(out / "facts.yaml")
    picture = facts.images["dev/88_s.jpg"]
    assert picture.source is not None
    assert picture.source.canonical_id == "emu:dev:88"
    assert [one.box for one in picture.subjects] == [(10, 12, 60, 90), (5, 5, 20, 20)]


def test_its_boxes_ground_the_main_subject(brought: tuple[Path, dict[str, Any]], server: ChatServer) -> None:
    out, _ = brought
    sane = SaneModel()

    def behave(words: str, attempt: int, handler: Any) -> str:
        if words.startswith("Who or what is in the box [0.125, 0.12, 0.75, 0.9]"):
            return json.dumps({"main_subject": SUBJECT})
        return sane(words, attempt, handler)

    server.behave = behave
    chat = f"{{model: sane, base_url: '{server.url}', retries: 0}}"
    text = (
        "name: t\nshards: 1\nsteps: [{step: facts, file: facts.yaml}, {step: ideas, categories: [B1], writer: "
        f"{{backend: endpoint, chat: {chat}}}, grounder: {{backend: endpoint, stated_boxes: true, chat: {chat}}}}}]\n"
    )
    recipe = parse_recipe(text, "t.yaml", out)
    done = run_recipe(recipe, images=out / "images", workspace=out / "w", workers=1)
    names = {record.image_id: record.source.uri for record in done.images() if record.source}
    rows = {names[row["record_id"]]: row for row in done.outcomes("ideas")}
    (idea,) = unpacked(rows["dev/88_s.jpg"]["planned"])
    assert idea.subject.box == (10, 12, 60, 90)
    assert rows["dev/88_s.jpg"]["evidence"]["grounded"]["box_by"] == "facts"
    assert rows["dev/89_s.jpg"]["evidence"]["grounded"]["box_by"] == "model"
    stated = {names[row["record_id"]]: row["evidence"]["source"] for row in done.outcomes("facts")}
    assert stated["dev/88_s.jpg"] == {
        "dataset": "emu", "canonical_id": "emu:dev:88", "uri": "https://example.org/88.jpg",
    }  # fmt: skip
