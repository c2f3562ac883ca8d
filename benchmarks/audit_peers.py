"""Other tools on a set with planted faults: the faults that each names, by its own names and with its own defaults.

Each tool has a separate environment below one folder, under its name here:

    for name in cleanvision cleanlab fastdup data-juicer; do python3 -m venv PEERS/$name; done
    PEERS/cleanvision/bin/pip install cleanvision==0.3.7 pillow
    PEERS/cleanlab/bin/pip install 'cleanlab[datalab]==2.9.0'
    PEERS/fastdup/bin/pip install fastdup==2.54                              # licence: non-commercial
    PEERS/data-juicer/bin/pip install py-data-juicer==1.6.1 aiohttp imagededup==0.3.3.post2 torch==2.13.0

All of them run offline. They read pictures or rows and know neither splits nor questions, so a copy counts as found if
its pair is named, whatever the splits. cleanlab gets the input that it requires: the shares of the six models that gave
each option as probabilities, task by task, and TF-IDF vectors of question and options as features. fastdup measures
light and blur and leaves bounds to its users: here a mean below 13 or above 220.5, and a blur below 50. data-juicer's
filters of language and perplexity, and those of pictures by aesthetics, watermark or similarity, fetch models and do
not run offline.

`review prompt (scripted)` is a published style of prompt to a language model, sent by the project's own chat client to
a scripted endpoint (`review_prompt.py`): it exercises the path, and its figures do not measure any model.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from clean_items import LETTERS, Row
from measuring import Cost, cost_of


class Alarm(NamedTuple):
    """A fault that a tool reports.

    Args:
        kind: Its name for the fault.
        items: Ids of the items.
        task: Task, if it calls a whole task faulty.
        is_partial: Whether it names only the items that it would leave out, and not those that they repeat.
    """

    kind: str
    items: tuple[str, ...]
    task: str | None = None
    is_partial: bool = False


class Peer(NamedTuple):
    """A tool.

    Args:
        script: Program that takes a folder of pictures, rows and replies as JSON, and the output file: a list of
            `{"kind", "files" or "items"}`, and at the end `{"problem"}` if it met one.
        looks_for: The tool's names for the faults that it searches for.
        may: Names that are also right for a planted fault.
        is_own: Whether it runs in this environment, with this project's code.
    """

    script: str
    looks_for: Mapping[str, frozenset[str]]
    may: Mapping[str, frozenset[str]]
    is_own: bool = False


class PeerRun(NamedTuple):
    """A tool's findings, its problem and its cost."""

    alarms: list[Alarm]
    problem: str
    cost: Cost


_CLEANVISION = """
import json, sys
from pathlib import Path
from cleanvision import Imagelab
from PIL import Image

def readable(path):
    try:
        with Image.open(path) as image:
            image.load()
        return True
    except Exception:
        return False

if __name__ == "__main__":
    images, rows, out = sys.argv[1:]
    found = []
    try:
        lab = Imagelab(data_path=images)
        lab.find_issues(n_jobs=1)
    except Exception as error:
        problem = {"problem": f"ends at a broken file ({type(error).__name__}); ran again without the broken files"}
        lab = Imagelab(filepaths=[str(path) for path in sorted(Path(images).iterdir()) if readable(path)])
        lab.find_issues(n_jobs=1)
        found.append(problem)
    for column in [column for column in lab.issues.columns if column.startswith("is_")]:
        kind = column[3:].removesuffix("_issue")
        if kind.endswith("duplicates"):
            continue
        for path in lab.issues.index[lab.issues[column]]:
            found.append({"kind": kind, "files": [Path(path).name]})
    for kind in ("exact_duplicates", "near_duplicates"):
        for group in lab.info[kind]["sets"]:
            found.append({"kind": kind, "files": [Path(path).name for path in group]})
    Path(out).write_text(json.dumps(found))
"""

_CLEANLAB = """
import json, sys
from pathlib import Path
import numpy as np
import pandas as pd
from cleanlab import Datalab
from cleanlab.filter import find_label_issues
from sklearn.feature_extraction.text import TfidfVectorizer

images, rows, out = sys.argv[1:]
rows = json.loads(Path(rows).read_text())
found = []
for task in sorted({row["task"] for row in rows}):
    known = [row for row in rows if row["task"] == task and row["key"] is not None and row["shares"]]
    size = max(len(row["options"]) for row in known)
    known = [row for row in known if len(row["options"]) == size]
    probabilities = np.array([row["shares"] for row in known]) + 1e-3
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    labels = np.array([row["key"] for row in known])
    for place in np.flatnonzero(find_label_issues(labels, probabilities)):
        found.append({"kind": "label", "items": [known[place]["id"]]})
texts = [" ".join([row["question"], *row["options"]]) for row in rows]
frame = pd.DataFrame({"text": texts, "key": [str(row["key"]) for row in rows]})
lab = Datalab(frame.to_dict("list"), label_name="key", verbosity=0)
features = TfidfVectorizer().fit_transform(texts).toarray()
lab.find_issues(features=features, issue_types={"near_duplicate": {}, "null": {}})
near = lab.get_issues("near_duplicate")
for place in np.flatnonzero(near["is_near_duplicate_issue"]):
    for other in near["near_duplicate_sets"].iloc[place]:
        if other > place:
            found.append({"kind": "near_duplicate", "items": [rows[place]["id"], rows[int(other)]["id"]]})
Path(out).write_text(json.dumps(found))
"""

_FASTDUP = """
import json, os, sys, tempfile
os.environ["SENTRY_OPT_OUT"] = "True"
from pathlib import Path
import fastdup

if __name__ == "__main__":
    images, rows, out = sys.argv[1:]
    found = []
    with tempfile.TemporaryDirectory() as work:
        tool = fastdup.create(work_dir=work, input_dir=images)
        tool.run(overwrite=True, num_threads=1)
        for path in tool.invalid_instances()["filename"]:
            found.append({"kind": "invalid", "files": [Path(path).name]})
        clusters, _ = tool.connected_components()
        for _, group in clusters.groupby("component_id"):
            if len(group) > 1:
                found.append({"kind": "duplicate", "files": [Path(path).name for path in group["filename"]]})
        stats = tool.img_stats()
        bounds = {"dark": stats["mean"] < 13, "bright": stats["mean"] > 220.5, "blurry": stats["blur"] < 50}
        for kind, chosen in bounds.items():
            for path in stats["filename"][chosen]:
                found.append({"kind": kind, "files": [Path(path).name]})
    Path(out).write_text(json.dumps(found))
"""

_DATA_JUICER = """
import json, sys
from collections import defaultdict
from pathlib import Path

if __name__ == "__main__":
    images, rows, out = sys.argv[1:]
    rows = json.loads(Path(rows).read_text())
    # imagededup imports torchvision, whose wheels may not fit torch for CPUs; the hashes need nothing of it.
    from importlib.machinery import ModuleSpec
    from unittest.mock import MagicMock
    for name in ("", ".models", ".models.vision_transformer", ".transforms", ".transforms.functional"):
        name = f"torchvision{name}"
        sys.modules[name] = MagicMock(__spec__=ModuleSpec(name, None), __path__=[])
    from datasets import Dataset
    from data_juicer.ops.deduplicator.document_deduplicator import DocumentDeduplicator
    from data_juicer.ops.deduplicator.document_minhash_deduplicator import DocumentMinhashDeduplicator
    from data_juicer.ops.deduplicator.image_deduplicator import ImageDeduplicator
    from data_juicer.ops.filter.image_aspect_ratio_filter import ImageAspectRatioFilter
    from data_juicer.utils.constant import Fields, HashKeys

    found = []
    broken = 0
    hashes = defaultdict(list)
    op = ImageDeduplicator()
    ratio = ImageAspectRatioFilter(any_or_all="all")
    for name in sorted({row["image"] for row in rows}):
        path = Path(images) / name
        try:
            hashed = op.compute_hash({"images": [str(path)], "text": ""})
        except Exception:
            broken += 1
            continue
        hashes[hashed[HashKeys.imagehash]].append(name)
        samples = {"images": [[str(path)]], "text": [""], Fields.stats: [{}]}
        if not list(ratio.process_batched(ratio.compute_stats_batched(samples)))[0]:
            found.append({"kind": "image_aspect_ratio_filter", "files": [name]})
    if broken:
        found.append({"problem": f"raises on {broken} broken or missing files; run without them"})
    for group in hashes.values():
        if len(group) > 1:
            found.append({"kind": "image_deduplicator", "files": group})
    texts = [" ".join([row["question"], *row["options"]]) for row in rows]
    for op in (DocumentDeduplicator(lowercase=True, ignore_non_character=True), DocumentMinhashDeduplicator()):
        data = Dataset.from_list([{"text": text, "id": row["id"]} for text, row in zip(texts, rows)])
        data = data.map(op.compute_hash)
        kept, _ = op.process(data)
        kept = set(kept["id"])
        for row in rows:
            if row["id"] not in kept:
                found.append({"kind": type(op).__name__, "items": [row["id"]], "is_partial": True})
    Path(out).write_text(json.dumps(found))
"""

_EXACT = ("copy across splits: equal file", "copy within a split: equal file")
_NEAR = (
    "copy across splits: saved again as WebP", "copy across splits: half the size",
    "copy across splits: JPEG quality 20", "copy across splits: 5 % cut off", "copy across splits: 15 % cut off",
    "copy across splits: other colors", "copy across splits: caption added", "copy across splits: mirrored",
    "copy across splits: turned by 90 degrees", "copy within a split: half the size",
)  # fmt: skip
_TWICE = (
    "question repeated", "question repeated about a copy", "question repeated, a few words added",
    "question repeated in other words",
)  # fmt: skip


_COPIED = ("question repeated about a copy",)
_CONTRADICTING = ("question repeated with another key",)
_WRONG_KEYS = (*_CONTRADICTING, "wrong key, and an explanation of the right one")
_POOR = (
    "blank picture", "dark picture", "blurred picture", "tiny picture", "picture drawn out to 6:1", "JPEG of quality 3",
    "copy across splits: half the size", "copy across splits: JPEG quality 20", "copy within a split: half the size",
)  # fmt: skip


def _all(faults: Sequence[str], *kinds: str) -> dict[str, frozenset[str]]:
    return dict.fromkeys(faults, frozenset(kinds))


PEERS: Mapping[str, Peer] = {
    "cleanvision": Peer(
        _CLEANVISION,
        {
            **_all([*_EXACT, *_NEAR], "exact_duplicates", "near_duplicates"),
            **_all(["blank picture"], "low_information"),
            **_all(["dark picture"], "dark"),
            **_all(["blurred picture"], "blurry"),
            **_all(["tiny picture"], "odd_size"),
            **_all(["picture drawn out to 6:1"], "odd_aspect_ratio"),
        },
        {
            **_all(_COPIED, "exact_duplicates", "near_duplicates"),
            **_all(_POOR, "low_information", "dark", "blurry", "odd_size", "odd_aspect_ratio"),
        },
    ),
    "cleanlab": Peer(
        _CLEANLAB,
        {**_all(["wrong key"], "label"), **_all(_TWICE, "near_duplicate")},
        {**_all(_WRONG_KEYS, "label"), **_all(_CONTRADICTING, "label", "near_duplicate")},
    ),
    "fastdup": Peer(
        _FASTDUP,
        {
            **_all([*_EXACT, *_NEAR], "duplicate"),
            **_all(["picture cut off after half its bytes", "web page saved as a picture"], "invalid"),
            **_all(["dark picture"], "dark"),
            **_all(["blurred picture", "blank picture"], "blurry"),
        },
        {**_all(_COPIED, "duplicate"), **_all(_POOR, "dark", "blurry")},
    ),
    "data-juicer": Peer(
        _DATA_JUICER,
        {
            **_all([*_EXACT, *_NEAR], "image_deduplicator"),
            **_all(["picture drawn out to 6:1"], "image_aspect_ratio_filter"),
            **_all(_TWICE, "DocumentDeduplicator", "DocumentMinhashDeduplicator"),
        },
        {
            **_all(_COPIED, "image_deduplicator"),
            **_all(_CONTRADICTING, "DocumentDeduplicator", "DocumentMinhashDeduplicator"),
        },
    ),
    "review prompt (scripted)": Peer(
        (Path(__file__).parent / "review_prompt.py").read_text(encoding="utf-8"),
        {
            **_all(["wrong option twice", "right option twice, in capitals"], "multiple_correct_answers"),
            **_all(_WRONG_KEYS, "wrong_groundtruth"),
            **_all(["missing key"], "no_correct_answer", "wrong_groundtruth"),
        },
        {},
        is_own=True,
    ),
}


def run_peer(peer: Peer, environment: Path, bench: Path, rows: Sequence[Row], replies: Path, work: Path) -> PeerRun:
    """Run a tool on a set and return what it found, by the ids that the audit gives to items.

    Args:
        peer: The tool.
        environment: Its virtual environment.
        bench: Folder of the set, with `images` in it.
        rows: Rows of the set.
        replies: Table of replies with the columns model, id, reply.
        work: Prefix of the files exchanged with the tool.
    """
    script, given, out = (work.with_suffix(end) for end in (".py", ".in.json", ".out.json"))
    script.write_text(peer.script, encoding="utf-8")
    ids = audited_ids(rows)
    shown: defaultdict[str, list[str]] = defaultdict(list)
    for own, row in zip(ids, rows, strict=True):
        shown[Path(row["image"]).name].append(own)
    given.write_text(json.dumps(_rows_for_peers(rows, ids, replies)), encoding="utf-8")
    python = [sys.executable] if peer.is_own else [str(environment / "bin" / "python"), "-I"]
    cost = cost_of([*python, "-W", "ignore", str(script), str(bench / "images"), str(given), str(out)], allowed=None)
    if cost.exit_code or not out.exists():
        return PeerRun([], f"ended with code {cost.exit_code}", cost)
    alarms, problem = [], ""
    for each in json.loads(out.read_text(encoding="utf-8")):
        if "problem" in each:
            problem = each["problem"]
            continue
        items = each.get("items") or [own for name in each["files"] for own in shown[name]]
        alarms.append(Alarm(each["kind"], tuple(items), is_partial=each.get("is_partial", False)))
    return PeerRun(alarms, problem, cost)


def audited_ids(rows: Sequence[Row]) -> list[str]:
    """Return the audit's ids of rows: repeated ones get a number."""
    seen: defaultdict[str, int] = defaultdict(int)
    ids = []
    for row in rows:
        seen[row["id"]] += 1
        ids.append(row["id"] if seen[row["id"]] == 1 else f"{row['id']} ({seen[row['id']]})")
    return ids


def _rows_for_peers(rows: Sequence[Row], ids: Sequence[str], replies: Path) -> list[dict[str, object]]:
    counts: defaultdict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for line in replies.read_text(encoding="utf-8").splitlines()[1:]:
        _, own, letter = line.split(",")
        counts[own][letter] += 1
    given: list[dict[str, object]] = []
    for own, row in zip(ids, rows, strict=True):
        letters = [letter for letter in LETTERS if row[letter]]
        total = sum(counts[own].values())
        shares = [counts[own][letter] / total for letter in letters] if total else []
        key = letters.index(row["answer"]) if row["answer"] else None
        given.append(
            {
                "id": own, "task": row["task"], "question": row["question"], "image": Path(row["image"]).name,
                "options": [row[letter] for letter in letters], "key": key, "shares": shares,
            }
        )  # fmt: skip
    return given
