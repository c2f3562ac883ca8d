"""Everything that the room lists can be loaded, and listing it loads nothing heavy."""

from __future__ import annotations

import subprocess
import sys

from benchwright.evaluation.room import ROOM
from benchwright.rooms import KINDS, find

NAMES = [(kind, name) for kind in KINDS for name in getattr(ROOM, kind)]


def test_every_listed_name_loads() -> None:
    assert NAMES
    assert [(kind, name) for kind, name in NAMES if not callable(find(kind, name).load())] == []


def test_the_list_itself_loads_nothing_heavy() -> None:
    heavy = "cv2 numpy pyarrow openai httpx2 rich pydantic PIL click"
    code = f"import sys, benchwright.evaluation.room; print([m for m in {heavy.split()!r} if m in sys.modules])"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"
