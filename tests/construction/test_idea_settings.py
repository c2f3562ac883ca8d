"""The failed requests for ideas that the next run repeats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_server import ChatServer
from PIL import Image
from sane_model import SaneModel

from benchwright.construction.manipulation.ideas.step import TRANSIENT
from benchwright.pipeline import run_recipe
from benchwright.pipeline.stages import map_stage as engine
from benchwright.recipe import parse_recipe
from benchwright.workspace.run_results import FinishedRun


def run(server: ChatServer, folder: Path) -> FinishedRun:
    chat = f"{{model: sane, base_url: '{server.url}', retries: 0, timeout_s: 20}}"
    endpoint = f"{{backend: endpoint, chat: {chat}}}"
    text = f"name: t\nshards: 1\nsteps: [{{step: ideas, categories: [B1], grounder: {endpoint}, writer: {endpoint}}}]\n"
    recipe = parse_recipe(text, "t.yaml", folder)
    return run_recipe(recipe, images=folder / "images", workspace=folder / "w", workers=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "images").mkdir()
    for number in range(2):
        pixels = np.random.default_rng(number).integers(0, 256, (40, 60, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(tmp_path / "images" / f"{number}.png")
    return tmp_path


def test_what_failed_for_a_busy_server_is_tried_again_by_the_next_run_and_nothing_else(
    server: ChatServer, folder: Path
) -> None:
    assert set(TRANSIENT) < engine.TRANSIENT
    sane = SaneModel()

    def busy_at_first(words: str, attempt: int, handler: Any) -> str | None:
        if len(server.bodies) == 1:
            return server.say(handler, 503, {"error": {"message": "overloaded"}})
        return sane(words, attempt, handler)

    server.behave = busy_at_first
    first = {row["reason"] for row in run(server, folder).outcomes("ideas")}
    assert first == {"endpoint_busy", None}
    asked = len(server.bodies)
    assert {row["reason"] for row in run(server, folder).outcomes("ideas")} == {None}
    # Caption and two attributes; subject and idea are asked without the picture, in words that the other image's had.
    assert len(server.bodies) == asked + 3
    assert run(server, folder).executed == 0


def test_equal_replies_give_equal_bytes_however_many_requests_are_under_way(server: ChatServer, folder: Path) -> None:
    server.behave = SaneModel()
    rows = list(run(server, folder).outcomes("ideas"))
    (folder / "w").rename(folder / "before")
    assert list(run(server, folder).outcomes("ideas")) == rows
