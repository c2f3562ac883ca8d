"""The documentation agrees with the code.

- Every command, argument, option, step, setting, reason code, column and table has its meaning in the code: the
  reference pages are made from that, so none of their rows is empty.
- The program accepts the command lines and recipes in the pages, and every recipe in the repository.
- The worked example of docs/extender.md is the package that the tests install.
- Links of the pages outside the site lead somewhere (`make docs` checks those of the site), and no page names a path
  on an author's machine.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from conftest import ROOT
from doc_pages import COMMANDS, DOCS, text_of

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.store.database.all_tables import MEANING, metadata
from benchwright.cli.room import SECTIONS
from benchwright.errors import BenchwrightError
from benchwright.pipeline.planning.fitting import fitted_to
from benchwright.pipeline.planning.plan import plan
from benchwright.recipe import Header, load_recipe, parse_recipe
from benchwright.recipes import bundled_recipes
from benchwright.release.format.schema import COLUMN_MEANINGS, COLUMNS
from benchwright.rooms import KINDS, catalogue
from benchwright.settings.help import reasons_of, settings_of, summary_of
from benchwright.terminal.output import JsonOption

pytestmark = pytest.mark.slow

BESIDE_THE_SITE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
PAGES = [*sorted(DOCS.rglob("*.md")), *BESIDE_THE_SITE]
RECIPES = [
    *sorted((ROOT / "examples").glob("*.yaml")),
    *bundled_recipes().values(),
]


def _blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}(?: title=[^\n]*)?\n(.*?)^```$", text_of(path), flags=re.M | re.S)


def test_every_command_argument_and_option_says_what_it_means() -> None:
    assert len(COMMANDS) > 50
    silent = [name for name, command in COMMANDS.items() if not command.help]
    for name, command in COMMANDS.items():
        silent += [f"{name} {parameter.name}" for parameter in command.params if not getattr(parameter, "help", None)]
        assert sum(isinstance(parameter, JsonOption) and bool(parameter.document) for parameter in command.params) == 1
    assert silent == []


def test_every_step_setting_and_reason_code_says_what_it_means() -> None:
    classes = {name: entry.load() for name, entry in catalogue("steps").items()}
    assert len(classes) > 35
    silent = [name for name, step in classes.items() if not summary_of(step)]
    silent += [f"form {key.name}" for key in settings_of(CampaignForm) if "." not in key.name and not key.help]
    for name, model in {**classes, "recipe": Header}.items():
        silent += [f"{name} {setting.name}" for setting in settings_of(model) if not setting.help or not setting.kind]
        silent += [f"{name} {reason.code}" for reason in reasons_of(model) if not reason.help or not reason.verdict]
    assert silent == []


def test_no_help_of_a_step_breaks_off_within_a_sentence() -> None:
    steps = {name: entry.load() for name, entry in catalogue("steps").items()}
    cut = [f"{name} {each.name}" for name, step in steps.items() for each in settings_of(step) if each.help[-1] != "."]
    cut += [f"{name} {each.code}" for name, step in steps.items() for each in reasons_of(step) if each.help[-1] != "."]
    assert cut == []


def test_every_column_and_table_says_what_it_means() -> None:
    silent = [name for name in COLUMNS if not COLUMN_MEANINGS.get(name)]
    silent += [name for name, table in metadata.tables.items() if not table.info.get(MEANING)]
    silent += [str(column) for table in metadata.sorted_tables for column in table.columns if not column.doc]
    assert silent == []


def test_every_name_that_a_room_brings_has_a_line_of_help() -> None:
    assert [name for kind in KINDS for name, entry in catalogue(kind).items() if not entry.entry.help] == []


def faults_of(cases: Iterable[tuple[str, Any]], check: Callable[[Any], object]) -> dict[str, str]:
    """Return what is wrong with each of some cases for which a check fails or returns nothing, by their names."""
    faults = {}
    for name, case in cases:
        try:
            if not check(case):
                faults[name] = "nothing came"
        except (BenchwrightError, click.ClickException, AssertionError, StopIteration) as fault:
            faults[name] = repr(fault)
    return faults


def test_every_recipe_in_the_repository_parses_and_fits_together(tmp_path: Path) -> None:
    recipes = [(path.name, path) for path in RECIPES]
    assert faults_of(recipes, lambda path: plan(fitted_to(load_recipe(path), tmp_path).recipe.steps)) == {}


def test_there_are_recipes_in_both_folders() -> None:
    assert len({path.parent for path in RECIPES}) == 2


def _recipes_in_pages() -> Iterator[tuple[str, str]]:
    for path in PAGES:
        for number, block in enumerate(_blocks(path, "yaml")):
            if re.search(r"^steps:", block, re.M):
                yield f"{path.name}-{number}", block


def test_recipes_in_the_pages_are_recipes() -> None:
    def planned(block: str) -> object:
        whole = block if re.search(r"^name:", block, re.M) else f"name: part\n{block}"
        if "brightness" in whole:  # the worked example's own step, which only its package brings
            assert "brightness" not in catalogue("steps")
            whole = re.sub(r"  - step: brightness\n(    .*\n)+", "", whole)
        return plan(parse_recipe(whole, "page", ROOT).steps)

    recipes = list(_recipes_in_pages())
    assert len(recipes) > 20
    assert faults_of(recipes, planned) == {}


def _command_lines() -> Iterator[tuple[str, list[str]]]:
    for path in PAGES:
        for block in _blocks(path, "sh"):
            for line in block.replace("\\\n", " ").split("\n"):
                words = shlex.split(line, comments=True)
                if words and words[0] in {"benchwright", ".venv/bin/benchwright"} and words[1:] != ["--help"]:
                    yield f"{path.name}: {line}", words[1:]


def test_command_lines_in_the_pages_are_ones_that_the_program_parses(monkeypatch: pytest.MonkeyPatch) -> None:
    def parsed(words: list[str]) -> object:
        depth = next(depth for depth in (3, 2, 1) if " ".join(words[:depth]) in COMMANDS)
        command = COMMANDS[" ".join(words[:depth])]
        # `exists=True` would look for the page's made-up folders; everything else is checked as in a real call.
        for one in command.params:
            if isinstance(one.type, click.Path):
                monkeypatch.setattr(one, "type", click.Path(path_type=Path))
        return command.make_context(command.name, list(words[depth:]))

    lines = list(_command_lines())
    assert len(lines) > 100
    assert faults_of(lines, parsed) == {}


def test_the_help_and_the_page_of_commands_place_every_command() -> None:
    placed = [name for section in SECTIONS.values() for name in section]
    assert sorted(placed) == sorted({name.split()[0] for name in COMMANDS})
    cells = re.findall(r"^\| .* \| (.*) \|$", text_of(DOCS / "commands.md"), re.M)
    on_page = {re.sub(r" [A-Z-].*", "", command) for cell in cells for command in re.findall(r"`([^`]+)`", cell)}
    assert on_page == set(COMMANDS)


def test_links_beside_the_site_lead_somewhere() -> None:
    targets = [
        (page, target)
        for page in BESIDE_THE_SITE
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```|`[^`\n]*`", "", text_of(page), flags=re.S))
        if not re.match(r"[a-z]+:|#", target)
    ]
    assert len(targets) > 10
    assert [target for page, target in targets if not (page.parent / target.partition("#")[0]).exists()] == []


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


def test_nothing_names_a_place_on_a_machine_or_a_registry() -> None:
    place = r"(?:/(?:home|Users|root|work|tmp)/|pypi|pythonhosted|index-url|huggingface\.co)\S*"
    found = {path.name: re.findall(place, text_of(path)) for path in [*PAGES, *RECIPES]}
    assert {name: places for name, places in found.items() if places} == {}
