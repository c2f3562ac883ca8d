"""Every command on a disk that fails at selected calls: how the command ends, and the result of the next run.

    .venv/bin/python benchmarks/faults.py [--points 12] [--command NAME ...] [--kind KIND ...]

Prints one line per command: the calls that change files, the faults tried, and the number of unexpected endings,
followed by each of these. Needs Linux and a C compiler.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from faulty_disk import KINDS, points, problems_of, undisturbed
from faulty_scene import CASES, make_scene


def main() -> int:
    """Try commands, kinds of faults and calls; return 1 if any ended unexpectedly."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--points", type=int, default=12, help="calls of each command at which each fault is tried")
    parser.add_argument("--command", nargs="*", choices=[case.name for case in CASES])
    parser.add_argument("--kind", nargs="*", choices=KINDS, default=KINDS)
    options = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        scene = Path(name, "scene")
        scene.mkdir()
        make_scene(scene)
        for case in CASES:
            if options.command and case.name not in options.command:
                continue
            clean = undisturbed(scene, case)
            at = points(clean.calls, options.points)
            found = [line for kind in options.kind for n in at for line in problems_of(scene, case, clean, kind, n)]
            wrong += len(found)
            print(f"{case.name:20} {clean.calls:6} calls {len(at) * len(options.kind):5} faults {len(found):4} wrong")
            for line in found:
                print(f"    {line}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
