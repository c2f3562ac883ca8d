"""MkDocs hook: the pages under `reference/`, made from the code each time the site is built.

Commands come from their `click` declarations, steps and recipe keys from the pydantic models and their docstrings, the
review store from SQLAlchemy's tables, release columns from the Parquet schema, and names that other options take
(models, protocols, metrics) from the rooms. The Python API is a list of names per package, which mkdocstrings spells
out. Each entry links back to the guides that link to it.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.store.database.all_tables import MEANING, metadata
from benchwright.cli import commands
from benchwright.construction.item_parts.wording.spatial_questions import question_table
from benchwright.construction.readers.listing import reader_documents
from benchwright.errors import UnreadableImage
from benchwright.evaluation.protocols.names import listed
from benchwright.recipe import Header
from benchwright.release.format.schema import COLUMN_MEANINGS, COLUMNS
from benchwright.rooms import catalogue
from benchwright.settings.help import Setting, reasons_of, settings_of, summary_of
from benchwright.steps import Outcome
from benchwright.terminal.output import JsonOption

HERE = Path(__file__).parent
ROOM_NAMES = ("filters", "construction", "annotation", "exports", "evaluation", "audit")
PACKAGES = ("diagnostics", "question_files", "replies", "regions", "release", "statistics")
FACES = ("benchwright", *(f"benchwright.{name}" for name in (*ROOM_NAMES, *PACKAGES)))
ROOMS = {
    "filters": "Filters of images and items",
    "construction": "Steps that make items",
    "annotation": "Campaigns",
    "exports": "Splits and releases",
    "evaluation": "Evaluation",
}
_DEFAULT = re.compile(r"\s*\[(?:default|without a name): ([^\]]*)\]")
_EXAMPLE = re.compile(r"^```python[^\n]*\n(.*?)^```$", re.M | re.S)
_LINK = re.compile(r"\]\((?:\.\./)*reference/([\w-]+)\.md#([\w-]+)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to those of `docs/`."""
    environment = Environment(  # noqa: S701 - Markdown of our own texts, which `prose` escapes
        loader=FileSystemLoader(HERE / "templates"), trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters |= {"prose": prose, "code": code}
    environment.globals["guides"] = _guides(files)
    for page, (template, content) in _pages().items():
        text = environment.get_template(template).render(page=page, **content)
        files.append(File.generated(config, f"reference/{page}.md", content=text))
    return files


def _pages() -> dict[str, tuple[str, dict[str, Any]]]:
    """Return template and content of each page, by the page's name."""
    steps = {
        room: [
            {
                "name": name,
                "summary": summary_of(entry.load()),
                "settings": settings_of(entry.load()),
                "reasons": reasons_of(entry.load()),
            }
            for name, entry in catalogue("steps").items()
            if entry.room == room
        ]
        for room in ROOMS
    }
    listings = {
        kind: {name: entry.entry.help for name, entry in catalogue(kind).items()}
        for kind in ("backends", "metrics", "formats")
    }
    return {
        "commands": ("commands.md.j2", {"commands": [_command(name, command) for name, command in commands()]}),
        "recipes": ("recipes.md.j2", {"settings": settings_of(Header), "steps": steps, "rooms": ROOMS}),
        **{f"steps-{room}": ("steps.md.j2", {"title": ROOMS[room], "steps": listed}) for room, listed in steps.items()},
        "reasons": (
            "reasons.md.j2",
            {"steps": steps, "any_step": reasons_of(Outcome), "files": reasons_of(UnreadableImage)},
        ),
        "spatial-questions": ("spatial-questions.md.j2", {"rows": question_table()}),
        "dataset-readers": ("dataset-readers.md.j2", {"readers": reader_documents()}),
        "models": ("models.md.j2", {**listings, "protocols": [protocol.document() for protocol in listed()]}),
        "release-columns": (
            "release.md.j2",
            {"columns": [(name, _arrow(str(kind)), COLUMN_MEANINGS[name]) for name, kind in COLUMNS.items()]},
        ),
        "review-store": (
            "store.md.j2",
            {"tables": metadata.sorted_tables, "meaning": MEANING, "form": _keys_of_a_form()},
        ),
        "python": ("python.md.j2", {"packages": {face: _names(face) for face in FACES}}),
    }


def _command(name: str, command: click.Command) -> dict[str, Any]:
    context = click.Context(command, info_name=f"benchwright {name}")
    rows, document = [], ""
    for parameter in command.params:
        if isinstance(parameter, JsonOption):
            document = parameter.document
        else:
            rows.append(_parameter(parameter, context))
    usage = " ".join(["benchwright", name, *command.collect_usage_pieces(context)])
    return {"name": name, "usage": usage, "help": cleandoc(command.help or ""), "rows": rows, "json": document}


def _parameter(parameter: click.Parameter, context: click.Context) -> dict[str, str]:
    """Return the row of an argument or option: spelling, default or `required`, meaning."""
    text = getattr(parameter, "help", None) or ""
    stated = _DEFAULT.search(text)
    default = stated[1] if stated else ""
    if isinstance(parameter, click.Argument):
        return {"name": parameter.make_metavar(context), "default": default, "help": _DEFAULT.sub("", text)}
    assert isinstance(parameter, click.Option)
    facts = parameter.get_help_extra(context)
    default = default or ("required" if parameter.required else str(facts.get("default", "")))
    spelled = ", ".join(parameter.opts) + ("" if parameter.is_flag else f" {parameter.make_metavar(context)}")
    return {"name": spelled, "default": default, "help": _DEFAULT.sub("", text) + _bounds(parameter.type)}


def _bounds(kind: click.ParamType) -> str:
    """Return the bounds of a number in words, such as ` 0 to 1.`; nothing for other values."""
    low, high = getattr(kind, "min", None), getattr(kind, "max", None)
    if low is None:
        return ""
    return f" {low} or more." if high is None else f" {low} to {high}."


def _names(package: str) -> list[str]:
    """Return the names that examples of the guides import from a package; it may offer more to our code."""
    guides = "\n".join(path.read_text(encoding="utf-8") for path in sorted(HERE.parent.glob("*.md")))
    nodes = [node for block in _EXAMPLE.findall(guides) for node in ast.parse(block).body]
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == package]
    return sorted({alias.name for node in imports for alias in node.names})


def _keys_of_a_form() -> list[Setting]:
    return [key for key in settings_of(CampaignForm) if "." not in key.name]


def _arrow(kind: str) -> str:
    return kind.replace("element: ", "").replace("string", "text")


def _guides(files: Files) -> dict[str, list[tuple[str, str]]]:
    """Return the guides that link to an entry, each with its title, by `page#entry`."""
    linked: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for file in files.documentation_pages():
        text = file.content_string
        title = re.search(r"^# (.+)$", text, re.M)
        for target in sorted(set(_LINK.findall(text))):
            linked["#".join(target)].append((file.src_uri, title[1] if title else file.name))
    return linked


def prose(text: str) -> str:
    """Return plain text with code spans as Markdown for any place, a table's cell too; options become code spans."""
    parts = re.split(r"(`[^`]*`)", text)
    for place in range(0, len(parts), 2):
        parts[place] = re.sub(r"([\\*_\[\]|])", r"\\\1", parts[place]).replace("<", "&lt;")
        parts[place] = re.sub(r"(?<![\w-])--[a-z][a-z-]*", r"`\g<0>`", parts[place])
    return "".join(part.replace("|", "\\|") if part.startswith("`") else part for part in parts)


def code(text: str) -> str:
    """Return a code span for a table's cell; nothing for an empty text."""
    return f"`{text}`".replace("|", "\\|") if text else ""
