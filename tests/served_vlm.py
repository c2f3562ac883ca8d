"""A tiny vision-language model behind a real server of the OpenAI protocol, `transformers serve`; it talks nonsense."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from servers import Server, serving
from tiny_vlm import make_vlm

NEEDED = ("torch", "transformers", "fastapi", "uvicorn")


@dataclass(frozen=True)
class ServedVlm:
    """The server, and the model's folder, which is its name there."""

    server: Server
    folder: Path

    @property
    def chat(self) -> dict[str, Any]:
        """Return the settings with which steps reach it."""
        return {"model": str(self.folder), "base_url": f"{self.server.url}/v1", "max_tokens": 8}


@pytest.fixture(scope="session", name="served_vlm")
def running_served_vlm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedVlm]:
    """One server for all tests of a process."""
    for needed in NEEDED:
        pytest.importorskip(needed)
    folder = tmp_path_factory.mktemp("served")
    vlm = make_vlm(folder / "tiny-vlm")
    (folder / "hub").mkdir()
    program = [str(Path(sys.executable).parent / "transformers"), "serve", str(vlm), "--host", "127.0.0.1"]
    with serving(
        lambda port: [*program, "--port", str(port), "--device", "cpu"], log=folder / "serve.log", health="/health",
        env={"HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(folder / "hub")}, timeout_s=120,
    ) as server:  # fmt: skip
        yield ServedVlm(server, vlm)
