"""The documentation says what the code does.

- every command and option stands in docs/cli.md, and nothing else does;
- every step and setting stands in docs/recipes.md with its default, and nothing else does;
- every command's JSON document has exactly the fields that docs/cli.md gives it;
- command lines and recipes in the pages, and every recipe in the repository, are ones that the program takes;
- the worked example of docs/extender.md is the package that the tests install;
- relative links lead somewhere, and nothing names a place on somebody's machine.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
import pytest
import yaml
from conftest import ROOT
from PIL import Image
from pydantic import AliasChoices, BaseModel
from walks import RECIPE, command, make_photographs

from benchwright.cli.main import _ROOT, invoke
from benchwright.pipeline import run_recipe
from benchwright.pipeline.plan import plan
from benchwright.recipe import Header, ImageLimits, load_recipe, parse_recipe
from benchwright.recipes import bundled_recipes
from benchwright.rooms import catalogue

DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
RECIPES = [
    *sorted((ROOT / "examples").glob("*.yaml")),
    *bundled_recipes().values(),
]
SAME_EVERYWHERE = {"--help"}


def _commands(group: click.Group = _ROOT, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Yield every command that is no group, with its full name."""
    context = click.Context(group, info_name="benchwright")
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


COMMANDS = dict(_commands())


def _options(command: click.Command) -> set[str]:
    return {
        name for one in command.params if isinstance(one, click.Option) for name in (*one.opts, *one.secondary_opts)
    }


def _arguments(command: click.Command) -> set[str]:
    context = click.Context(command)
    return {one.make_metavar(context).strip("[].") for one in command.params if isinstance(one, click.Argument)}


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _sections(page: str, level: int) -> dict[str, str]:
    """Return the text below each heading whose title is one code span."""
    mark = "#" * level
    parts = re.split(rf"^{mark} `([^`\n]+)`$", _text(DOCS / page), flags=re.M)
    cut = rf"^#{{1,{level}}} "
    return {name: re.split(cut, text, flags=re.M)[0] for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def _rows(section: str) -> list[list[str]]:
    """Return the cells of every table row that begins with a code span."""
    rows = [line for line in section.split("\n") if line.startswith("| `")]
    return [[cell.strip() for cell in row.strip().strip("|").split(" | ")] for row in rows]


def _blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", _text(path), flags=re.M | re.S)


CLI = _sections("cli.md", 2)
STEPS = _sections("recipes.md", 3)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented_with_exactly_its_options_and_arguments(name: str) -> None:
    section = CLI[f"benchwright {name}"]
    rows = {row[0].strip("`").split()[0].rstrip(",") for row in _rows(section)}
    named = {span for row in _rows(section) for span in re.findall(r"--[a-z-]+", row[0])}
    assert named == _options(COMMANDS[name]) - SAME_EVERYWHERE
    assert {row for row in rows if not row.startswith("--")} == _arguments(COMMANDS[name])


def test_no_command_is_documented_that_does_not_exist() -> None:
    assert len(COMMANDS) > 10
    assert sorted(CLI) == sorted(f"benchwright {name}" for name in COMMANDS)


def _settings(model: type[BaseModel], prefix: str = "") -> dict[str, Any]:
    """Return all settings' defaults by dotted name, nested models spelled out; ... where one is required."""
    found: dict[str, Any] = {}
    for attribute, field in model.model_fields.items():
        alias = field.validation_alias
        name = str(alias.choices[0]) if isinstance(alias, AliasChoices) else attribute
        if field.is_required():
            found[prefix + name] = ...
        else:
            default = field.get_default(call_default_factory=True)
            found[prefix + name] = default.model_dump(mode="json") if isinstance(default, BaseModel) else default
        for candidate in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if isinstance(candidate, type) and issubclass(candidate, BaseModel):
                del found[prefix + name]
                found |= _settings(candidate, f"{prefix}{name}.")
                break
    return found


def _documented(section: str) -> dict[str, Any]:
    """Return what a table of settings says: the default, a YAML value in a code span, by name."""
    return {
        row[0].strip("`"): ... if row[1] == "required" else yaml.safe_load(row[1].strip("`")) for row in _rows(section)
    }


def _plain(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}


@pytest.mark.parametrize("name", catalogue("steps"))
def test_every_step_is_documented_with_exactly_its_settings_and_their_defaults(name: str) -> None:
    assert _documented(STEPS[name]) == _plain(_settings(catalogue("steps")[name].load()))


def test_no_step_is_documented_that_does_not_exist() -> None:
    assert sorted(STEPS) == sorted(catalogue("steps"))


def test_the_keys_of_a_recipe_are_documented_with_their_defaults() -> None:
    table = _text(DOCS / "recipes.md").split("## Keys of a recipe")[1].split("\n## ")[0]
    assert _documented(table) == _plain(_settings(Header))
    assert {name for name in _documented(table) if "." in name} == {
        f"limits.{name}" for name in ImageLimits.model_fields
    }


def test_every_model_is_documented() -> None:
    page = _text(DOCS / "evaluator.md")
    names = {row[0].strip("`").split(":")[0] for row in _rows(page.split("## Models")[1].split("\n## ")[0])}
    assert names == set(catalogue("backends"))


def test_every_metric_is_documented() -> None:
    page = _text(DOCS / "evaluator.md")
    assert [name for name in catalogue("metrics") if f"`{name}`" not in page] == []


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.name)
def test_every_recipe_in_the_repository_parses_and_fits_together(path: Path) -> None:
    assert plan(load_recipe(path).steps)


def test_there_are_recipes_in_both_folders() -> None:
    assert len({path.parent for path in RECIPES}) == 2


def _recipes_in_pages() -> Iterator[Any]:
    for path in PAGES:
        for number, block in enumerate(_blocks(path, "yaml")):
            if re.search(r"^steps:", block, re.M):
                yield pytest.param(block, id=f"{path.name}-{number}")


@pytest.mark.parametrize("block", list(_recipes_in_pages()))
def test_recipes_in_the_pages_are_recipes(block: str, request: pytest.FixtureRequest) -> None:
    whole = block if re.search(r"^name:", block, re.M) else f"name: part\n{block}"
    if "brightness" in whole:  # the worked example's own step, which only its package brings
        assert "brightness" not in catalogue("steps")
        whole = re.sub(r"  - step: brightness\n(    .*\n)+", "", whole)
    assert plan(parse_recipe(whole, request.node.name, ROOT).steps)


def _command_lines() -> Iterator[Any]:
    for path in PAGES:
        for block in _blocks(path, "sh"):
            for line in block.replace("\\\n", " ").split("\n"):
                words = shlex.split(line, comments=True)
                if words and words[0] in {"benchwright", ".venv/bin/benchwright"}:
                    yield pytest.param(words[1:], id=f"{path.name}: {line[:70]}")


@pytest.mark.parametrize("words", list(_command_lines()))
def test_command_lines_in_the_pages_are_ones_that_the_program_parses(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if words == ["--help"]:
        return
    depth = next(depth for depth in (3, 2, 1) if " ".join(words[:depth]) in COMMANDS)
    command = COMMANDS[" ".join(words[:depth])]
    # `exists=True` would look for the page's made-up folders; everything else is checked as in a real call.
    for one in command.params:
        if isinstance(one.type, click.Path):
            monkeypatch.setattr(one, "type", click.Path(path_type=Path))
    assert command.make_context(command.name, list(words[depth:]))


def _links() -> Iterator[Any]:
    for path in PAGES:
        without_code = re.sub(r"```.*?```|`[^`\n]*`", "", _text(path), flags=re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", without_code):
            if not re.match(r"[a-z]+:|#", target):
                yield pytest.param(path, target, id=f"{path.name} to {target}")


@pytest.mark.parametrize(("page", "target"), list(_links()))
def test_relative_links_lead_somewhere(page: Path, target: str) -> None:
    assert (page.parent / target.partition("#")[0]).exists()


def test_the_readme_opens_with_clone_demo_and_test() -> None:
    first = re.search(r"```\w*\n(.*?)```", _text(ROOT / "README.md"), re.S)
    assert first is not None
    lines = [line.split("#")[0].strip() for line in first[1].strip().split("\n")]
    assert re.match(r"git clone .+ && cd ", lines[0])
    assert lines[1:] == ["make demo", "make test"]


def test_every_make_target_in_the_pages_exists() -> None:
    makefile = _text(ROOT / "Makefile")
    named = {
        target
        for path in PAGES
        for block in _blocks(path, "sh")
        for target in re.findall(r"^make ([a-z-]+)", block, re.M)
    }
    assert {"demo", "test"} <= named
    assert [target for target in sorted(named) if not re.search(rf"^{target}:", makefile, re.M)] == []


@pytest.mark.parametrize(
    ("language", "file"),
    [
        ("toml", "pyproject.toml"),
        ("python", "benchwright_brightness/room.py"),
        ("python", "benchwright_brightness/brightness.py"),
    ],
)
def test_the_worked_example_is_the_package_of_the_tests(language: str, file: str) -> None:
    assert _text(ROOT / "tests" / "third_party" / file) in _blocks(DOCS / "extender.md", language)


@pytest.mark.parametrize("path", [*PAGES, *RECIPES], ids=lambda path: path.name)
def test_nothing_names_a_place_on_a_machine_or_a_registry(path: Path) -> None:
    found = re.findall(
        r"(?:/(?:home|Users|root|work|tmp)/|pypi|pythonhosted|index-url|huggingface\.co)\S*", _text(path)
    )
    assert found == []


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
    cell = next(row[1] for row in _rows(CLI[f"benchwright {name}"]) if row[0] == "`--json`")
    return [
        _shape(re.findall(r'"[^"]*"|\.\.\.|[{}\[\],:]|[^\s{}\[\],:"]+', span))
        for span in re.findall(r"`(\{[^`]*)`", cell)
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
    for name, document in (
        ("val_answers", {"val_Jigsaw_1": "(A)"}),
        ("saved_val_predictions/one", {"val_Jigsaw_1": "(B)"}),
    ):
        (folder / "blink" / f"{name}.json").parent.mkdir(parents=True, exist_ok=True)
        (folder / "blink" / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    question = {"id": "dev-1", "question": "Why?", "options": ["one", "two"], "answer": "B"}
    record = {"local_path": "p/piece-01.jpg", "questions": [question], "meta_data": {}}
    (folder / "ii" / "data").mkdir(parents=True)
    (folder / "ii" / "data" / "dev.json").write_text(json.dumps([record]), encoding="utf-8")
    shutil.copytree(folder / "p", folder / "ii" / "p")
    marks = [{"kind": "ring", "points": [[40.5, 30.5]], "label": "A"}]
    (folder / "marks.json").write_text(json.dumps(marks), encoding="utf-8")
    (folder / "ratings.csv").write_text("unit,rater,label\n1,a,x\n1,b,x\n2,a,x\n2,b,y\n", encoding="utf-8")
    (folder / "decisions.csv").write_text("annotator,item_id,decision\nann,nothing,accept\n", encoding="utf-8")
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
    return folder


def _make_filtered(folder: Path) -> None:
    """Make the workspace `filtered`, in which a filter dropped an image."""
    (folder / "f").mkdir()
    with Image.open(folder / "p" / "piece-00.png") as image:
        image.save(folder / "f" / "first.png")
        image.save(folder / "f" / "second.bmp")
        image.rotate(90, expand=True).save(folder / "f" / "third.png")
    recipe = parse_recipe("name: filtered\nsteps: [exact_duplicates]\n", "filtered.yaml", folder)
    run_recipe(recipe, images=folder / "f", workspace=folder / "filtered", workers=1)
    words = ["first.png", "--step", "exact_duplicates", "--why", "private", "--by", "ada"]
    assert invoke(["filter", "drop", str(folder / "filtered"), *words]) == 0


@pytest.mark.parametrize(
    ("line", "variant", "code"),
    [
        pytest.param(line, variant, code, id=line)
        for line, variant, code in (
            ("run @w.yaml --images @p --workspace @w --workers 1", 0, 0),
            ("run @people.yaml --images @p --workspace @people --workers 1", 0, 0),
            ("steps", 0, 0),
            ("steps jigsaw", 1, 0),
            ("steps freeze", 1, 0),
            ("outcomes @w", 0, 0),
            ("trace piece-01.jpg --workspace @w", 0, 0),
            ("gc @w --dry-run", 0, 0),
            ("doctor", 0, 0),
            ("overlay @p/piece-01.jpg @marks.json @overlay.png", 0, 0),
            ("filter duplicates @p --workers 1", 0, 0),
            ("filter items @release", 0, 0),
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
            ("review import @decisions.csv --workspace @people", 0, 1),
            ("review flags --workspace @people", 0, 0),
            ("review audit --workspace @people", 0, 0),
            ("review annotators --workspace @w", 0, 0),
            ("review users --workspace @people", 0, 0),
            ("review users --workspace @people --add ann", 0, 0),
            ("review export --workspace @w --all --out @everything", 1, 0),
            ("review assign --workspace @w", 0, 0),
            ("review reasons --workspace @w", 0, 0),
            ("review annotators --workspace @w", 0, 0),
            ("review agreement --workspace @w", 0, 0),
            ("review agreement --ratings @ratings.csv", 0, 0),
            ("release freeze --workspace @w --name by-hand", 0, 0),
            ("release verify @release", 0, 0),
            ("release show @release", 0, 0),
            ("evaluate run @release --model random --out @results", 0, 0),
            ("evaluate score @release @replies.jsonl", 0, 0),
            ("evaluate summary @w/results", 0, 0),
            ("evaluate compare @w/results --release @release", 0, 0),
            ("evaluate suspects @w/results --release @release", 0, 0),
            ("evaluate report @w/results --release @release", 0, 0),
            ("evaluate errors @w/results --release @release --out @errors.jsonl", 0, 0),
            ("review open @tasks.jsonl --release @release --workspace @again", 0, 0),
            ("review results --workspace @judged", 0, 0),
            ("release correct @release --errata @errata.json --version 1.1 --out @corrected", 0, 0),
            ("evaluate published blink --data @blink --model one", 0, 0),
            ("evaluate import ii-bench --data @ii --out @imported", 0, 0),
            ("evaluate extract @cases.jsonl", 0, 0),
            ("evaluate extract @cases.jsonl --reader ii-bench", 0, 0),
        )
    ],
)
def test_the_json_document_of_a_command_has_the_documented_fields(
    line: str, variant: int, code: int, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = line.replace("@", f"{place}/").split(" ")
    assert invoke([*words, "--json"]) == code
    name = next(name for name in (" ".join(words[:2]), words[0]) if name in COMMANDS)
    shapes = _documented_shapes("evaluate run" if name == "evaluate score" else name)
    assert shapes[variant] != _Shape()
    shapes[variant].check(json.loads(capsys.readouterr().out), name)


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


def _once_there(url: str) -> str:
    """Return a URL once something listens there."""
    host = urlsplit(url)
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex((host.hostname or "", host.port or 0)) == 0:
                return url
        time.sleep(0.1)
    raise AssertionError(f"nothing listens at {url}")
