"""200 hostile files among 20 good ones: the run ends well, each has its reason, memory stays bounded."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from hostile import make_good, make_hostile
from measuring import benchwright, cost_of, show

from benchwright.images.identify import uri_for

RECIPE = """\
name: hostile
steps:
  - exact_duplicates
  - near_duplicates
  - text_ratio
  - {step: jigsaw, min_tile_px: 8}
  - {step: visual_correspondence, min_side_px: 32}
  - {step: verify, rule: unanimous(2), simulate: {annotators: 2}}
  - {step: answer, simulate: {annotators: 3, accuracy: 0.9}}
  - splits
  - {step: freeze, name: hostile}
  - {step: evaluate, models: [random, edge_continuity]}
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hostile", type=int, default=200)
    parser.add_argument("--good", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "images").mkdir()
        hostile = make_hostile(folder / "images", count=given.hostile, seed=1)
        expected = {uri_for(path): right for path, right in hostile.items()}
        make_good(folder / "images", count=given.good, seed=2)
        (folder / "r.yaml").write_text(RECIPE, encoding="utf-8")
        output = folder / "out.json"
        run = benchwright(
            "run", folder / "r.yaml", "--images", folder / "images", "--workspace", folder / "w", "--json"
        )
        cost = cost_of(run, output=output, allowed=(0, 1))
        document = json.loads(output.read_text(encoding="utf-8"))
        reasons = {failure["path"]: failure["reason"] for failure in document["failed"]}
        show(
            {
                "cost": cost.to_json(),
                "files": document["steps"][0]["in"],
                "hostile": len(expected),
                "hostile with a reason": len(reasons.keys() & expected.keys()),
                "with a right reason": sum(reasons.get(path) in right for path, right in expected.items()),
                "good files refused": len(reasons.keys() - expected.keys()),
                "reasons": dict(sorted(Counter(reasons.values()).items())),
            }
        )


if __name__ == "__main__":
    main()
