"""Duplicate search as a whole job, compared with imagehash, imagededup and cleanvision: cost, found pairs and missed
pairs.

The folder is II-Bench's images, each also as its four quarters. Right pairs are equal pictures, the near pairs in
`expected.json`, which people named, and a picture with each of its quarters; quarters of one picture share nothing.
Every peer runs with its own defaults, imagehash (which has none) on all pairs within 8 bits, in a separate environment:

    python3 -m venv PEERS && PEERS/bin/pip install imagehash imagededup cleanvision
    .venv/bin/python benchmarks/duplicates_peers.py --data ../shared/data/ii_bench --peers PEERS/bin/python
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measuring import benchwright, cost_of, show
from PIL import Image, ImageOps

from benchwright.statistics.components import components_of

PEERS = {
    "imagehash": """
import itertools, json, sys
from pathlib import Path
import imagehash
from PIL import Image
codes = [(path.name, imagehash.phash(Image.open(path))) for path in sorted(Path(sys.argv[1]).iterdir())]
pairs = [[a, b] for (a, x), (b, y) in itertools.combinations(codes, 2) if x - y <= 8]
Path(sys.argv[2]).write_text(json.dumps(pairs))
""",
    "imagededup": """
import json, sys
from pathlib import Path
from imagededup.methods import PHash
if __name__ == "__main__":
    copies = PHash(verbose=False).find_duplicates(image_dir=sys.argv[1], max_distance_threshold=10)
    Path(sys.argv[2]).write_text(json.dumps([[a, b] for a, others in copies.items() for b in others]))
""",
    "cleanvision": """
import itertools, json, sys
from pathlib import Path
from cleanvision import Imagelab
if __name__ == "__main__":
    lab = Imagelab(data_path=sys.argv[1])
    lab.find_issues({"exact_duplicates": {}, "near_duplicates": {}})
    groups = [group for kind in ("exact_duplicates", "near_duplicates") for group in lab.info[kind]["sets"]]
    pairs = [[Path(a).name, Path(b).name] for group in groups for a, b in itertools.combinations(group, 2)]
    Path(sys.argv[2]).write_text(json.dumps(pairs))
""",
}
Pair = frozenset[str]


def write_folder(data: Path, folder: Path) -> int:
    """Write every image of II-Bench and its quarters, under its stem; return the number of files."""
    for path in sorted(path for path in (data / "images").rglob("*") if path.is_file()):
        (folder / path.name).write_bytes(path.read_bytes())
        with Image.open(path) as image:
            whole = ImageOps.exif_transpose(image).convert("RGB")
        across, down = whole.width // 2, whole.height // 2
        for number, (x, y) in enumerate(itertools.product((0, 1), repeat=2)):
            box = (x * across, y * down, whole.width if x else across, whole.height if y else down)
            whole.crop(box).save(folder / f"{path.stem}.quarter{number}.jpg", quality=92)
    return len(list(folder.iterdir()))


def right_pairs(data: Path, stems: set[str]) -> dict[str, set[Pair]]:
    """Return the right pairs, by stem and quarter, by kind."""
    expected = json.loads((data / "expected.json").read_text(encoding="utf-8"))
    return {
        "equal": {
            frozenset(pair) for group in expected["duplicate_groups"] for pair in itertools.combinations(group, 2)
        },
        "near": {frozenset((pair["a"], pair["b"])) for pair in expected["near_duplicate_pairs"]},
        "quarter of its whole": {frozenset((stem, f"{stem}.quarter{n}")) for stem in stems for n in range(4)},
    }


def pairs_of_report(report: dict[str, Any]) -> list[list[str]]:
    """Return the pairs that our report connects: a kept file with each file dropped for it or asked about with it."""
    pairs: list[list[str]] = []
    for group in report["groups"]:
        dropped = [group["keep"], *(member["path"] for member in group["members"] if member["kind"] != "ask")]
        pairs += map(list, itertools.combinations(dropped, 2))
        pairs += [[group["keep"], member["path"]] for member in group["members"] if member["kind"] == "ask"]
    return pairs


def counts(reported: list[list[str]], right: dict[str, set[Pair]]) -> dict[str, Any]:
    """Return for each kind how many right pairs were reported, and how many others, by their kinds."""
    pairs = {frozenset(Path(file).stem for file in pair) for pair in reported}
    original = {pair: frozenset(name.partition(".quarter")[0] for name in pair) for pair in pairs}
    names = [*(right["equal"] | right["near"])]
    group = {
        name: number for pair, number in zip(names, components_of(map(sorted, names)), strict=True) for name in pair
    }
    within = {pair for pair in pairs if len(original[pair]) == 1} - right["quarter of its whole"]
    # Similarity through a third picture counts, also for its quarters.
    across = {
        pair
        for pair in pairs
        if len(original[pair]) == 2 and len({group.get(name, name) for name in original[pair]}) == 2
    }
    return {
        **{kind: f"{len(pairs & known)} of {len(known)}" for kind, known in right.items()},
        "quarters of one picture, wrongly": len(within),
        "pairs of different pictures": len(across),
        "some of these": [sorted(pair) for pair in sorted(across, key=sorted)[:12]],
    }


def main() -> None:
    """Run each whole job on the same folder, and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of II-Bench, with images and expected.json")
    parser.add_argument("--peers", help="interpreter of an environment with imagehash, imagededup and cleanvision")
    options = parser.parse_args()
    with TemporaryDirectory() as place:
        folder, output = Path(place) / "images", Path(place) / "pairs.json"
        folder.mkdir()
        document: dict[str, Any] = {"files": write_folder(options.data, folder), "jobs": {}}
        right = right_pairs(options.data, {path.stem for path in (options.data / "images").rglob("*.*")})
        cost = cost_of(benchwright("filter", "duplicates", folder, "--workers", 2, "--json"), output=output)
        if cost.exit_code:
            raise SystemExit(f"benchwright ended with {cost.exit_code}")
        reported = pairs_of_report(json.loads(output.read_text(encoding="utf-8")))
        document["jobs"]["benchwright"] = {**cost.to_json(), **counts(reported, right)}
        for name, script in PEERS.items() if options.peers else ():
            print(f"{name} ...", file=sys.stderr, flush=True)
            output.unlink()
            file = Path(place) / f"run_{name}.py"
            file.write_text(script, encoding="utf-8")
            cost = cost_of([options.peers, str(file), str(folder), str(output)], allowed=None)
            if cost.exit_code:
                raise SystemExit(f"{name} ended with {cost.exit_code}; is it installed for {options.peers}?")
            reported = json.loads(output.read_text(encoding="utf-8"))
            document["jobs"][name] = {**cost.to_json(), **counts(reported, right)}
    show(document)


if __name__ == "__main__":
    main()
