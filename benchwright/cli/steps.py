"""``benchwright steps``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from benchwright.rooms import catalogue, find
from benchwright.terminal.output import emit, json_option

if TYPE_CHECKING:
    from pydantic import BaseModel


@click.command()
@click.argument("name", required=False, help="Step whose settings to list.  [default: all steps, without settings]")
@json_option(
    """
    `{"steps": [{"name", "room", "help"}]}`; with a name `{"name", "help", "consumes", "settings": [{"name",
    "default", "required", "type", "help"}]}`
    """
)
def steps(name: str | None, as_json: bool) -> None:
    """List the steps that recipes can use, or the settings of one."""
    from benchwright.settings.help import reasons_of, settings_of, summary_of

    if name is None:
        rows = [{"name": n, "room": entry.room, "help": entry.entry.help} for n, entry in catalogue("steps").items()]
        emit(
            {"steps": rows},
            as_json=as_json,
            text=lambda: "\n".join(f"{r['name']:24} {r['help']} [{r['room']}]" for r in rows),
        )
        return
    cls = find("steps", name).load()
    document = {
        "name": name,
        "help": summary_of(cls),
        "consumes": cls.consumes,
        "settings": _top_settings(cls),
    }

    def text() -> str:
        lines = [str(document["help"])]
        for setting in settings_of(cls):
            default = "required" if setting.default is None else f"default {setting.default}"
            condition = f" (only with {setting.only_with})" if setting.only_with else ""
            lines.append(f"  {setting.name}{condition}: {setting.kind.replace('`', '')}; {default}. {setting.help}")
        lines += [f"  {reason.code} ({reason.verdict}): {reason.help}" for reason in reasons_of(cls)]
        return "\n".join(lines)

    emit(document, as_json=as_json, text=text)


def _top_settings(cls: type[BaseModel]) -> list[dict[str, Any]]:
    """Return the settings of a step without those of nested models, with their defaults as JSON values."""
    from benchwright.settings.help import settings_of

    schema: dict[str, Any] = cls.model_json_schema()
    meanings = {setting.name: setting.help for setting in settings_of(cls)}
    return [
        {
            "name": key,
            "default": field.get("default"),
            "required": key in schema.get("required", ()),
            "type": field.get("type") or _types(field),
            "help": meanings[key],
        }
        for key, field in schema.get("properties", {}).items()
    ]


def _types(field: dict[str, Any]) -> str:
    return " or ".join(
        option.get("type") or option.get("$ref", "?").rpartition("/")[2] for option in field.get("anyOf", [{}])
    )
