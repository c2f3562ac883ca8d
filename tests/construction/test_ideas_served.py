"""A real server, `transformers serve` with a tiny vision-language model: its nonsense is recorded, and the run
continues.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from chat_server import without_keys_and_proxies
from PIL import Image
from served_vlm import NEEDED, ServedVlm
from servers import Server

from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe

pytestmark = pytest.mark.server

for needed in NEEDED:
    pytest.importorskip(needed)


def test_nonsense_is_refused_by_the_schema_and_recorded_for_each_image(
    served_vlm: ServedVlm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_keys_and_proxies(monkeypatch)
    server, vlm = served_vlm.server, served_vlm.folder
    before = _asked(server)
    (tmp_path / "images").mkdir()
    rng = np.random.default_rng(3)
    for number in range(2):
        pixels = rng.integers(0, 256, (40, 60 + number, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(tmp_path / "images" / f"{number}.png")
    chat = f"{{model: '{vlm}', base_url: '{server.url}/v1', max_tokens: 8, max_side_px: 64}}"
    endpoint = f"{{backend: endpoint, chat: {chat}}}"
    text = f"name: t\nshards: 1\nsteps: [{{step: ideas, grounder: {endpoint}, writer: {endpoint}}}]\n"
    done = run_recipe(
        parse_recipe(text, "t.yaml", tmp_path), images=tmp_path / "images", workspace=tmp_path / "w", workers=1
    )
    rows = list(done.outcomes("ideas"))
    assert [(row["verdict"], row["reason"]) for row in rows] == [("failed", "no_json")] * 2
    for row in rows:
        replies = row["evidence"]["replies"]
        assert len(replies) == 2  # the first, and the one after the repair
        assert all(isinstance(reply, str) and reply for reply in replies)
    assert _asked(server) - before >= 4


def _asked(server: Server) -> int:
    return server.log.read_text().count("POST /v1/chat/completions")
