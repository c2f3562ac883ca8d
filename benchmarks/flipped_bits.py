"""The number of single flipped bits in a workspace and its release that `check` and `release verify` do not notice.

Makes a small workspace with every class of file in it and flips bits one at a time. Prints, by class, how many bits
were flipped, how many went unnoticed, and how many of these change a value; `left` names the latter.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from contextlib import redirect_stdout
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from damage import make_workspace_to_flip
from flipped_bits import CLASSES, flips
from measuring import show


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flips", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    flipped, unnoticed, changing, left = Counter[str](), Counter[str](), Counter[str](), []
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(sys.stderr):  # commands that run meanwhile also print
        workspace = make_workspace_to_flip(Path(folder))
        started = time.process_time()
        for flip in flips(workspace, count=given.flips, seed=given.seed):
            flipped[flip.kind] += 1
            unnoticed[flip.kind] += not flip.noticed
            changing[flip.kind] += flip.changes
            left += [asdict(flip)] if flip.changes else []
    show(
        {
            "flips": flipped.total(),
            "unnoticed": unnoticed.total(),
            "unnoticed_that_change_a_value": changing.total(),
            "classes": {
                kind: {"flips": flipped[kind], "unnoticed": unnoticed[kind], "change_a_value": changing[kind]}
                for kind in CLASSES
            },
            "left": left,
            "cpu_s": time.process_time() - started,
        }
    )


if __name__ == "__main__":
    main()
