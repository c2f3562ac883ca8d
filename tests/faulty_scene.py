"""The scene in which commands meet a failing disk, and the commands."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from pathlib import Path

from faulty_disk import Case
from PIL import Image
from published_samples import write_published
from walks import RECIPE, benchwright, make_photographs

from benchwright.release import Release
from benchwright.release.format.errata import Erratum, spelled

_SMALL = RECIPE.replace("shards: 4\n", "shards: 2\n").replace(
    '[random, "constant:A", edge_continuity, local_features]', "[random]"
)
_MARKED = """
name: marked
seed: 7
steps:
  - step: mark
    rule: at_least(2, of=2)
    fields: [{name: things, label: Things, shape: box}]
    simulate: {annotators: 2}
"""
_ONE = ["--workers", "1"]


def make_scene(folder: Path) -> None:
    """Fill a folder: photographs, recipes, a finished workspace `w`, one `open` that waits for annotators, a backup."""
    make_photographs(folder / "photographs", count=4)
    (folder / "walk.yaml").write_text(_SMALL, encoding="utf-8")
    people = _SMALL.partition("  - splits")[0].partition("    simulate:")[0]
    (folder / "people.yaml").write_text(people, encoding="utf-8")
    images = ["--images", folder / "photographs", *_ONE]
    _must("run", folder / "walk.yaml", "--workspace", folder / "w", *images)
    _must("run", folder / "people.yaml", "--workspace", folder / "open", *images)
    (folder / "marked.yaml").write_text(_MARKED, encoding="utf-8")
    _must("run", folder / "marked.yaml", "--workspace", folder / "marked", *images)
    _must("facts", "new", "--images", folder / "photographs", "--out", folder / "facts.yaml")
    _must("review", "export", "--workspace", folder / "open", "--out", folder / "tasks.csv")
    with (folder / "tasks.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    for row in rows:
        row |= {"annotator": "ann", "decision": "accept"}
    with (folder / "decisions.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    _must("review", "backup", folder / "backup.zip", "--workspace", folder / "w")
    (folder / "w" / "objects" / "ab").mkdir(exist_ok=True)
    (folder / "w" / "objects" / "ab" / ("c" * 62)).write_bytes(b"an object that nothing refers to")
    [release] = (folder / "w" / "releases").iterdir()
    shutil.copytree(release, folder / "release")
    _write_errata(folder)
    _make_filtered(folder)
    _make_judged(folder)
    _write_inputs(folder)
    marks = [{"kind": "ring", "points": [[60.5, 50]], "label": "A"}]
    (folder / "marks.json").write_text(json.dumps(marks), encoding="utf-8")
    (folder / "empty").mkdir()
    settings = json.loads((folder / "w" / "workspace.json").read_text(encoding="utf-8"))
    (folder / "empty" / "workspace.json").write_text(json.dumps(settings), encoding="utf-8")


def _make_filtered(folder: Path) -> None:
    """Make the workspace `filtered`, in which a filter dropped an image and a curator another, and `damaged`, a copy."""
    shutil.copytree(folder / "photographs", folder / "copies")
    with Image.open(folder / "photographs" / "piece-00.png") as image:
        image.save(folder / "copies" / "piece-00.bmp")
    (folder / "filtered.yaml").write_text("name: filtered\nshards: 2\nsteps: [exact_duplicates]\n", encoding="utf-8")
    _must("run", folder / "filtered.yaml", "--images", folder / "copies", "--workspace", folder / "filtered", *_ONE)
    shutil.copytree(folder / "filtered", folder / "damaged")
    shard = min((folder / "damaged" / "tables" / "exact_duplicates.pixels").glob("*.outcomes.*.parquet"))
    shard.write_bytes(shard.read_bytes()[:-9])
    by_hand = ["--step", "exact_duplicates", "--why", "private", "--by", "ada"]
    _must("filter", "drop", folder / "filtered", "piece-01.jpg", *by_hand)


def _make_judged(folder: Path) -> None:
    """Write a file of tasks on the release, and make the workspace `judged`, in which they are open."""
    tasks = folder / "tasks.jsonl"
    _must("evaluate", "errors", folder / "w" / "results", "--release", folder / "release", "--out", tasks)
    _must("review", "open", tasks, "--release", folder / "release", "--workspace", folder / "judged")


def _write_inputs(folder: Path) -> None:
    """Write the input files of commands: scores, replies, cases, ratings, guidelines, published files, a key."""
    for model in ("random", "constant:A"):
        _must("evaluate", "run", folder / "release", "--model", model, "--out", folder / "scores")
    lines = [
        json.dumps({"item_id": one.item.item_id, "answer": "A"}) for one in Release.open(folder / "release").items()
    ]
    (folder / "replies.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "cases.jsonl").write_text('{"reply": "(B)", "choices": ["one", "two"]}\n', encoding="utf-8")
    (folder / "ratings.csv").write_text("unit,rater,label\n1,a,x\n1,b,x\n2,a,x\n2,b,y\n", encoding="utf-8")
    (folder / "people.csv").write_text("name,role\neve,annotator\n", encoding="utf-8")
    questions = [f"q{n},Is piece {n} here?,yes,piece-{n:02}" for n in range(3)]
    (folder / "questions.csv").write_text("\n".join(["id,question,answer,image", *questions, ""]), encoding="utf-8")
    twice = ["id,question,A,B,C,answer,image", "t1,Which piece?,this,this,that,A,piece-00", ""]
    (folder / "twice.csv").write_text("\n".join(twice), encoding="utf-8")
    places = ("--pictures", folder / "photographs", "--out", folder / "found", "--set-right", folder / "righted")
    _must("audit", folder / "twice.csv", *places, *_ONE)
    (folder / "guidelines.md").write_text("Accept what is right.\n", encoding="utf-8")
    write_published(folder, pictures=folder / "photographs")
    if shutil.which("ssh-keygen"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "key")], check=True)


def _write_errata(folder: Path) -> None:
    """Write an erratum on the first item of the release."""
    release = Release.open(folder / "release")
    item = next(iter(release.items())).item
    erratum = Erratum(
        item_id=item.item_id, content_hash=item.content_hash, release="walk", release_id=release.release_id,
        finding="ambiguous", key=item.answer, agreed=2, asked=2,
    )  # fmt: skip
    (folder / "errata.json").write_bytes(spelled([erratum]))


def _must(*arguments: object) -> None:
    done = benchwright(*arguments)
    assert done.returncode == 0, done.stderr[-2000:]


CASES = (
    Case("run", ["run", "walk.yaml", "--images", "photographs", "--workspace", "new", *_ONE], ["new"]),
    Case("demo", ["demo", "--headless", "--out", "demo", *_ONE], ["demo"]),
    Case("run --dry-run", ["run", "walk.yaml", "--images", "photographs", "--dry-run"], ["stdout"]),
    Case("run again", ["run", "walk.yaml", "--images", "photographs", "--workspace", "w", *_ONE], ["w/tables"]),
    Case("gc", ["gc", "w"], ["w/tables", "w/objects"]),
    Case("filter duplicates", ["filter", "duplicates", "photographs", "--json"], ["stdout"]),
    Case("filter quality", ["filter", "quality", "photographs", "--json"], ["stdout"]),
    Case("filter hashes", ["filter", "hashes", "photographs", "--out", "hashes.csv"], ["hashes.csv"]),
    Case("filter funnel", ["filter", "funnel", "w", "--out", "funnel.html"], ["stdout"]),
    Case("review status", ["review", "status", "--workspace", "w"], ["stdout"]),
    Case("review audit", ["review", "audit", "--workspace", "w"], ["stdout"]),
    Case("review export", ["review", "export", "--workspace", "open", "--out", "open.csv"], ["open.csv"]),
    Case("review export all", ["review", "export", "--workspace", "open", "--out", "all", "--all"], ["all"]),
    Case("review marks export", ["review", "marks", "export", "--workspace", "marked", "--out", "coco.json"],
         ["coco.json"]),
    Case("review import", ["review", "import", "decisions.csv", "--workspace", "open"], ["store:open"]),
    Case("review backup", ["review", "backup", "again.zip", "--workspace", "w"], ["store:w"]),
    Case("review restore", ["review", "restore", "backup.zip", "--workspace", "empty"], ["store:empty"]),
    Case("release freeze", ["release", "freeze", "--workspace", "w", "--name", "x", "--version", "1.0"], ["w/releases"]),
    Case("release verify", ["release", "verify", "release"], ["stdout"]),
    Case("evaluate run", ["evaluate", "run", "release", "--model", "random", "--out", "scored"], ["scored"]),
    Case("evaluate report", ["evaluate", "report", "w/results", "--release", "release", "--out", "report.html"],
         ["report.html"]),
    Case("release correct", ["release", "correct", "release", "--errata", "errata.json", "--version", "2.0",
                             "--out", "corrected"], ["corrected"]),
    Case("release diff", ["release", "diff", "release", "release", "--out", "compared.html"], ["compared.html"]),
    Case("release drafts", ["release", "drafts", "w"], ["stdout"]),
    Case("overlay", ["overlay", "photographs/piece-00.png", "marks.json", "marked.png"], ["marked.png"]),
    Case("facts new", ["facts", "new", "--images", "photographs", "--out", "own.yaml"], ["own.yaml"]),
    Case("facts check", ["facts", "check", "facts.yaml"], ["stdout"]),
    Case("facts export", ["facts", "export", "marked", "--out", "stated.yaml"], ["stated.yaml"]),
    Case("construct readers", ["construct", "readers"], ["stdout"]),
    Case("construct survey", ["construct", "survey", "photographs"], ["stdout"]),
    Case("review language", ["review", "language", "fr"], ["stdout"]),
    Case("review marks unused", ["review", "marks", "unused", "--workspace", "marked"], ["stdout"]),
    Case("recipes", ["recipes", "demo", "--to", "copied"], ["copied"]),
    Case("check", ["check", "w"], ["stdout"]),
    Case("check and repair", ["check", "damaged", "--repair"], ["damaged/tables"]),
    Case("outcomes", ["outcomes", "w"], ["stdout"]),
    Case("trace", ["trace", "piece-01.jpg", "--workspace", "w"], ["stdout"]),
    Case("steps", ["steps", "jigsaw"], ["stdout"]),
    Case("doctor", ["doctor"], []),
    Case("filter items", ["filter", "items", "release"], ["stdout"]),
    Case("filter shortcuts", ["filter", "shortcuts", "release", "--out", "cues"], ["cues"]),
    Case("filter shortcuts of files", ["filter", "shortcuts", "ii", "--out", "cues"], ["cues"]),
    Case("filter leakage", ["filter", "leakage", "photographs", "--against", "copies", *_ONE], ["stdout"]),
    Case("filter text-ratio", ["filter", "text-ratio", "photographs", "--json", *_ONE], ["stdout"]),
    Case("filter drop", ["filter", "drop", "filtered", "piece-02.webp", "--step", "exact_duplicates", "--why", "blurred",
                         "--by", "ada"], ["store:filtered"]),
    Case("filter restore", ["filter", "restore", "filtered", "piece-00.bmp", "--why", "differs", "--by", "ada"],
         ["store:filtered"]),
    Case("filter undo", ["filter", "undo", "filtered", "piece-01.jpg", "--by", "ada"], ["store:filtered"]),
    Case("filter overrides", ["filter", "overrides", "filtered"], ["stdout"]),
    Case("review users", ["review", "users", "--workspace", "open", "--add", "ben"], ["store:open"]),
    Case("review invite", ["review", "invite", "people.csv", "--workspace", "open", "--out", "links.csv"],
         ["store:open"]),
    Case("review assign", ["review", "assign", "--workspace", "w"], ["stdout"]),
    Case("review guidelines", ["review", "guidelines", "--workspace", "open", "--campaign", "verify",
                               "--set", "guidelines.md"], ["store:open"]),
    Case("review open", ["review", "open", "tasks.jsonl", "--release", "release", "--workspace", "again"],
         ["store:again"]),
    Case("review results", ["review", "results", "--workspace", "judged", "--out", "results.csv"], ["results.csv"]),
    *(Case(f"review {name}", ["review", name, "--workspace", "w"], ["stdout"])
      for name in ("agreement", "annotators", "flags", "kept", "reasons", "rules")),
    Case("release authors", ["release", "authors", "release"], ["stdout"]),
    Case("release show", ["release", "show", "release"], ["stdout"]),
    Case("release export", ["release", "export", "release", "--format", "jsonl", "--out", "exported"], ["exported"]),
    Case("release publish", ["release", "publish", "release", "--to", "published"], ["published"]),
    Case("release takedown", ["release", "takedown", "piece-01.jpg", "--workspace", "w", "--why", "asked", "--by", "ada",
                              "--json"], []),
    Case("release splits", ["release", "splits", "release"], ["stdout"]),
    Case("release sign", ["release", "sign", "release", "--key", "key", "--out", "release.sig"], ["release.sig"]),
    Case("evaluate score", ["evaluate", "score", "release", "replies.jsonl"], ["stdout"]),
    Case("evaluate leaderboard", ["evaluate", "leaderboard", "scores", "--out", "board.html"], ["board.html"]),
    Case("evaluate health", ["evaluate", "health", "release", "w/results", "--page", "health.html"], ["health.html"]),
    Case("evaluate compare", ["evaluate", "compare", "scores", "--release", "release"], ["stdout"]),
    *(Case(f"evaluate {name}", ["evaluate", name, "w/results", "--release", "release", "--out", f"{name}.jsonl"],
           [f"{name}.jsonl"]) for name in ("errors", "suspects")),
    Case("evaluate summary", ["evaluate", "summary", "w/results"], ["stdout"]),
    Case("evaluate published", ["evaluate", "published", "blink", "--data", "blink", "--model", "one"], ["stdout"]),
    Case("construct items", ["construct", "items", "ii", "--write-columns", "columns.yaml"], ["columns.yaml"]),
    Case("evaluate import", ["evaluate", "import", "ii-bench", "--data", "ii", "--out", "imported"], ["imported"]),
    Case("evaluate extract", ["evaluate", "extract", "cases.jsonl"], ["stdout"]),
    Case("evaluate protocols", ["evaluate", "protocols"], ["stdout"]),
    Case("evaluate study", ["evaluate", "study", "no_picture", "release", "--model", "random", "--out", "studied"],
         ["studied"]),
    Case("evaluate plan", ["evaluate", "plan", "release", "scores", "--budget", "20", "--out", "planned"], ["planned"]),
    Case("audit", ["audit", "questions.csv", "--pictures", "photographs", "--out", "audited", *_ONE],
         ["audited/audit.json", "audited/audit.html"]),
    Case("set-right", ["set-right", "righted", "--version", "1.1", "--out", "righted-1.1", "--decided-only"],
         ["righted/audit/errata-1.1.json", "righted-1.1", "righted-1.1-diff.html"]),
)  # fmt: skip
"""Commands, in the folder that `make_scene` filled."""

NOT_DISTURBED = {
    "construct check": "reads a data set that is not here",
    "construct emu": "reads a data set that is not here",
    "construct outlines": "writes pictures as `overlay` does, one for each outline",
    "evaluate people": "reads as `evaluate compare` does, of a release whose items people answered",
    "release statistics": "reads as `release show` does, of a release with labels, options that decline or pairs",
    "release fetch": "speaks with servers, of a release that has pictures by address",
    "review forget": "writes the store as `review users` does, in one transaction",
    "review set-aside": "writes the store as `review users` does, in one transaction",
    "review take-back": "writes the store as `review users` does, in one transaction",
    "review label-studio pull": "speaks with a server, which has a disk of its own",
    "review label-studio push": "speaks with a server, which has a disk of its own",
    "review serve": "ends when it is stopped; its store is that of the other commands",
}
"""Commands missing from `CASES`, with reasons."""
