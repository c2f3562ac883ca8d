"""What the engine costs: hashing a folder of images with the pipeline, a bare ImageHash loop, and a process pool.

All three decode every image and compute ImageHash's 64-bit pHash; the pipeline also hashes files, checks headers,
finds near pairs, and writes tables. Runs in turn, in one call; ratios are medians of `--repeats` rounds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from measuring import benchwright, cost_of, show

LOOP = """
import sys
from pathlib import Path
import imagehash
from PIL import Image
for path in sorted(Path(sys.argv[1]).rglob('*')):
    if path.is_file():
        imagehash.phash(Image.open(path))
"""

POOL = """
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

def one(path):
    import imagehash
    from PIL import Image
    return str(imagehash.phash(Image.open(path)))

if __name__ == '__main__':
    paths = [path for path in sorted(Path(sys.argv[1]).rglob('*')) if path.is_file()]
    with ProcessPoolExecutor(2, mp_context=get_context('spawn')) as pool:
        list(pool.map(one, paths, chunksize=16))
"""

RECIPE = "name: engine\nsteps: [near_duplicates]\n"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=Path, required=True)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    rows: dict[str, list[dict[str, Any]]] = {"loop": [], "pool of 2": [], "pipeline, 2 workers": []}
    with tempfile.TemporaryDirectory() as folder:
        recipe, pool = Path(folder) / "engine.yaml", Path(folder) / "pool.py"
        recipe.write_text(RECIPE, encoding="utf-8")
        pool.write_text(POOL, encoding="utf-8")
        for number in range(given.repeats):
            workspace = Path(folder) / f"w{number}"
            run = benchwright("run", recipe, "--images", given.images, "--workspace", workspace, "--workers", 2)
            rows["loop"].append(cost_of([sys.executable, "-c", LOOP, str(given.images)]).to_json())
            rows["pool of 2"].append(cost_of([sys.executable, str(pool), str(given.images)]).to_json())
            rows["pipeline, 2 workers"].append(cost_of(run).to_json())
    files = sum(path.is_file() for path in given.images.rglob("*"))
    table = {
        name: {key: statistics.median(row[key] for row in found) for key in found[0]} for name, found in rows.items()
    }
    base = table["pipeline, 2 workers"]
    ratios = {
        name: {key: round(row[key] / base[key], 2) for key in ("wall_s", "cpu_s", "peak_mb")}
        for name, row in table.items()
    }
    show({"files": files, "median": table, "ratio to the pipeline": ratios})


if __name__ == "__main__":
    main()
