"""``benchwright recipes``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from benchwright.errors import BenchwrightError
from benchwright.recipes import bundled_recipes, companions
from benchwright.terminal.output import emit, json_option
from benchwright.workspace.atomic import write_bytes


@click.command()
@click.argument("name", required=False, help="Recipe to print or copy.  [default: list all]")
@click.option(
    "--to",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to copy the recipe to, with its files; existing files are never overwritten.",
)
@json_option(
    """
    `{"recipes": [{"name", "help"}]}`; with a name `{"name", "text"}`, with `--to` `{"name", "copied": [path]}`
    """
)
def recipes(name: str | None, to: Path | None, as_json: bool) -> None:
    """List the bundled recipes, print one, or copy it with its files.

    `blink`, `ii-bench`, `mm-sap` and `mvp-bench` follow the papers. `perception` and `perception-with-people` are for a
    first try on your own images. With `marked-photographs`, annotators mark and state the content of photographs.
    `benchwright demo` runs `demo`. `benchwright run NAME --images DIR` runs a recipe unchanged. `mm-sap`, `mvp-bench`
    and `demo` include facts about example photographs, on which they run by name. On a folder with facts for fewer than
    half of the files, nothing runs, and the message explains how to copy the recipe and state your own facts.
    """
    recipes_by_name = bundled_recipes()
    if name is None:
        rows = [{"name": recipe_name, "help": _first_comment(path)} for recipe_name, path in recipes_by_name.items()]
        emit({"recipes": rows}, as_json=as_json, text=lambda: "\n".join(f"{r['name']:23} {r['help']}" for r in rows))
        return
    if name not in recipes_by_name:
        raise BenchwrightError(f"no bundled recipe {name!r}; bundled recipes are {', '.join(recipes_by_name)}")
    if to is None:
        text = recipes_by_name[name].read_text(encoding="utf-8")
        emit({"name": name, "text": text}, as_json=as_json, text=lambda: text.rstrip("\n"))
        return
    copied = _copied([recipes_by_name[name], *companions(recipes_by_name[name])], to)
    emit({"name": name, "copied": copied}, as_json=as_json, text=lambda: "\n".join(copied))


def _first_comment(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def _copied(paths: Sequence[Path], folder: Path) -> list[str]:
    """Copy files into a folder, keeping identical files of an earlier, interrupted copy."""
    folder.mkdir(parents=True, exist_ok=True)
    targets = {path: folder / path.name for path in paths}
    present = {path: target for path, target in targets.items() if os.path.lexists(target)}
    for path, target in present.items():
        if len(present) == len(targets) or not target.is_file() or target.read_bytes() != path.read_bytes():
            raise BenchwrightError(f"{target} already exists and is not overwritten; give another folder with --to")
    for path in paths:
        if path not in present:
            write_bytes(targets[path], path.read_bytes())
    return [str(target) for target in targets.values()]
