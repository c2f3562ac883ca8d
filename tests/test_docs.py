"""The documentation says what the code does.

- every command and option stands in docs/cli.md, and nothing else does;
- every step and setting stands in docs/recipes.md with its default, and nothing else does;
- command lines and recipes in the pages, and every recipe in the repository, are ones that the program takes;
- the worked example of docs/extender.md is the package that the tests install;
- relative links lead somewhere, and nothing names a place on somebody's machine.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from conftest import ROOT
from doc_pages import CLI, COMMANDS, DOCS, rows_of, sections_of, text_of
from pydantic import AliasChoices, BaseModel

from benchwright.pipeline.plan import plan
from benchwright.recipe import Header, ImageLimits, load_recipe, parse_recipe
from benchwright.recipes import bundled_recipes
from benchwright.rooms import catalogue

PAGES = [*sorted(DOCS.glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
RECIPES = [
    *sorted((ROOT / "examples").glob("*.yaml")),
    *bundled_recipes().values(),
]
SAME_EVERYWHERE = {"--help"}


def _options(command: click.Command) -> set[str]:
    return {
        name for one in command.params if isinstance(one, click.Option) for name in (*one.opts, *one.secondary_opts)
    }


def _arguments(command: click.Command) -> set[str]:
    context = click.Context(command)
    return {one.make_metavar(context).strip("[].") for one in command.params if isinstance(one, click.Argument)}


def _blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}(?: title=[^\n]*)?\n(.*?)^```$", text_of(path), flags=re.M | re.S)


STEPS = sections_of("recipes.md", 3)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented_with_exactly_its_options_and_arguments(name: str) -> None:
    section = CLI[f"benchwright {name}"]
    rows = {row[0].strip("`").split()[0].rstrip(",") for row in rows_of(section)}
    named = {span for row in rows_of(section) for span in re.findall(r"--[a-z-]+", row[0])}
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
        row[0].strip("`"): ... if row[1] == "required" else yaml.safe_load(row[1].strip("`"))
        for row in rows_of(section)
    }


def _plain(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}


@pytest.mark.parametrize("name", catalogue("steps"))
def test_every_step_is_documented_with_exactly_its_settings_and_their_defaults(name: str) -> None:
    assert _documented(STEPS[name]) == _plain(_settings(catalogue("steps")[name].load()))


def test_no_step_is_documented_that_does_not_exist() -> None:
    assert sorted(STEPS) == sorted(catalogue("steps"))


def test_the_keys_of_a_recipe_are_documented_with_their_defaults() -> None:
    table = text_of(DOCS / "recipes.md").split("## Keys of a recipe")[1].split("\n## ")[0]
    assert _documented(table) == _plain(_settings(Header))
    assert {name for name in _documented(table) if "." in name} == {
        f"limits.{name}" for name in ImageLimits.model_fields
    }


def test_every_model_is_documented() -> None:
    page = text_of(DOCS / "evaluator.md")
    names = {row[0].strip("`").split(":")[0] for row in rows_of(page.split("## Models")[1].split("\n## ")[0])}
    assert names == set(catalogue("backends"))


def test_every_metric_is_documented() -> None:
    page = text_of(DOCS / "evaluator.md")
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
        without_code = re.sub(r"```.*?```|`[^`\n]*`", "", text_of(path), flags=re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", without_code):
            if not re.match(r"[a-z]+:|#", target):
                yield pytest.param(path, target, id=f"{path.name} to {target}")


@pytest.mark.parametrize(("page", "target"), list(_links()))
def test_relative_links_lead_somewhere(page: Path, target: str) -> None:
    assert (page.parent / target.partition("#")[0]).exists()


def test_the_readme_opens_with_clone_demo_and_test() -> None:
    first = re.search(r"```\w*\n(.*?)```", text_of(ROOT / "README.md"), re.S)
    assert first is not None
    lines = [line.split("#")[0].strip() for line in first[1].strip().split("\n")]
    assert re.match(r"git clone .+ && cd ", lines[0])
    assert lines[1:] == ["make demo", "make test"]


def test_every_make_target_in_the_pages_exists() -> None:
    makefile = text_of(ROOT / "Makefile")
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
    assert text_of(ROOT / "tests" / "third_party" / file) in _blocks(DOCS / "extender.md", language)


@pytest.mark.parametrize("path", [*PAGES, *RECIPES], ids=lambda path: path.name)
def test_nothing_names_a_place_on_a_machine_or_a_registry(path: Path) -> None:
    found = re.findall(
        r"(?:/(?:home|Users|root|work|tmp)/|pypi|pythonhosted|index-url|huggingface\.co)\S*", text_of(path)
    )
    assert found == []
