"""Every command's JSON document has exactly the fields that its option `--json` declares."""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from chat_server import ChatServer
from doc_pages import COMMANDS
from PIL import Image
from published_samples import write_published
from walks import RECIPE, command, make_photographs

from benchwright.cli.main import invoke
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.terminal.output import JsonOption

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class _Shape:
    """What a documented document may hold: fields of an object, elements of a list, or anything.

    Args:
        fields: By name; None for anything that is no object.
        rest: Of all fields that are not named; None where none may be.
        element: Of a list; None for anything that is no list.
    """

    fields: dict[str, _Shape] | None = None
    rest: _Shape | None = None
    element: _Shape | None = None

    def check(self, value: Any, where: str) -> None:
        if self.element is not None and isinstance(value, list):
            for one in value:
                self.element.check(one, f"{where}[]")
        elif self.fields is not None and isinstance(value, dict):
            others = value.keys() - self.fields.keys()
            assert self.fields.keys() <= value.keys(), where
            assert self.rest is not None or not others, where
            for name, one in value.items():
                (self.fields.get(name) or self.rest or _Shape()).check(one, f"{where}.{name}")


def _shape(tokens: list[str]) -> _Shape:
    """Read one value such as `{"name", "items": [{"path"}], model: {"value"}, ...}` off the tokens."""
    if tokens[0] not in "{[":
        while tokens and tokens[0] not in {",", "}", "]"}:
            tokens.pop(0)
        return _Shape()
    opening = tokens.pop(0)
    fields: dict[str, _Shape] = {}
    rest, element = None, _Shape()
    while tokens[0] not in "}]":
        if opening == "[":
            element = _shape(tokens)
        else:
            name, value = tokens.pop(0), _Shape()
            if tokens[0] == ":":
                tokens.pop(0)
                value = _shape(tokens)
            if name.startswith('"'):
                fields[name.strip('"')] = value
            else:
                rest = value
        if tokens[0] == ",":
            tokens.pop(0)
    tokens.pop(0)
    return _Shape(element=element) if opening == "[" else _Shape(fields, rest)


def _documented_shapes(name: str) -> list[_Shape]:
    [document] = [option.document for option in COMMANDS[name].params if isinstance(option, JsonOption)]
    return [
        _shape(re.findall(r'"[^"]*"|\.\.\.|[{}\[\],:]|[^\s{}\[\],:"]+', span))
        for span in re.findall(r"`(\{[^`]*)`", document)
    ]


def _run(folder: Path, name: str) -> None:
    recipe, images, workspace = (str(folder / one) for one in (f"{name}.yaml", "p", name))
    assert invoke(["run", recipe, "--images", images, "--workspace", workspace, "--workers", "1"]) == 0


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a workspace in it, and every file that a command takes."""
    folder = tmp_path_factory.mktemp("documented")
    make_photographs(folder / "p", count=3)
    (folder / "p" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    recipe_text = re.sub(r"models: .*", "models: [random, 'constant:A']", RECIPE)
    (folder / "w.yaml").write_text(recipe_text, encoding="utf-8")
    people = re.sub(r"    simulate:\n(      .*\n)+", "", RECIPE.split("  - splits")[0])
    (folder / "people.yaml").write_text(people, encoding="utf-8")
    _run(folder, "people")
    shutil.copytree(folder / "people", folder / "w")  # what both recipes begin with is not run again
    _run(folder, "w")
    _make_filtered(folder)
    [release] = (folder / "w" / "releases").iterdir()
    release.rename(folder / "release")
    (folder / "cases.jsonl").write_text('{"reply": "(B)", "choices": ["one", "two"]}\n', encoding="utf-8")
    write_published(folder, pictures=folder / "p")
    marks = [{"kind": "ring", "points": [[40.5, 30.5]], "label": "A"}]
    (folder / "marks.json").write_text(json.dumps(marks), encoding="utf-8")
    (folder / "ratings.csv").write_text("unit,rater,label\n1,a,x\n1,b,x\n2,a,x\n2,b,y\n", encoding="utf-8")
    (folder / "decisions.csv").write_text("annotator,item_id,decision\nann,nothing,accept\n", encoding="utf-8")
    (folder / "invitees.csv").write_text("name,role\neve,annotator\n", encoding="utf-8")
    from benchwright.release import Release

    lines = [
        json.dumps({"item_id": one.item.item_id, "answer": "A"}) for one in Release.open(folder / "release").items()
    ]
    (folder / "replies.jsonl").write_text("\n".join(lines), encoding="utf-8")
    errors = ["evaluate", "errors", str(folder / "w" / "results"), "--release", str(folder / "release")]
    assert invoke([*errors, "--out", str(folder / "tasks.jsonl")]) == 0
    opening = ["review", "open", str(folder / "tasks.jsonl"), "--release", str(folder / "release")]
    assert invoke([*opening, "--workspace", str(folder / "judged")]) == 0
    empty = {"format": "benchwright/errata", "version": 1, "errata": []}
    (folder / "errata.json").write_text(json.dumps(empty), encoding="utf-8")
    twice = "id,question,A,B,C,answer,image\nt1,Which piece?,this,this,that,A,p/piece-00.png\n"
    (folder / "twice.csv").write_text(twice, encoding="utf-8")
    return folder


def _make_filtered(folder: Path) -> None:
    """Make the workspace `filtered`, in which a filter dropped an image, and `marked`, in which regions are marked."""
    (folder / "f").mkdir()
    with Image.open(folder / "p" / "piece-00.png") as image:
        image.save(folder / "f" / "first.png")
        image.save(folder / "f" / "second.bmp")
        image.rotate(90, expand=True).save(folder / "f" / "third.png")
    recipe = parse_recipe("name: filtered\nsteps: [exact_duplicates]\n", "filtered.yaml", folder)
    run_recipe(recipe, images=folder / "f", workspace=folder / "filtered", workers=1)
    shutil.copytree(folder / "filtered", folder / "damaged")
    shard = min((folder / "damaged" / "tables" / "exact_duplicates.pixels").glob("*.outcomes.*.parquet"))
    shard.write_bytes(shard.read_bytes()[:-9])
    fields = "[{name: things, label: Things, shape: box}]"
    marked = f"name: marked\nsteps: [{{step: mark, fields: {fields}, simulate: {{annotators: 1}}}}]\n"
    recipe = parse_recipe(marked, "marked.yaml", folder)
    run_recipe(recipe, images=folder / "f", workspace=folder / "marked", workers=1)
    words = ["first.png", "--step", "exact_duplicates", "--why", "private", "--by", "ada"]
    assert invoke(["filter", "drop", str(folder / "filtered"), *words]) == 0


@pytest.mark.parametrize(
    ("line", "variant", "code"),
    [
        pytest.param(line, variant, code, id=line)
        for line, variant, code in (
            ("run @w.yaml --images @p --workspace @w --workers 1", 0, 0),
            ("run @people.yaml --images @p --workspace @people --workers 1", 0, 0),
            ("run @people.yaml --images @p --dry-run", 1, 0),
            ("steps", 0, 0),
            ("steps jigsaw", 1, 0),
            ("steps freeze", 1, 0),
            ("outcomes @w", 0, 0),
            ("audit @release --out @audited --workers 1", 0, 0),
            ("audit @twice.csv --out @found --workers 1 --set-right @righted", 1, 0),
            ("set-right @righted --version 1.1 --out @righted-1.1 --decided-only", 0, 0),
            ("trace piece-01.jpg --workspace @w", 0, 0),
            ("check @people", 0, 0),
            ("check @damaged --repair", 0, 0),
            ("gc @w --dry-run", 0, 0),
            ("doctor", 0, 0),
            ("overlay @p/piece-01.jpg @marks.json @overlay.png", 0, 0),
            ("filter duplicates @p --workers 1", 0, 0),
            ("filter items @release", 0, 0),
            ("filter shortcuts @release", 0, 0),
            ("filter shortcuts @ii --model m --dry-run", 1, 0),
            ("filter quality @p --workers 1", 0, 0),
            ("filter duplicates @p --workers 1 --against @p", 1, 1),
            ("filter leakage @p --workers 1 --against @p", 0, 1),
            ("filter hashes @p --workers 1 --out @p.hashes", 0, 0),
            ("filter text-ratio @p --workers 1", 0, 0),
            ("filter restore @filtered second.bmp --why differs --by ada", 0, 0),
            ("filter drop @filtered third.png --step exact_duplicates --why private --by ada", 0, 0),
            ("filter overrides @filtered", 0, 0),
            ("filter funnel @filtered --out @funnel.html", 0, 0),
            ("filter undo @filtered first.png --by ada", 0, 0),
            ("review status --workspace @w", 0, 0),
            ("review export --workspace @people --out @tasks.csv", 0, 0),
            ("review marks export --workspace @marked --out @coco.json", 0, 0),
            ("review import @decisions.csv --workspace @people", 0, 1),
            ("review flags --workspace @people", 0, 0),
            ("review messages --workspace @people --send Hello", 0, 0),
            ("review audit --workspace @people", 0, 0),
            ("review annotators --workspace @w", 0, 0),
            ("review users --workspace @people", 0, 0),
            ("review invite @invitees.csv --workspace @people --out @links.csv", 0, 0),
            ("review users --workspace @people --add ann", 0, 0),
            ("review set-aside ann --why rushes --by ada --workspace @people", 0, 0),
            ("review take-back ann --by ada --workspace @people", 0, 0),
            ("review forget ann --workspace @people", 0, 0),
            ("review export --workspace @w --all --out @everything", 1, 0),
            ("review assign --workspace @w", 0, 0),
            ("review reasons --workspace @w", 0, 0),
            ("review rules --workspace @w", 0, 0),
            ("review annotators --workspace @w", 0, 0),
            ("review agreement --workspace @w", 0, 0),
            ("review agreement --ratings @ratings.csv", 0, 0),
            ("release freeze --workspace @w --name by-hand", 0, 0),
            ("release verify @release", 0, 0),
            ("release sign @release --key @key --out @release.sig", 0, 0),
            ("release verify @release --signed-by @signers --signature @release.sig", 0, 0),
            ("release splits @release", 0, 0),
            ("release show @release", 0, 0),
            ("release authors @release", 0, 0),
            ("release publish @release --to @published", 0, 0),
            ("release export @release --format jsonl --out @exported", 0, 0),
            ("evaluate run @release --model random --out @results", 0, 0),
            ("evaluate score @release @replies.jsonl", 0, 0),
            ("evaluate study no_picture @release --model random --out @studied", 0, 0),
            ("evaluate study no_picture @release --model random --dry-run", 0, 0),
            ("evaluate plan @release @w/results --budget 20", 0, 0),
            ("evaluate plan @release --width .001 --difference", 0, 0),
            ("evaluate summary @w/results", 0, 0),
            ("evaluate compare @w/results --release @release", 0, 0),
            ("evaluate leaderboard @w/results --out @board.html", 0, 0),
            ("evaluate suspects @w/results --release @release", 0, 0),
            ("evaluate health @release @w/results --page @health.html", 0, 0),
            ("evaluate items @w/results --release @release", 0, 0),
            ("evaluate report @w/results --release @release", 0, 0),
            ("evaluate export @w/results/random --release @release --format inspect --out @log.json", 0, 0),
            ("evaluate errors @w/results --release @release --out @errors.jsonl", 0, 0),
            ("evaluate check-reading @w/results --release @release --out @reading", 0, 0),
            ("review open @tasks.jsonl --release @release --workspace @again", 0, 0),
            ("review results --workspace @judged", 0, 0),
            ("release correct @release --errata @errata.json --version 1.1 --out @corrected", 0, 0),
            ("release diff @release @corrected --results @w/results/random --out @compared.html", 0, 0),
            ("release drafts @w", 0, 0),
            ("release fetch @release", 0, 0),
            ("release takedown piece-01.jpg --why asked --by ada --workspace @w", 0, 0),
            ("evaluate published blink --data @blink --model one", 0, 0),
            ("evaluate import ii-bench --data @ii --out @imported", 0, 0),
            ("construct items @ii", 0, 0),
            ("evaluate extract @cases.jsonl", 0, 0),
            ("evaluate extract @cases.jsonl --reader ii-bench", 0, 0),
        )
    ],
)
def test_the_json_document_of_a_command_has_the_documented_fields(
    line: str, variant: int, code: int, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if "@key" in line or "@signers" in line:
        _make_key(place)
    words = line.replace("@", f"{place}/").split(" ")
    assert invoke([*words, "--json"]) == code
    name = next(name for many in (3, 2, 1) if (name := " ".join(words[:many])) in COMMANDS)
    shapes = _documented_shapes("evaluate run" if name == "evaluate score" else name)
    assert shapes[variant] != _Shape()
    shapes[variant].check(json.loads(capsys.readouterr().out), name)


def test_the_json_document_of_shortcuts_that_a_model_tried_has_the_documented_fields(
    place: Path, chat_server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(place / "ii"), "--model", "m", "--base-url", chat_server.url, "--out", str(place / "cues"), "--json"]
    assert invoke(["filter", "shortcuts", *words]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {count["sees"] for count in document["tasks"][0]["replies"]} == {"text", "options"}
    _documented_shapes("filter shortcuts")[0].check(document, "filter shortcuts")


def test_the_json_document_of_review_serve_comes_first_and_has_the_documented_fields(place: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = command("review", "serve", "--workspace", place / "people", "--port", port, "--json")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as serving:
        assert serving.stdout is not None
        printed = ""
        try:
            while not printed.endswith("\n}\n"):
                line = serving.stdout.readline()
                assert line, f"it ended after {printed!r}"
                printed += line
            with urllib.request.urlopen(_once_there(json.loads(printed)["invitation"])) as reply:
                assert "Welcome, curator" in reply.read().decode()
        finally:
            serving.send_signal(signal.SIGINT)
            rest = serving.stdout.read()
    [shape] = _documented_shapes("review serve")
    assert shape != _Shape()
    shape.check(json.loads(printed), "review serve")
    assert (serving.returncode, rest) == (0, "")


def _make_key(place: Path) -> None:
    """Make an SSH key and the file that allows it, unless they are there."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen (OpenSSH) is not installed")
    if not (place / "key").exists():
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(place / "key")], check=True)
        (place / "signers").write_text(f"ada {(place / 'key.pub').read_text()}", encoding="utf-8")


def _once_there(url: str) -> str:
    """Return a URL once something listens there."""
    host = urlsplit(url)
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex((host.hostname or "", host.port or 0)) == 0:
                return url
        time.sleep(0.1)
    raise AssertionError(f"nothing listens at {url}")
