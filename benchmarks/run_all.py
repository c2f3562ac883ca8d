"""Run every benchmark on the demo's photographs."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchwright.cli.demo import prepare_photographs

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Run them one after the other."""
    with tempfile.TemporaryDirectory() as name:
        photographs = Path(name) / "photographs"
        prepare_photographs(photographs)
        for script, arguments in (
            ("engine.py", ["--images", str(photographs)]),
            ("hashing.py", ["--images", str(photographs), "--large", "4", "--engine"]),
            ("all_pairs.py", ["--images", str(photographs), "--sizes", "10000", "100000", "--peer-size", "100000"]),
            (
                "many_images.py",
                [
                    "--photographs",
                    str(photographs),
                    "--folder",
                    str(Path(name) / "many"),
                    "--counts",
                    "500",
                    "--kill",
                    "2",
                ],
            ),
            ("engines.py", ["--images", str(photographs)]),
            ("resume.py", ["--images", str(photographs), "--kills", "10", "--worker-kills", "4"]),
            ("hostile_files.py", []),
            ("scoring.py", ["--folder", str(Path(name) / "scoring"), "--items", "50000"]),
            ("endpoint.py", ["--faults"]),
            ("blink_tasks.py", ["--images", str(photographs)]),
            ("shortcuts.py", ["--images", str(photographs)]),
            ("overlays.py", ["--images", str(photographs)]),
        ):
            print(f"== {script}", flush=True)
            subprocess.run([sys.executable, str(HERE / script), *arguments], check=True)


if __name__ == "__main__":
    main()
