"""``benchwright steps``."""

from __future__ import annotations

from typing import Any

import click

from benchwright.cli.output import emit, json_option
from benchwright.rooms import catalogue, find


@click.command()
@click.argument("name", required=False, help="Step whose settings are listed.  [default: all steps, without settings]")
@json_option(
    """
    `{"steps": [{"name", "room", "help"}]}`; with a name `{"name", "help", "consumes", "settings": [{"name",
    "default", "required", "type", "help"}]}`
    """
)
def steps(name: str | None, as_json: bool) -> None:
    """List the steps that recipes can use, or the settings of one."""
    from benchwright.yaml_places import setting_names

    if name is None:
        rows = [{"name": n, "room": entry.room, "help": entry.entry.help} for n, entry in catalogue("steps").items()]
        emit(
            {"steps": rows},
            as_json=as_json,
            text=lambda: "\n".join(f"{r['name']:24} {r['help']} [{r['room']}]" for r in rows),
        )
        return
    cls = find("steps", name).load()
    schema: dict[str, Any] = cls.model_json_schema()
    fields = setting_names(cls)
    settings = [
        {
            "name": key,
            "default": field.get("default"),
            "required": key in schema.get("required", ()),
            "type": field.get("type") or _types(field),
            "help": (fields[key].description or "").strip(),
        }
        for key, field in schema.get("properties", {}).items()
    ]
    document = {"name": name, "help": (cls.__doc__ or "").strip(), "consumes": cls.consumes, "settings": settings}

    def text() -> str:
        lines = [document["help"], ""] if document["help"] else []
        for setting in settings:
            default = "required" if setting["required"] else f"default {setting['default']!r}"
            lines.append(
                f"  {setting['name']}: {setting['type']}, {default}{'. ' + setting['help'] if setting['help'] else ''}"
            )
        return "\n".join(lines or [f"{name} has no settings"])

    emit(document, as_json=as_json, text=text)


def _types(field: dict[str, Any]) -> str:
    return " or ".join(
        option.get("type") or option.get("$ref", "?").rpartition("/")[2] for option in field.get("anyOf", [{}])
    )
