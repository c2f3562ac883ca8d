"""The documentation's rows about a model's options are those that follow from the options' declarations."""

from __future__ import annotations

import json

import pytest
from doc_pages import CLI, sections_of
from pydantic import BaseModel

from benchwright.evaluation.backends import BackendOptions, ModelOptions, notes_of
from benchwright.evaluation.cli import JUDGE, JUDGE_OPTIONS, MODEL_OPTIONS, describe, flag_of
from benchwright.evaluation.judging import Judge
from benchwright.evaluation.model_settings import ModelSettings

RECIPE_TABLE = sections_of("recipes.md", 3)["evaluate"]


def what_of(model: type[BaseModel], name: str, *, on_command_line: bool, prefix: str = "") -> str:
    """Return the text of an option's row, in the style of the tables: lower case, without a full stop."""
    notes, default = notes_of(model, name), model.model_fields[name].default
    text = describe(model, name, on_command_line=on_command_line, prefix=prefix)
    text = text[0].lower() + text[1:]
    if notes.unset is not None and default is None:
        text += f"; by default {notes.unset}"
    elif on_command_line and isinstance(default, int | float | str) and not notes.command_help:
        text += f"; by default {f'`{default}`' if isinstance(default, str) else f'{default:g}'}"
    return text + (f". {notes.see}" if notes.see else "")


def command_row(model: type[BaseModel], name: str, prefix: str = "") -> str:
    flag = flag_of(model, name, prefix)
    return f"| `{flag}` | {what_of(model, name, on_command_line=True, prefix=prefix)} |"


def recipe_row(model: type[BaseModel], name: str, key: str, prefix: str = "") -> str:
    field = model.model_fields[name]
    spelled = field.default if isinstance(field.default, str) else json.dumps(field.default, default=str)
    default = "required" if field.is_required() else f"`{spelled}`"
    return f"| `{key}.{name}` | {default} | {what_of(model, name, on_command_line=False, prefix=prefix)} |"


@pytest.mark.parametrize("name", MODEL_OPTIONS)
def test_evaluate_run_has_the_row_of_an_option(name: str) -> None:
    assert CLI["benchwright evaluate run"].splitlines().count(command_row(BackendOptions, name)) == 1


@pytest.mark.parametrize("command", ["evaluate run", "evaluate score"])
@pytest.mark.parametrize("name", JUDGE_OPTIONS)
def test_commands_with_a_judge_have_the_row_of_an_option(command: str, name: str) -> None:
    assert CLI[f"benchwright {command}"].splitlines().count(command_row(Judge, name, JUDGE)) == 1


@pytest.mark.parametrize("name", ModelOptions.model_fields)
def test_the_recipe_table_has_the_row_of_an_option(name: str) -> None:
    assert RECIPE_TABLE.splitlines().count(recipe_row(ModelSettings, name, "models")) == 1


@pytest.mark.parametrize("name", JUDGE_OPTIONS)
def test_the_recipe_table_has_the_row_of_a_judges_option(name: str) -> None:
    assert RECIPE_TABLE.splitlines().count(recipe_row(Judge, name, "models.judge", JUDGE)) == 1


def test_every_option_that_users_set_is_an_option_of_the_command() -> None:
    assert set(ModelOptions.model_fields) <= set(MODEL_OPTIONS) <= set(BackendOptions.model_fields)
    assert set(JUDGE_OPTIONS) == set(Judge.model_fields)
    assert set(BackendOptions.model_fields) - set(MODEL_OPTIONS) == {"tries", "backoff_s"}
