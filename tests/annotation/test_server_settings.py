"""The server's settings of Streamlit and of the interpreter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("streamlit")

from benchwright.annotation.app.serve import _config


def test_streamlit_knows_every_setting_by_its_name() -> None:
    from streamlit import config

    assert set(_config("127.0.0.1", 1)) <= set(config.get_config_options())


def test_nobody_waits_for_the_garbage_collector_after_each_run_of_a_page() -> None:
    assert _config("127.0.0.1", 1)["runner.postScriptGC"] is False


_STARTED = """
import asyncio, sys
from pathlib import Path
from benchwright.annotation.app import serve
from benchwright.annotation.app.base.state import open_app_state
from benchwright.workspace.workspace import Workspace

serve._PAGES_AFTER_S = 0.1
root = Path(sys.argv[1])
Workspace.create(root).save_settings({})
state = open_app_state(root, secure=False)
app = serve.build_app(state)
FRAME = "benchwright.annotation.app.frame"

async def visit():
    async with serve._while_serving(state, app):
        assert FRAME not in sys.modules
        for _ in range(1200):
            if hasattr(sys.modules.get(FRAME), "show_home"):
                return print("loaded")
            await asyncio.sleep(0.05)

asyncio.run(visit())
"""


@pytest.mark.slow
def test_pages_are_loaded_once_the_page_to_sign_in_can_be_served(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _STARTED, tmp_path / "w"], capture_output=True, text=True, check=False)
    assert done.stdout == "loaded\n", done.stderr
