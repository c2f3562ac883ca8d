"""The review app with short limits on connections: `python hasty_app.py WORKSPACE PORT`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

from benchwright.annotation.app.base.state import open_app_state
from benchwright.annotation.app.security.connections import ConnectionLimits
from benchwright.annotation.app.serve import run_app

LIMITS = ConnectionLimits(head_s=3, body_s=1, longest_body_s=2, keep_alive_s=1, ping_s=2)
LONGEST_S = max(value for name, value in asdict(LIMITS).items() if name.endswith("_s") and name != "bytes_per_s")
"""Longest limit in time."""

if __name__ == "__main__":
    run_app(open_app_state(Path(sys.argv[1]), secure=False), address="127.0.0.1", port=int(sys.argv[2]), limits=LIMITS)
